// The TypeScript types of payloads, from the payload schemas of workflows.
import type { WorkflowFile } from "@tidings/contract";
import { commentText, typeText } from "./type-text.ts";

export function writeTypes(workflows: readonly WorkflowFile[]): string {
  const members = workflows.map(({ workflowId, name, payloadSchema }) => {
    const type = payloadSchema
      ? typeText(payloadSchema, { root: payloadSchema }, { indent: "  ", depth: 0 })
      : "Record<string, unknown>";
    return `${commentText(name, "  ")}  ${JSON.stringify(workflowId)}: ${type};`;
  });
  return [
    "// Written by `tidings types` from the payload schemas of the workflows. Changes here are lost.",
    "",
    "/** The payload of an event, by the workflow that it triggers. */",
    members.length === 0
      ? "export type Payloads = Record<never, never>;"
      : `export type Payloads = {\n${members.join("\n")}\n};`,
    "",
    "export type WorkflowId = keyof Payloads;",
    "",
  ].join("\n");
}
