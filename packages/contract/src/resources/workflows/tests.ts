// Tests: a workflow that is not saved, run for one person.
import { operation } from "../../operation.ts";
import { named, openObject, type Static, Type } from "../../schema.ts";
import { RecipientSubscriber } from "../events/events.ts";
import { WorkflowDraft } from "./workflows.ts";

const { workflowId: _identifier, ...content } = WorkflowDraft.properties;

export const WorkflowTestIn = named("WorkflowTestIn", {
  workflow: named("TestedWorkflow", content, {
    description: "The definition to run, saved or not. It always runs as if it were active.",
  }),
  to: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), RecipientSubscriber], {
    description: "The id of a subscriber who exists, or a subscriber, who is created or updated as in a trigger",
  }),
  payload: Type.Optional(openObject({ description: "At most 512 KB of JSON" })),
});
export type WorkflowTestIn = Static<typeof WorkflowTestIn>;

export const WorkflowTest = named("WorkflowTest", {
  transactionId: Type.String({ description: "The event, whose outcome `explain.retrieve` returns" }),
  subscriberId: Type.String(),
});
export type WorkflowTest = Static<typeof WorkflowTest>;

export const workflowTestOperations = {
  "workflows.test": operation({
    id: "workflows.test",
    method: "POST",
    path: "/v2/workflows/{workflowId}/test",
    summary: "Send a test of an unsaved workflow",
    description:
      "Runs the given definition for one person: messages are really sent, through the integrations of the " +
      "environment. Delays, digests and quiet hours end at once. The saved workflow and its versions do not change. " +
      "The event is marked with `isTest`. See docs/testing.md.",
    category: "trigger",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    body: WorkflowTestIn,
    success: { status: 201, schema: WorkflowTest },
    errors: ["WORKFLOW_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "WORKFLOW_IN_CODE", "PAYLOAD_VALIDATION_ERROR"],
  }),
};
