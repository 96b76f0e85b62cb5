// How many messages a subscriber wants at most, by channel: lower than the attention budget of the environment, which
// applies as well. An addition of Tidings.
import { budgetedClasses, type WindowUnit, windowUnits } from "../../attention.ts";
import { type Channel, ChannelWord, channels } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, type Static, Type } from "../../schema.ts";
import { AttentionWindow, maxBudgetLimit } from "../operate/attention.ts";
import { subscriberPath } from "./subscribers.ts";

const OwnLimit = named("OwnLimit", {
  limit: Type.Integer({ minimum: 1, maximum: maxBudgetLimit }),
  unit: oneOf(windowUnits),
});
export type OwnLimit = { limit: number; unit: WindowUnit };

export const ChannelAttention = named("ChannelAttention", {
  channel: ChannelWord,
  offered: Type.Boolean({
    description: "false: the environment has no budget for the channel at present, so the own limit has no effect",
  }),
  environment: Type.Array(
    named("EnvironmentLimit", {
      classes: Type.Array(oneOf(budgetedClasses)),
      limit: Type.Integer(),
      window: AttentionWindow,
    }),
    { description: "The budgets of the environment for the channel" },
  ),
  own: Type.Union([OwnLimit, Type.Null()], { description: "null: no own limit" }),
  choices: Type.Array(OwnLimit, {
    description: "Lower limits that a form can offer, including the own one; others are possible",
  }),
});
export type ChannelAttention = Static<typeof ChannelAttention>;

const SubscriberAttention = named("SubscriberAttention", {
  channels: Type.Array(ChannelAttention, {
    description: "Channels with a budget of the environment or an own limit",
  }),
});

const limit = Type.Optional(Type.Union([OwnLimit, Type.Null()]));
const limits = { email: limit, sms: limit, in_app: limit, chat: limit, push: limit };

/** The same for the API and the inbox. A name that is not a channel is refused, as in preferences. */
export const AttentionPatch = named("AttentionPatch", {
  channels: named("OwnLimits", limits, {
    propertyNames: { enum: channels },
    description: "The given channels are merged into the stored ones; null removes a limit",
  }),
});
export type OwnLimitsPatch = Partial<Record<Channel, OwnLimit | null>>;

export const subscriberAttentionOperations = {
  "subscribers.retrieveAttention": operation({
    id: "subscribers.retrieveAttention",
    method: "GET",
    path: "/v2/subscribers/{subscriberId}/attention",
    summary: "Retrieve how many messages a subscriber wants at most",
    category: "configuration",
    params: subscriberPath,
    success: { status: 200, schema: SubscriberAttention },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.updateAttention": operation({
    id: "subscribers.updateAttention",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}/attention",
    summary: "Update how many messages a subscriber wants at most",
    description:
      "Only for channels with an attention budget of the environment, and only lower than it. The given channels are " +
      "merged into the stored ones. Applies to messages from now on.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: AttentionPatch,
    success: { status: 200, schema: SubscriberAttention },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};
