// Who decided the outcome of a step, and where that can be changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DecidedBy, deciderKinds, type StepType } from "@tidings/contract";
import { findDecision } from "../src/outcomes/deciders.ts";

test("a decision is found by code and decider, and leads to where it can be changed", () => {
  const decide = (code: string, decidedBy: DecidedBy, type: StepType = "email") => {
    const step = { stepId: "mail", name: "Mail", type, outcome: "skipped", reason: "", messages: [] } as const;
    const of = { workflowId: "order", subscriberId: "ada", subscriber: "Ada" };
    const { who, where, link } = findDecision({ ...step, messages: [], code, decidedBy }, of)!;
    return [who, where, link.to, JSON.stringify({ ...(link.params as object), ...(link.search as object) })].join(
      " | ",
    );
  };
  const subscriber = "/subscribers/$subscriberId";
  const workflow = "/workflows/$workflowId";
  const id = "ada";
  assert.equal(
    decide("filtered_by_subscriber_global", { kind: "preference", id }),
    `Ada turned this off | Open their preferences | ${subscriber} | {"subscriberId":"ada","tab":"preferences"}`,
  );
  assert.equal(
    decide("no_device_tokens", { kind: "subscriber", id }, "push"),
    `Ada has no device | Open their devices | ${subscriber} | {"subscriberId":"ada","tab":"channels"}`,
  );
  assert.equal(
    decide("recipient_refused", { kind: "subscriber", id }),
    `The provider rejected this address | Change the address | ${subscriber} | {"subscriberId":"ada","tab":"profile"}`,
  );
  assert.equal(
    decide("waiting_for_provider", { kind: "integration", id: "i1", name: "Shop SMTP" }),
    'Decided by Shop SMTP | Open Shop SMTP | /integrations/$integrationId | {"integrationId":"i1"}',
  );
  assert.equal(
    decide("throttled", { kind: "throttle", id: "often", name: "Often" }),
    `Decided by “Often” | Open the step | ${workflow} | {"workflowId":"order","step":"often"}`,
  );
  assert.equal(
    decide("attention_dropped", { kind: "budget" }),
    "Held by the attention budget | Open the budgets | /attention | {}",
  );
  // Every kind of the contract has its words.
  for (const kind of deciderKinds) assert.ok(decide("", { kind }).length > 0, kind);
});
