// The control schemas of all step types, and what an editor shows of them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type StepType, stepDefinitions, stepTypes } from "@tidings/contract";
import { Ajv } from "ajv";
import { readControlValues } from "../../../src/app/workflows/step-controls.ts";

describe("control schemas of all types", () => {
  const accepts = (type: StepType, values: object) =>
    new Ajv({ strict: false }).validate(stepDefinitions[type].controls, values);
  const good: Record<StepType, object[]> = {
    in_app: [
      { body: "a", expiresAt: "{{ payload.ends }}", expiresIn: { amount: 1, unit: "weeks" } },
      { subject: "a", skip: { "==": [1, 1] }, redirect: { url: "/x", target: "_blank" }, data: {} },
    ],
    email: [
      { subject: "a", body: "", layoutId: null },
      { subject: "a", body: "", editorType: "block", rendererType: "html" },
      { subject: "a", body: "", preheader: "", senderName: "{{ tenant.name }}", replyTo: "a@example.com", text: "a" },
    ],
    sms: [{ body: "" }],
    push: [{ subject: "", body: "" }],
    chat: [{ body: "x", skip: {} }],
    delay: [
      { amount: 1, unit: "weeks" },
      { type: "timed", cron: "0 9 * * *" },
      { type: "dynamic", dynamicKey: "a" },
    ],
    digest: [
      {
        amount: 1,
        unit: "days",
        lookBackWindow: { amount: 5, unit: "minutes" },
        digestKey: "a",
        extendToSchedule: true,
      },
      { type: "timed", cron: "* * * * *" },
    ],
    throttle: [
      { amount: 1, unit: "hours", threshold: 100 },
      { type: "dynamic", dynamicKey: "payload.at" },
    ],
    custom: [{}, { custom: { a: 1 } }],
    experiment: [
      {
        variants: [{ id: "a" }, { id: "b", weight: 3 }],
        holdOutPercent: 10,
        goals: ["order.paid"],
        seed: "welcome/which",
      },
    ],
    wait: [
      { signal: { name: "paid", key: "{{ payload.order }}", lookBackMinutes: 5 }, amount: 1, unit: "hours" },
      { type: "timed", cron: "0 9 * * *", message: { stepId: "mail", event: "read" }, onTimeout: "end" },
    ],
    http_request: [
      { method: "GET", url: "https://example.com/{{ payload.id }}" },
      {
        method: "POST",
        url: "https://example.com",
        headers: [{ key: "authorization", value: "Bearer {{ env.TOKEN }}" }],
        body: '{ "id": {{ payload.id | json }} }',
        responseBodySchema: { type: "object", properties: { plan: { type: "string" } } },
        enforceSchemaValidation: true,
        continueOnFailure: true,
        sampleResponse: { status: 200, body: { plan: "pro" } },
      },
      { method: "PUT", url: "https://example.com", body: [{ key: "a", value: "b" }] },
    ],
    start_workflow: [
      { workflowId: "follow-up" },
      { workflowId: "follow-up", to: [{ subscriberId: "{{ payload.boss }}" }, { topicKey: "team" }], payload: "{}" },
    ],
    update_subscriber: [{}, { firstName: "{{ payload.name }}", data: '{ "plan": {{ payload.plan | json }} }' }],
    branch: [{ arms: [{ id: "pro", name: "Pro", condition: { "==": [{ var: "payload.plan" }, "pro"] } }] }],
  };
  const bad: Record<StepType, object[]> = {
    in_app: [
      {},
      { body: "a", avatar: "javascript:x" },
      { body: "a", extra: 1 },
      { body: "a", expiresIn: { amount: 1 } },
    ],
    email: [
      { body: "" },
      { subject: "" },
      { subject: "a", body: "", layoutId: "" },
      { subject: "a", body: "", cc: ["x"] },
    ],
    sms: [{}, { body: 1 }],
    push: [{ body: "a" }],
    chat: [{}],
    delay: [
      { amount: 0, unit: "days" },
      { type: "timed" },
      { amount: 1.5, unit: "days" },
      { amount: 1, unit: "years" },
    ],
    digest: [
      { type: "dynamic", dynamicKey: "a" },
      { type: "timed", cron: "" },
      { amount: 1, unit: "days", cron: "x" },
    ],
    throttle: [
      { amount: 1, unit: "seconds" },
      { amount: 1, unit: "days", threshold: 101 },
    ],
    experiment: [
      {},
      { variants: [{ id: "a" }] },
      { variants: [{ id: "a", weight: -1 }, { id: "b" }] },
      { variants: [{ id: "a" }, { id: "b" }], seed: 1 },
    ],
    wait: [
      { signal: { name: "paid" } },
      { signal: {}, amount: 1, unit: "hours" },
      { amount: 1, unit: "hours", message: { stepId: "mail", event: "eaten" } },
      { amount: 1, unit: "hours", onEvent: "explode" },
    ],
    http_request: [
      { url: "https://example.com" },
      { method: "TRACE", url: "https://example.com" },
      { method: "GET", url: "" },
      { method: "GET", url: "https://example.com", headers: { a: "b" } },
      { method: "GET", url: "https://example.com", sampleResponse: { status: 1 } },
    ],
    start_workflow: [{}, { workflowId: "a", to: [{}] }, { workflowId: "a", payload: {} }],
    update_subscriber: [{ subscriberId: "x" }, { data: {} }],
    branch: [{}, { arms: [] }, { arms: [{ id: "a" }] }, { arms: [{ id: "a", condition: {}, more: 1 }] }],
    custom: [{ custom: 1 }, { other: {} }],
  };
  for (const type of stepTypes) {
    test(type, () => {
      for (const values of good[type]) assert.equal(accepts(type, values), true, JSON.stringify(values));
      for (const values of bad[type]) assert.equal(accepts(type, values), false, JSON.stringify(values));
      const shown = Object.keys(stepDefinitions[type].ui?.properties ?? {}).sort();
      const { values } = readControlValues({ name: "n", type, controlValues: everything }, "c");
      assert.deepEqual(type === "custom" ? ["custom"] : shown, Object.keys(values).sort());
    });
  }
  const names =
    "skip subject body avatar primaryAction secondaryAction redirect disableOutputSanitization data editorType "
      .concat(
        "rendererType layoutId type amount unit extendToSchedule cron dynamicKey lookBackWindow digestKey threshold ",
      )
      .concat(
        "throttleKey custom expiresAt expiresIn preheader senderName replyTo cc bcc text arms variants holdOutPercent goals seed ",
      )
      .concat("signal message onEvent onTimeout method url headers responseBodySchema enforceSchemaValidation ")
      .concat(
        "continueOnFailure sampleResponse workflowId to payload firstName lastName email phone locale timezone unknown",
      );
  const everything = Object.fromEntries(names.split(" ").map((name) => [name, 1]));
});
