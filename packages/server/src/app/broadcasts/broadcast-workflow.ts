// The workflow `broadcast`: what people choose in their preferences for broadcasts that are written in place. Its steps
// stand for the channels; a broadcast brings its own steps.
import { broadcastWorkflowId, type WorkflowFile } from "@tidings/contract";

const subject = "{{ payload.subject }}";
const body = "{{ payload.body }}";

export const broadcastWorkflow: WorkflowFile = {
  workflowId: broadcastWorkflowId,
  name: "News and offers",
  description: "Preferences for broadcasts whose steps are written in place. Each broadcast brings its own steps.",
  tags: ["broadcast"],
  messageClass: "promotional",
  isCommercial: true,
  steps: [
    { stepId: "in-app", name: "In-app", type: "in_app", controlValues: { subject, body } },
    { stepId: "email", name: "Email", type: "email", controlValues: { subject, body } },
    { stepId: "sms", name: "SMS", type: "sms", controlValues: { body } },
    { stepId: "push", name: "Push", type: "push", controlValues: { subject, body } },
    { stepId: "chat", name: "Chat", type: "chat", controlValues: { body } },
  ],
};
