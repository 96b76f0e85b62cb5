import { defineStep } from "./kit.ts";

export default defineStep({
  icon: "play",
  hasOwnForm: true,
  fields: [
    { path: "workflowId", label: "Workflow", kind: "part" },
    { path: "to", label: "Recipients", kind: "part" },
    { path: "payload", label: "Payload", kind: "part" },
  ],
  startValues: { workflowId: "" },
  summary: ({ workflowId }) => String(workflowId || "no workflow yet"),
});
