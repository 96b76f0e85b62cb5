// What other records say about a workflow: enough to name it, without its steps.
import { SeverityWord } from "../common.ts";
import { named, openObject, type Static, Type } from "../schema.ts";

export const WorkflowRef = named("WorkflowRef", {
  id: Type.String({ description: "Internal id" }),
  identifier: Type.String({ description: "The `workflowId` that triggers use" }),
  name: Type.String(),
  critical: Type.Boolean({ description: "Subscribers cannot switch it off" }),
  tags: Type.Optional(Type.Array(Type.String())),
  data: Type.Optional(openObject()),
  severity: SeverityWord,
});
export type WorkflowRef = Static<typeof WorkflowRef>;
