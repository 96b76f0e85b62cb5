// Broadcasts: a draft, its way to the people of its audience, and what can be done while it runs. Checks, tests and
// previews: broadcast-checks.ts; what it did: broadcast-results.ts.
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, Type } from "../../schema.ts";
import {
  Broadcast,
  BroadcastAudience,
  BroadcastContent,
  BroadcastPace,
  BroadcastStatusWord,
  BroadcastTime,
} from "./broadcast.ts";

export const broadcastPath = Type.Object({ broadcastId: Type.String() });

const name = Type.String({ minLength: 1, maxLength: 128 });
const fields = {
  content: Type.Optional(BroadcastContent),
  audience: Type.Optional(BroadcastAudience),
  time: Type.Optional(BroadcastTime),
  pace: Type.Optional(BroadcastPace),
  expiresAt: Type.Optional(
    Type.Union([Type.String({ format: "iso-time", description: "Nobody is started after it" }), Type.Null()]),
  ),
};

export const broadcastOperations = {
  "broadcasts.list": operation({
    id: "broadcasts.list",
    method: "GET",
    path: "/v2/broadcasts",
    summary: "List broadcasts, newest first",
    category: "configuration",
    query: Type.Object({
      ...pageQuery({ default: 20, maximum: 100 }),
      status: Type.Optional(BroadcastStatusWord),
    }),
    success: { status: 200, schema: Type.Object(pageEnvelope(Broadcast), { title: "BroadcastList" }) },
    errors: [],
  }),
  "broadcasts.create": operation({
    id: "broadcasts.create",
    method: "POST",
    path: "/v2/broadcasts",
    summary: "Create a draft of a broadcast",
    description: "Nothing is sent. A draft may be incomplete; `broadcasts.check` lists what is missing.",
    category: "configuration",
    audit: "everyone",
    body: named("BroadcastIn", { name, ...fields }),
    success: { status: 201, schema: Broadcast },
    errors: ["BROADCAST_LIMIT"],
  }),
  "broadcasts.retrieve": operation({
    id: "broadcasts.retrieve",
    method: "GET",
    path: "/v2/broadcasts/{broadcastId}",
    summary: "Retrieve a broadcast with its progress",
    category: "configuration",
    params: broadcastPath,
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND"],
  }),
  "broadcasts.update": operation({
    id: "broadcasts.update",
    method: "PATCH",
    path: "/v2/broadcasts/{broadcastId}",
    summary: "Change a draft",
    description: "Only drafts can be changed. Each field that is given replaces the stored one.",
    category: "configuration",
    audit: "everyone",
    params: broadcastPath,
    body: named("BroadcastPatch", { name: Type.Optional(name), ...fields }),
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.delete": operation({
    id: "broadcasts.delete",
    method: "DELETE",
    path: "/v2/broadcasts/{broadcastId}",
    summary: "Delete a broadcast",
    description: "Refused while it is scheduled, running or paused: stop it first. What it sent stays in the activity.",
    category: "configuration",
    audit: "everyone",
    params: broadcastPath,
    success: { status: 204 },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.send": operation({
    id: "broadcasts.send",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/send",
    summary: "Send a broadcast, or ask for its approval",
    description:
      "The version of the workflow is fixed. Where the environment asks for approval, the status becomes " +
      "`awaiting_approval`; otherwise the broadcast starts at its time. The people are those in the audience when it " +
      "starts.",
    category: "trigger",
    audit: "everyone",
    params: broadcastPath,
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE", "BROADCAST_INCOMPLETE"],
  }),
  "broadcasts.approve": operation({
    id: "broadcasts.approve",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/approve",
    summary: "Approve a broadcast",
    description:
      "By an owner who is not the person who sent it for approval. It then starts at its time. With `revision`, it is " +
      "approved only if it is still what was read.",
    category: "trigger",
    role: "owner",
    audit: "everyone",
    params: broadcastPath,
    isBodyOptional: true,
    body: named("BroadcastApprovalIn", {
      revision: Type.Optional(Type.Integer({ minimum: 0, description: "That of the broadcast that was read" })),
    }),
    success: { status: 200, schema: Broadcast },
    errors: [
      "BROADCAST_NOT_FOUND",
      "BROADCAST_STATE",
      "BROADCAST_CHANGED",
      "BROADCAST_INCOMPLETE",
      "BROADCAST_OWN_APPROVAL",
    ],
  }),
  "broadcasts.reject": operation({
    id: "broadcasts.reject",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/reject",
    summary: "Return a broadcast to its author",
    description: "It is a draft again. The person who sent it for approval can take it back in this way too.",
    category: "configuration",
    audit: "everyone",
    params: broadcastPath,
    isBodyOptional: true,
    body: named("BroadcastRejection", { note: Type.Optional(Type.String({ maxLength: 1_000 })) }),
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE", "FORBIDDEN"],
  }),
  "broadcasts.pause": operation({
    id: "broadcasts.pause",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/pause",
    summary: "Pause a broadcast",
    description:
      "Nobody is started after the response. People whose run has started get their messages. Pausing twice is harmless.",
    category: "trigger",
    audit: "everyone",
    params: broadcastPath,
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.resume": operation({
    id: "broadcasts.resume",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/resume",
    summary: "Resume a paused broadcast",
    description:
      "Continues with the people who were not started. Times that have passed in between are made up for at the same pace.",
    category: "trigger",
    audit: "everyone",
    params: broadcastPath,
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.stop": operation({
    id: "broadcasts.stop",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/stop",
    summary: "Stop a broadcast for good",
    description:
      "Nobody is started after the response. What was sent can be retracted with `retractions.create` and its " +
      "transaction id.",
    category: "trigger",
    audit: "everyone",
    params: broadcastPath,
    success: { status: 200, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
};
