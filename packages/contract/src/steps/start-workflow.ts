import { closed, controls, defineStep, plainText, result, show, skip, skipEditor, text } from "./kit.ts";

/** Workflows that start each other, counted from the event that the product sent. */
export const maxWorkflowDepth = 8;

/** One of the members, whose value may contain variables. */
const recipient = {
  type: "object",
  additionalProperties: false,
  properties: { subscriberId: { ...plainText, maxLength: 512 }, topicKey: { ...plainText, maxLength: 512 } },
  anyOf: [{ required: ["subscriberId"] }, { required: ["topicKey"] }],
};

export default defineStep({
  label: "Start workflow",
  kind: "custom",
  position: 14,
  controls: controls(
    {
      skip,
      workflowId: { ...text, maxLength: 128 },
      // Without recipients: the subscriber of this run.
      to: { type: "array", maxItems: 20, items: recipient },
      // JSON text with variables; without it, the payload of this run.
      payload: { ...plainText, maxLength: 65_536 },
    },
    { required: ["workflowId"] },
  ),
  ui: {
    group: "START_WORKFLOW",
    properties: {
      workflowId: show("START_WORKFLOW_ID"),
      to: show("START_WORKFLOW_TO"),
      payload: show("START_WORKFLOW_PAYLOAD"),
      ...skipEditor,
    },
  },
  results: () => closed({ transactionId: result.text }),
});
