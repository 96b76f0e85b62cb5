// Saved steps: saving, finding, renaming and deleting, and everything that is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateStep } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { invite, signInOwner } from "../members/browsers.ts";

const service = await startTestService();
const { client, production } = service;
const owner = await signInOwner(service);

const step: TemplateStep = {
  name: "Welcome mail",
  stepId: "welcome",
  type: "email",
  controlValues: { subject: "Hello {{subscriber.firstName}}", body: "<p>Hi</p>", editorType: "html" },
  deadlineSeconds: 600,
};
const save = async (name: string) => (await client("stepTemplates.create", { body: { name, step } })).body;
const names = async () => (await client("stepTemplates.list", {})).body.data.map(({ name }) => name);

test("a step is saved, listed by name, read, renamed and deleted, and the audit log says so", async () => {
  const saved = await save(" Welcome ");
  const { id, createdAt, updatedAt, step: stored, ...head } = saved;
  assert.deepEqual(head, { name: "Welcome", type: "email", createdBy: "API key of development" });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(stored, { ...step, active: true, shouldStopOnFail: false });
  await save("another");
  assert.deepEqual(await names(), ["another", "Welcome"]);
  assert.equal("step" in (await client("stepTemplates.list", {})).body.data[0]!, false, "without the content");
  const params = { templateId: id };
  assert.deepEqual((await client("stepTemplates.retrieve", { params })).body, saved);
  // Other capitals are the same name, and belong to the same template.
  const renamed = (await client("stepTemplates.update", { params, body: { name: "WELCOME" } })).body;
  assert.deepEqual({ ...renamed, updatedAt }, { ...saved, name: "WELCOME" });
  assert.equal((await client("stepTemplates.delete", { params })).status, 204);
  errorOf(await client.raw("stepTemplates.delete", { params }), "STEP_TEMPLATE_NOT_FOUND");
  assert.deepEqual(await names(), ["another"]);
  const { body } = await owner.call("auditLog.list", { query: { limit: 100 } });
  const entries = (body as { data: { operation: string }[] }).data.map(({ operation }) => operation);
  assert.deepEqual(entries.filter((one) => one.startsWith("stepTemplates.")).toReversed(), [
    "stepTemplates.create",
    "stepTemplates.create",
    "stepTemplates.update",
    "stepTemplates.delete",
  ]);
});

test("bad templates are refused with the field, and change nothing", async () => {
  const before = await names();
  const faults = (body: object) => faultsOf(client, "stepTemplates.create", { body } as never);
  assert.ok((await faults({})).name);
  assert.ok((await faults({ name: "  ", step })).name);
  assert.ok((await faults({ name: "x".repeat(129), step })).name);
  assert.ok((await faults({ name: "New", step: { ...step, type: "pigeon" } }))["step.type"]);
  const wrong = await faults({ name: "New", step: { ...step, type: "delay", controlValues: { amount: "many" } } });
  assert.ok(
    Object.keys(wrong).some((field) => field.startsWith("step.controlValues")),
    JSON.stringify(wrong),
  );
  const child = { on: "payload", field: "plan", operator: "EQUAL", value: "{{ broken" };
  const filtered = await faults({ name: "New", step: { ...step, filters: [{ children: [child] }] } });
  assert.ok(filtered["step.filters.0.children.0.value"]);
  errorOf(await client.raw("stepTemplates.create", { body: { name: "ANOTHER", step } }), "STEP_TEMPLATE_NAME_TAKEN");
  const { id } = await save("Third");
  const params = { templateId: id };
  errorOf(await client.raw("stepTemplates.update", { params, body: { name: "Another" } }), "STEP_TEMPLATE_NAME_TAKEN");
  for (const other of [params, { templateId: "nothing" }]) {
    errorOf(await production.raw("stepTemplates.retrieve", { params: other }), "STEP_TEMPLATE_NOT_FOUND");
    const body = { name: "Mine" };
    errorOf(await production.raw("stepTemplates.update", { params: other, body }), "STEP_TEMPLATE_NOT_FOUND");
    errorOf(await production.raw("stepTemplates.delete", { params: other }), "STEP_TEMPLATE_NOT_FOUND");
  }
  const viewer = await invite(service, owner, "viewer");
  assert.equal((await viewer.call("stepTemplates.list", {})).status, 200);
  assert.equal((await viewer.call("stepTemplates.create", { body: { name: "Mine", step } })).status, 403);
  await client("stepTemplates.delete", { params });
  assert.deepEqual(await names(), before);
});

test("an environment has up to 200, even if the last two come together", async () => {
  const { length } = await names();
  await Promise.all(Array.from({ length: 199 - length }, (_, index) => save(`Many ${index}`)));
  const both = await Promise.all(
    ["Last", "One too many"].map((name) => client.raw("stepTemplates.create", { body: { name, step } })),
  );
  const refused = both.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 1);
  assert.match(errorOf(refused[0]!, "STEP_TEMPLATE_LIMIT").message, /has 200 step templates, the maximum/);
  assert.equal((await names()).length, 200);
});
