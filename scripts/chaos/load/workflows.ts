// The workflows of the load, the same in every environment, and what each of them promises.
import type { StepIn, WorkflowIn } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import type { Person, Workflow } from "../../auditor/evidence.ts";

/** What one person may get of `limited` in an hour, the shortest window there is that a long run fills. */
export const budget = { limit: 4, windowSeconds: 3_600 };

const text = "{{ payload.text }}";
const collectedTexts =
  "{% for event in steps.collect.events %}{{ event.payload.text }}{% unless forloop.last %} {% endunless %}{% endfor %}";

const inApp = (body: string, more: object = {}): StepIn => ({
  name: "In-app",
  stepId: "show",
  type: "in_app",
  controlValues: { body, ...more },
});

const wait = (stepId: string, type: "delay" | "digest" | "wait", seconds: number, more: object = {}): StepIn => ({
  ...{ name: stepId, stepId, type },
  controlValues: { amount: seconds, unit: "seconds", ...more },
});

const mail: StepIn = {
  ...{ name: "Mail", stepId: "mail", type: "email" },
  controlValues: { subject: text, body: `<p>${text}</p>` },
};

const sms: StepIn = { name: "Text", stepId: "text", type: "sms", controlValues: { body: text } };

type Described = Workflow & { steps: StepIn[]; settings?: Partial<WorkflowIn> };

const delaySeconds = 4;
const digestSeconds = 4;
const waitSeconds = 6;
export const signalName = "approved";

export const workflows: Described[] = [
  { workflowId: "now", promise: { kind: "in_app" }, steps: [inApp(text)] },
  {
    workflowId: "later",
    promise: { kind: "delay", seconds: delaySeconds },
    steps: [wait("pause", "delay", delaySeconds), inApp(text)],
  },
  {
    workflowId: "collected",
    promise: { kind: "digest", seconds: digestSeconds },
    steps: [wait("collect", "digest", digestSeconds), inApp(collectedTexts)],
  },
  {
    workflowId: "awaited",
    promise: { kind: "wait", signal: signalName, timeoutSeconds: waitSeconds },
    steps: [
      // Without a look back, the number of runs that a signal says it reached is exact.
      wait("answered", "wait", waitSeconds, { type: "regular", signal: { name: signalName, key: text } }),
      inApp(`${text} {{ steps.answered.reason }}`),
    ],
  },
  {
    workflowId: "mailed",
    promise: { kind: "email" },
    steps: [mail],
  },
  {
    workflowId: "mailed-later",
    promise: { kind: "email", afterSeconds: delaySeconds },
    steps: [wait("pause", "delay", delaySeconds), mail],
  },
  // Critical, so that the budget of the channel does not count it.
  { workflowId: "texted", promise: { kind: "sms" }, steps: [sms], settings: { messageClass: "critical" } },
  {
    workflowId: "texted-later",
    promise: { kind: "sms", afterSeconds: delaySeconds },
    steps: [wait("pause", "delay", delaySeconds), sms],
    settings: { messageClass: "critical" },
  },
  { workflowId: "limited", promise: { kind: "budget", ...budget, overflow: "drop" }, steps: [sms] },
  {
    workflowId: "unmet",
    promise: { kind: "silent", reason: "condition" },
    steps: [inApp(text, { skip: { "!=": [{ var: "payload.text" }, ""] } })],
  },
  { workflowId: "unwanted", promise: { kind: "silent", reason: "preference" }, steps: [inApp(text)] },
  {
    workflowId: "switched-off",
    promise: { kind: "silent", reason: "workflow_off" },
    steps: [inApp(text)],
    settings: { active: false },
  },
];

/** What is over the budget is dropped in one environment and rolled up in the other. */
export async function createWorkflows(
  { client, people }: { client: Client; people: Person[] },
  overflow: "drop" | "roll_up",
): Promise<void> {
  for (const { workflowId, steps, settings } of workflows) {
    await client("workflows.create", { body: { name: workflowId, workflowId, steps, active: true, ...settings } });
  }
  const { amount, unit } = { amount: budget.windowSeconds / 3_600, unit: "hour" as const };
  await client("attention.update", {
    body: { budgets: [{ channel: "sms", limit: budget.limit, window: { amount, unit }, overflow }] },
  });
  if (overflow === "roll_up") await listItemsInRollUps(client);
  const subscriberIds = people.map(({ subscriberId }) => subscriberId);
  await client("preferences.updateMany", {
    body: { subscriberIds, workflowId: "unwanted", channels: { in_app: false } },
  });
}

/** The first budget that rolls up has created the workflow. Its SMS would name the workflow alone. */
async function listItemsInRollUps(client: Client): Promise<void> {
  const params = { workflowId: "roll-up" };
  const { name, steps, ...found } = (await client("workflows.retrieve", { params })).body;
  const body = "{% for item in payload.items %}{{ item.text }} {% endfor %}";
  const changed = steps.map((step) =>
    step.type === "sms" ? { ...step, controlValues: { ...step.controlValues, body } } : step,
  );
  await client("workflows.update", { params, body: { ...found, name, steps: changed } as never });
}
