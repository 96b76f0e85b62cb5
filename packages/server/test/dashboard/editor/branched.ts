// A workflow with a branch, whose arms have a step each.
import type { Client } from "@tidings/testkit/client";
import { inApp } from "@tidings/testkit/verbs";
import type { Page } from "playwright-core";
import { save } from "./actions.ts";

const arms = [
  { id: "pro", name: "Pro plan", condition: { "==": [{ var: "payload.plan" }, "pro"] } },
  { id: "free", name: "Free plan", condition: { "==": [{ var: "payload.plan" }, "free"] } },
];
const branch = { name: "By plan", stepId: "by-plan", type: "branch" as const, controlValues: { arms } };

export const feed = (name: string, arm?: string) => ({
  ...inApp({ body: `Text of ${name}` }),
  name,
  stepId: name.toLowerCase(),
  ...(arm !== undefined && { arm }),
});

export const branchedSteps = [
  feed("First"),
  branch,
  feed("Thanks", "by-plan/pro"),
  feed("Upgrade", "by-plan/free"),
  feed("Last"),
];

/** The steps as they are saved, each with its arm. */
export async function savedSteps(client: Client, page: Page, workflowId: string): Promise<string> {
  await save(page);
  const { body } = await client("workflows.retrieve", { params: { workflowId } });
  return body.steps.map(({ stepId, arm }) => (arm === undefined ? stepId : `${arm}:${stepId}`)).join(" ");
}
