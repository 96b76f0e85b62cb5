// Steps to start with, as most workflows have them. Pure.
import type { StepType } from "@tidings/contract";
import { type Draft, type DraftStep, newStep, type Values } from "./model.ts";
import type { words } from "./words.ts";

type Part = { type: StepType; values: (before: readonly DraftStep[]) => Values };
export type Starter = { id: keyof typeof words.starters; parts: readonly Part[] };

const subject = "Hello {{ subscriber.firstName }}";
const message: Part = { type: "in_app", values: () => ({ subject, body: "{{ payload.message }}" }) };
const mail: Part = {
  type: "email",
  values: () => ({ subject, body: "<p>{{ payload.message }}</p>", editorType: "html" }),
};
/** Only for those who have not read the in-app message before it. */
const ifUnread = (part: Part): Part => ({
  ...part,
  values: (before) => {
    const inApp = before.findLast(({ type }) => type === "in_app");
    const skip = inApp && { "!!": [{ var: `steps.${inApp.stepId}.read` }] };
    return { ...part.values(before), ...(skip && { skip }) };
  },
});
const daily: Part = { type: "digest", values: () => ({ type: "timed", cron: "0 9 * * *" }) };
const hour: Part = { type: "delay", values: () => ({ type: "regular", amount: 1, unit: "hours" }) };

export const starters: readonly Starter[] = [
  { id: "message", parts: [message] },
  { id: "unread", parts: [message, hour, ifUnread(mail)] },
  { id: "daily", parts: [daily, mail] },
];

/** No event brings the text of a broadcast: it is written here. */
const ownMessage: Part = { type: "in_app", values: () => ({ subject }) };
const ownMail: Part = { type: "email", values: () => ({ subject }) };

/** For a broadcast, which collects no events either. */
export const broadcastStarters: readonly Starter[] = [
  { id: "message", parts: [ownMessage] },
  { id: "mail", parts: [ownMail] },
  { id: "unread", parts: [ownMessage, hour, ifUnread(ownMail)] },
];

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
