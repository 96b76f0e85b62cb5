// The attention budget of an environment: how many messages a person gets through a channel in a window of time, and
// what happens to those that are over it. An addition of Tidings.
import { budgetedClasses, overflowWords, windowUnits } from "../../attention.ts";
import { ChannelWord, channels } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

export const maxBudgets = 20;
/** A person with more places has no budget to speak of, and every message would rewrite them all. */
export const maxBudgetLimit = 100;
export const maxWindowDays = 90;
const maxForecastDays = 30;

export const AttentionWindow = named("AttentionWindow", {
  amount: Type.Integer({ minimum: 1, maximum: maxWindowDays * 24, description: "At most 90 days in all" }),
  unit: oneOf(windowUnits),
});
export type AttentionWindow = Static<typeof AttentionWindow>;

export const AttentionBudget = named("AttentionBudget", {
  channel: oneOf(channels),
  classes: Type.Optional(
    Type.Array(oneOf(budgetedClasses), {
      minItems: 1,
      uniqueItems: true,
      description: "The classes of workflows that it counts; default: both. Critical workflows never count",
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: maxBudgetLimit, description: "Messages for one person in a window" }),
  window: AttentionWindow,
  overflow: Type.Optional(
    oneOf(overflowWords, {
      default: "roll_up",
      description:
        "What happens to a message that is over the budget. `roll_up`: it becomes an item of one message, sent when " +
        "a place is free. `delay`: it waits for a place. `drop`: it is not sent",
    }),
  ),
  rollUpAt: Type.Optional(
    nullableString({
      pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
      description: "Roll-ups wait for this time of day of the person, such as `18:00`; null: for the next free place",
    }),
  ),
});
export type AttentionBudget = Static<typeof AttentionBudget>;

export const AttentionIn = named("AttentionIn", {
  budgets: Type.Array(AttentionBudget, {
    maxItems: maxBudgets,
    description: "All of them apply. The first one that is full decides what happens to a message",
  }),
});
export type AttentionIn = Static<typeof AttentionIn>;

const Attention = named("Attention", {
  budgets: Type.Array(AttentionBudget),
  rollUpWorkflowId: nullableString({
    description: "The workflow with the template of roll-ups, which is created with the first budget that rolls up",
  }),
});

const ForecastChannel = named("ForecastChannel", {
  channel: ChannelWord,
  messages: Type.Integer({ description: "Sent in the time that the forecast covers" }),
  sent: Type.Integer({ description: "Would have been sent at once" }),
  rolledUp: Type.Integer({ description: "Would have become items of roll-ups" }),
  rollUps: Type.Integer({ description: "The roll-ups they would have become" }),
  delayed: Type.Integer({ description: "Would have waited for a place" }),
  dropped: Type.Integer({ description: "Would not have been sent" }),
  people: Type.Integer({ description: "People of whom at least one message would have been held" }),
});
export type ForecastChannel = Static<typeof ForecastChannel>;

const ForecastWorkflow = named("ForecastWorkflow", {
  workflowId: Type.String(),
  name: Type.String(),
  messages: Type.Integer(),
  held: Type.Integer({ description: "Rolled up, delayed or dropped" }),
});

const AttentionForecast = named("AttentionForecast", {
  from: isoTime("The first moment that it covers"),
  to: isoTime("The last moment that it covers"),
  isPartial: Type.Boolean({
    description: "true: there were too many messages, and only those of the first people by id are counted",
  }),
  channels: Type.Array(ForecastChannel),
  workflows: Type.Array(ForecastWorkflow, { description: "The most affected first, at most 20" }),
  sentences: Type.Array(Type.String({ description: "The same in words" })),
});
export type AttentionForecast = Static<typeof AttentionForecast>;

export const attentionOperations = {
  "attention.retrieve": operation({
    id: "attention.retrieve",
    method: "GET",
    path: "/v2/attention",
    summary: "Retrieve the attention budget of the environment",
    category: "configuration",
    success: { status: 200, schema: Attention },
    errors: [],
  }),
  "attention.update": operation({
    id: "attention.update",
    method: "PUT",
    path: "/v2/attention",
    summary: "Replace the attention budget of the environment",
    description:
      "Applies to messages from now on; what is held waits for its time. The first budget that rolls up creates the " +
      "workflow `roll-up`, whose steps are the template of roll-ups.",
    category: "configuration",
    audit: "everyone",
    body: AttentionIn,
    success: { status: 200, schema: Attention },
    errors: [],
  }),
  "attention.forecast": operation({
    id: "attention.forecast",
    method: "POST",
    isReadOnly: true,
    path: "/v2/attention/forecast",
    summary: "Show what a budget would have done",
    description:
      "Replays the messages of the last days with these budgets, message by message and person by person. Nothing is " +
      "stored or sent.",
    category: "configuration",
    body: named("AttentionForecastIn", {
      budgets: AttentionIn.properties.budgets,
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxForecastDays, default: maxForecastDays })),
    }),
    success: { status: 200, schema: AttentionForecast },
    errors: [],
  }),
};
