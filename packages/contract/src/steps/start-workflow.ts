import { closed, controls, defineStep, plainText, result, show, skip, skipEditor, text } from "./kit.ts";

/** Workflows that start each other, counted from the event that the product sent. */
export const maxWorkflowDepth = 8;

/** One recipient; its value may contain variables. */
const recipient = (member: "subscriberId" | "topicKey") => ({
  type: "object",
  additionalProperties: false,
  properties: { [member]: { ...text, maxLength: 512 } },
  required: [member],
});

export default defineStep({
  label: "Start workflow",
  kind: "custom",
  position: 14,
  controls: controls(
    {
      skip,
      workflowId: { ...text, maxLength: 128 },
      // Without recipients: the subscriber of this run.
      to: { type: "array", maxItems: 20, items: { anyOf: [recipient("subscriberId"), recipient("topicKey")] } },
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
