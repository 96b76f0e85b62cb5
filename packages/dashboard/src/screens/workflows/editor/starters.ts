// Steps to start with, as most workflows have them. Pure.
import type { StepType } from "@tidings/contract";
import { type Draft, type DraftStep, newStep, type Values } from "./model.ts";
import type { words } from "./words.ts";

type Part = { type: StepType; values: (before: readonly DraftStep[]) => Values };
export type Starter = { id: keyof typeof words.starters; parts: readonly Part[] };

const message: Part = {
  type: "in_app",
  values: () => ({ subject: "Hello {{ subscriber.firstName }}", body: "{{ payload.message }}" }),
};
const mail: Part = {
  type: "email",
  values: () => ({
    subject: "Hello {{ subscriber.firstName }}",
    body: "<p>{{ payload.message }}</p>",
    editorType: "html",
  }),
};
/** Only for those who have not read the in-app message before it. */
const mailIfUnread: Part = {
  ...mail,
  values: (before) => {
    const inApp = before.findLast(({ type }) => type === "in_app");
    const skip = inApp && { "!!": [{ var: `steps.${inApp.stepId}.read` }] };
    return { ...mail.values(before), ...(skip && { skip }) };
  },
};
const daily: Part = { type: "digest", values: () => ({ type: "timed", cron: "0 9 * * *" }) };
const hour: Part = { type: "delay", values: () => ({ type: "regular", amount: 1, unit: "hours" }) };

export const starters: readonly Starter[] = [
  { id: "message", parts: [message] },
  { id: "unread", parts: [message, hour, mailIfUnread] },
  { id: "daily", parts: [daily, mail] },
];

/** For a broadcast, which collects no events. */
export const broadcastStarters: readonly Starter[] = starters.slice(0, 2);

/** The draft with the starter's steps at the end, and the first of them. */
export function withStarter(draft: Draft, { parts }: Starter): { draft: Draft; first: DraftStep } {
  const added: DraftStep[] = [];
  for (const { type, values } of parts) {
    const before = [...draft.steps, ...added];
    const step = newStep(type, before);
    added.push({ ...step, controlValues: { ...step.controlValues, ...values(before) } });
  }
  return { draft: { ...draft, steps: [...draft.steps, ...added] }, first: added[0]! };
}
