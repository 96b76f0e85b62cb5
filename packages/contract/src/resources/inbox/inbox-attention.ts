// How many messages the subscriber whose token a request has wants at most.
import { operation } from "../../operation.ts";
import { named, Type } from "../../schema.ts";
import { AttentionPatch, ChannelAttention } from "../subscribers/subscriber-attention.ts";
import { inboxErrors } from "./inbox-notifications.ts";

const success = {
  status: 200,
  schema: named("InboxAttention", { data: Type.Array(ChannelAttention) }),
} as const;

export const inboxAttentionOperations = {
  "inbox.retrieveAttention": operation({
    id: "inbox.retrieveAttention",
    method: "GET",
    path: "/v1/inbox/attention",
    summary: "Retrieve how many messages the subscriber wants at most",
    description: "Channels with an attention budget of the environment or an own limit.",
    category: "inbox",
    access: "inbox",
    success,
    errors: inboxErrors,
  }),
  "inbox.updateAttention": operation({
    id: "inbox.updateAttention",
    method: "PATCH",
    path: "/v1/inbox/attention",
    summary: "Update how many messages the subscriber wants at most",
    description: "The given channels are merged into the stored ones; null removes a limit.",
    category: "inbox",
    access: "inbox",
    body: AttentionPatch,
    success,
    errors: inboxErrors,
  }),
};
