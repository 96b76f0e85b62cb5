// The form of an alert rule, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AlertRule } from "@tidings/contract";
import {
  describeParameters,
  fieldsOf,
  kindsInOrder,
  startParameters,
  toBody,
} from "../src/screens/alerts/rule-fields.ts";

const rule: AlertRule = {
  _id: "r",
  name: "Night shift",
  kind: "dead_letters",
  parameters: { moreThan: 5 },
  targets: [{ type: "webhook", url: "https://ops.example.com/", host: "ops.example.com", secret: "whsec_x" }],
  quiet: { timezone: "Europe/Berlin", days: [6, 7], from: "22:00", to: "07:00" },
  repeatAfterMinutes: null,
  active: true,
  openAlerts: 0,
  createdAt: "",
  updatedAt: "",
};

describe("the form of an alert rule", () => {
  test("an unchanged rule becomes the same body", () => {
    assert.deepEqual(toBody(fieldsOf(rule, "UTC")), {
      name: rule.name,
      parameters: rule.parameters,
      targets: [{ type: "webhook", url: "https://ops.example.com/", secret: "whsec_x" }],
      quiet: rule.quiet,
      repeatAfterMinutes: null,
    });
  });

  test("fields of another type of target are left out", () => {
    const fields = fieldsOf(rule, "UTC");
    const targets = [
      { type: "slack" as const, url: " https://hooks.example.com/x ", to: ["a@example.com"], secret: "whsec_x" },
      { type: "owners" as const, url: "https://ops.example.com/" },
      { type: "email" as const, to: ["a@example.com"], integrationIdentifier: "", url: "x" },
    ];
    assert.deepEqual(toBody({ ...fields, targets }).targets, [
      { type: "slack", url: "https://hooks.example.com/x" },
      { type: "owners" },
      { type: "email", to: ["a@example.com"] },
    ]);
  });

  test("text in a field of a number goes to the service, which refuses it", () => {
    const fields = fieldsOf(rule, "UTC");
    const body = toBody({ ...fields, parameters: { moreThan: "many", withinMinutes: "" }, repeat: "30" });
    assert.deepEqual([body.parameters, body.repeatAfterMinutes], [{ moreThan: "many" }, 30]);
  });

  test("a list of workflows, a number with a fraction and a switch", () => {
    const parameters = {
      ...startParameters("workflow_runaway"),
      workflowIds: "order, invoice",
      factor: "12.5",
      pause: "true",
    };
    const body = toBody({ ...fieldsOf(null, "UTC"), kind: "workflow_runaway", parameters });
    assert.deepEqual(body.parameters, {
      workflowIds: ["order", "invoice"],
      factor: 12.5,
      withinMinutes: 30,
      atLeast: 1000,
      atLeastWhenNew: 10000,
      pause: true,
    });
  });

  for (const kind of kindsInOrder) {
    test(`a new rule of the kind ${kind} starts with values that can be described`, () => {
      const fields = { ...fieldsOf(null, "UTC"), kind, parameters: startParameters(kind) };
      const { parameters } = toBody(fields);
      assert.equal(typeof describeParameters({ kind, parameters }), "string");
      assert.ok(Object.values(parameters).every((value) => typeof value !== "string"));
    });
  }
});
