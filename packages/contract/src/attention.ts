// Words about the attention of readers: what a workflow's messages are to them, and which of them go first.
import { oneOf } from "./schema.ts";

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
