// Words about the attention of readers: what a workflow's messages are to them, and which of them go first.
import { oneOf, Type } from "./schema.ts";

export const messageClasses = ["critical", "transactional", "promotional"] as const;
export type MessageClass = (typeof messageClasses)[number];
export const MessageClassWord = oneOf(messageClasses, { title: "MessageClass" });

export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];
export const PriorityWord = oneOf(priorities, { title: "Priority" });

/** What an attention budget counts; critical messages never count. */
export const budgetedClasses = ["transactional", "promotional"] as const;
export type BudgetedClass = (typeof budgetedClasses)[number];

export const windowUnits = ["hour", "day", "week"] as const;
export type WindowUnit = (typeof windowUnits)[number];

/** What happens to a message that is over the budget. */
export const overflowWords = ["roll_up", "delay", "drop"] as const;
export type Overflow = (typeof overflowWords)[number];

/** The identifier of the workflow that sends roll-ups. */
export const rollUpWorkflowId = "roll-up";

/** The settings of a workflow. */
export const attentionSettings = {
  messageClass: Type.Optional(
    oneOf(messageClasses, {
      default: "transactional",
      description:
        "What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go " +
        "before promotional ones. A workflow that subscribers cannot switch off is critical in any case",
    }),
  ),
  priority: Type.Optional(
    oneOf(priorities, {
      default: "normal",
      description: "Which messages go first when many wait. A critical workflow is always high",
    }),
  ),
};
