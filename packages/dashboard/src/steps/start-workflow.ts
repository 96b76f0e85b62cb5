import { defineStep } from "./kit.ts";

export default defineStep({
  icon: "play",
  fields: [
    { path: "workflowId", label: "Workflow", hint: "Its identifier", kind: "plain" },
    { path: "to", label: "Recipients", hint: "Without any: the subscriber of this run", kind: "json" },
    { path: "payload", label: "Payload", hint: "JSON with variables; without it: this payload", kind: "text" },
  ],
  startValues: { workflowId: "" },
  summary: ({ workflowId }) => String(workflowId || "no workflow yet"),
});
