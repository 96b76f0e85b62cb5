// The words of the attention budget.
import type { AttentionBudget, Channel } from "@tidings/contract";

const number = (value: number): string => value.toLocaleString();

/** One message of a channel, and several. */
const messageNames: Record<Channel, readonly [one: string, many: string]> = {
  in_app: ["in-app message", "in-app messages"],
  email: ["email", "emails"],
  sms: ["SMS message", "SMS messages"],
  chat: ["chat message", "chat messages"],
  push: ["push message", "push messages"],
};

const messagesOf = (channel: Channel, count: number): string => messageNames[channel][count === 1 ? 0 : 1];

const oneOf = { hour: "an hour", day: "a day", week: "a week" } as const;

const windowText = ({ amount, unit }: AttentionBudget["window"]): string =>
  amount === 1 ? oneOf[unit] : `in ${number(amount)} ${unit}s`;

function overflowText({ overflow, rollUpAt }: AttentionBudget): string {
  if (overflow === "delay") return "the rest waits for a free place";
  if (overflow === "drop") return "the rest is not sent";
  return rollUpAt ? `the rest is rolled up at ${rollUpAt}` : "the rest is rolled up";
}

/** "At most 3 promotional emails a day; the rest is rolled up at 18:00" */
export function budgetSentence(budget: AttentionBudget): string {
  const { channel, classes = [], limit, window } = budget;
  const only = classes.length === 1 ? `${classes[0]} ` : "";
  return `At most ${number(limit)} ${only}${messagesOf(channel, limit)} ${windowText(window)}; ${overflowText(budget)}`;
}

export const words = {
  title: "Attention",
  lead: "How many messages a person gets from all workflows together, and what happens to the rest.",
  save: "Save budgets",
  saved: "Budgets saved",
  saveText: "They apply to messages from now on. What is held already waits for its time.",
  restored: "These are your unsaved changes from an earlier visit.",
  discard: "Discard them",

  budgets: "Budgets",
  order: "All of them apply. The first one that is full decides what happens to a message.",
  never: "Critical workflows never count and are never held.",
  none: "No attention budget",
  noneText:
    "Each workflow looks fine alone; together they can be too much. A budget limits how many messages a person gets through a channel. What is over it is rolled up into one message, delayed, or dropped.",
  add: "Add budget",
  edit: (sentence: string) => `Edit: ${sentence}`,
  remove: (sentence: string) => `Remove: ${sentence}`,
  up: (sentence: string) => `Move up: ${sentence}`,
  down: (sentence: string) => `Move down: ${sentence}`,
  template: "Roll-up template",
  templateText: "Roll-ups are sent by the workflow “Roll-up”. Change its steps as you like.",
  templateLater: "The first budget that rolls up creates the workflow “Roll-up”, whose steps you can change.",

  dialog: {
    addTitle: "Add budget",
    editTitle: "Edit budget",
    submit: "Apply",
    channel: "Channel",
    classes: "Counts",
    classChoices: {
      "transactional,promotional": "Transactional and promotional",
      promotional: "Promotional only",
      transactional: "Transactional only",
    },
    classesHint: "The class is a setting of each workflow. Transactional messages go before promotional ones.",
    limit: "At most",
    amount: "In",
    unit: "Unit",
    units: { hour: "hours", day: "days", week: "weeks" },
    windowHint: "A rolling window for each person, of at most 90 days.",
    overflow: "What is over it",
    overflows: {
      roll_up: ["Roll up", "Collected into one message with all items. Nothing is lost."],
      delay: ["Delay", "Each message waits until the window has a free place."],
      drop: ["Drop", "Not sent. The activity says why."],
    },
    rollUpAt: "Send roll-ups at",
    rollUpAtHint: "In the person's time zone. Empty: as soon as the window has a free place.",
  },

  forecast: {
    title: "Forecast",
    lead: "These budgets, saved or not, with the messages of the last 30 days.",
    none: "No messages in the last 30 days",
    noneText: "Once messages are sent, you see here what a budget would do to them.",
    partial: "There were too many messages to count them all: the figures cover a part of the people.",
    parts: { sent: "Sent at once", rolledUp: "Rolled up", delayed: "Delayed", dropped: "Dropped" },
    people: (count: number) => (count === 1 ? "1 person is affected." : `${number(count)} people are affected.`),
    workflows: "Most affected workflows",
    workflow: "Workflow",
    messages: "Messages",
    held: "Held",
    count: number,
  },

  /** Messages of the service name members of the request: `budgets.1.window` is the window of the second budget. */
  fault: (message: string) =>
    message
      .replaceAll(/\bbudgets\.\d+\.(\w+)/g, "$1")
      .replaceAll(/\bbudgets\.(\d+)/g, (_, index) => `budget ${Number(index) + 1}`)
      .replace(/^./, (first) => first.toUpperCase()),
} as const;
