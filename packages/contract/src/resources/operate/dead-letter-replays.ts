// Replays of many dead letters at a fixed pace, as a job of the service that can be started, watched, paused and
// stopped. An addition of Tidings.
import { identifiers, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { deadLetterFilters, maxReplays } from "./dead-letters.ts";

/** Letters of one replay; the oldest first. */
export const lettersPerReplay = 50_000;
/** Replays of an environment that are running or paused at the same time. */
export const openReplays = 10;
/** Letters that a preview examines one by one. */
export const previewedLetters = 5_000;

export const replayStatuses = ["running", "paused", "stopped", "done"] as const;
export type ReplayStatus = (typeof replayStatuses)[number];
const ReplayStatusWord = oneOf(replayStatuses, { title: "DeadLetterReplayStatus" });

export const previewReasons = [
  "message_gone",
  "canceled",
  "suppressed",
  "integration_inactive",
  "circuit_open",
  "other_channel",
] as const;
export type PreviewReason = (typeof previewReasons)[number];

const selection = {
  ids: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: maxReplays,
      description: "These letters, instead of a filter",
    }),
  ),
  filter: Type.Optional(
    Type.Object(deadLetterFilters, {
      description: "Open letters that match, oldest first, up to 50,000; `{}`: all of them",
    }),
  ),
  integrationIdentifier: Type.Optional(
    Type.String({
      ...identifiers.integration,
      description: "Try this integration first; only letters of its channel; email and SMS only",
    }),
  ),
};

export const DeadLetterReplay = named("DeadLetterReplayJob", {
  id: Type.String(),
  status: ReplayStatusWord,
  perSecond: Type.Integer(),
  filter: openObject({ description: "The letters it was started with: members of a filter, or `ids`" }),
  integrationIdentifier: Type.Optional(Type.String({ description: "The integration that is tried first" })),
  total: Type.Integer({ description: "Letters that could be replayed when it started" }),
  done: Type.Integer({
    description:
      "Letters that were sent again. Fewer than `total` at the end if others were replayed or resolved in the " +
      "meantime, or their message no longer exists",
  }),
  sent: Type.Optional(
    Type.Integer({ description: "Replayed messages that a provider has accepted; not in the list of replays" }),
  ),
  failed: Type.Optional(
    Type.Integer({ description: "Replayed messages that failed again or were canceled; not in the list of replays" }),
  ),
  createdAt: isoTime("When it was started"),
  updatedAt: isoTime("Last progress or change"),
  finishedAt: Type.Optional(isoTime("When it finished or was stopped")),
});
export type DeadLetterReplay = Static<typeof DeadLetterReplay>;

const ReplayPreview = named("DeadLetterReplayPreview", {
  total: Type.Integer({ description: "Letters that the replay would include, up to 50,000" }),
  examined: Type.Integer({ description: "Letters that were checked one by one: the oldest, up to 5,000" }),
  willBeSent: Type.Integer({ description: "Letters among these that can be replayed" }),
  others: Type.Array(
    Type.Object({
      reason: oneOf(previewReasons, { title: "ReplayPreviewReason" }),
      count: Type.Integer(),
      text: Type.String({ description: "What a replay does with them, and why" }),
      integrationIdentifier: Type.Optional(Type.String({ description: "The integration that causes it" })),
    }),
    { description: "Letters that would not be sent, or not immediately; the most frequent reason first" },
  ),
});
export type ReplayPreview = Static<typeof ReplayPreview>;

const replayPath = Type.Object({ replayId: Type.String() });

export const deadLetterReplayOperations = {
  "deadLetterReplays.preview": operation({
    id: "deadLetterReplays.preview",
    method: "POST",
    path: "/v1/dead-letters/replays/preview",
    summary: "Show what a replay would do",
    description: "Nothing is sent or changed.",
    category: "global",
    isReadOnly: true,
    body: named("DeadLetterReplayPreviewIn", selection),
    success: { status: 200, schema: ReplayPreview },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
  "deadLetterReplays.create": operation({
    id: "deadLetterReplays.create",
    method: "POST",
    path: "/v1/dead-letters/replays",
    summary: "Replay dead letters at a fixed pace",
    description:
      "The service sends `perSecond` messages per second until all are sent, even across a restart. Every letter is " +
      "replayed once, even if other replays run at the same time. Letters that appear later are not included. An " +
      "environment can have at most 10 running or paused replays.",
    category: "global",
    role: "support",
    fieldRoles: { payload: "editor" },
    body: named("DeadLetterReplayCreateIn", {
      ...selection,
      perSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      payload: Type.Optional(
        openObject({
          description:
            "With one letter in `ids`: its content is rendered again from this payload, with the workflow version " +
            "the event started with",
        }),
      ),
    }),
    success: { status: 201, schema: DeadLetterReplay },
    errors: ["INTEGRATION_NOT_FOUND", "DEAD_LETTER_NOT_FOUND", "DEAD_LETTER_NOT_OPEN", "REPLAY_LIMIT"],
  }),
  "deadLetterReplays.list": operation({
    id: "deadLetterReplays.list",
    method: "GET",
    path: "/v1/dead-letters/replays",
    summary: "List replays",
    description: "Newest first. Kept as long as dead letters, 30 days by default.",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      status: Type.Optional(ReplayStatusWord),
    }),
    success: {
      status: 200,
      schema: Type.Object(pageEnvelope(DeadLetterReplay), { title: "DeadLetterReplayList" }),
    },
    errors: [],
  }),
  "deadLetterReplays.retrieve": operation({
    id: "deadLetterReplays.retrieve",
    method: "GET",
    path: "/v1/dead-letters/replays/{replayId}",
    summary: "Retrieve a replay with its progress",
    category: "global",
    params: replayPath,
    success: { status: 200, schema: DeadLetterReplay },
    errors: ["REPLAY_NOT_FOUND"],
  }),
  "deadLetterReplays.pause": operation({
    id: "deadLetterReplays.pause",
    method: "POST",
    path: "/v1/dead-letters/replays/{replayId}/pause",
    summary: "Pause a replay",
    description: "Messages of the current second are still sent. The replay stays paused until it is resumed.",
    category: "global",
    role: "support",
    params: replayPath,
    success: { status: 200, schema: DeadLetterReplay },
    errors: ["REPLAY_NOT_FOUND", "REPLAY_ENDED"],
  }),
  "deadLetterReplays.resume": operation({
    id: "deadLetterReplays.resume",
    method: "POST",
    path: "/v1/dead-letters/replays/{replayId}/resume",
    summary: "Resume a paused replay",
    category: "global",
    role: "support",
    params: replayPath,
    success: { status: 200, schema: DeadLetterReplay },
    errors: ["REPLAY_NOT_FOUND", "REPLAY_ENDED"],
  }),
  "deadLetterReplays.stop": operation({
    id: "deadLetterReplays.stop",
    method: "POST",
    path: "/v1/dead-letters/replays/{replayId}/stop",
    summary: "Stop a replay permanently",
    description: "Letters that have not been replayed stay open.",
    category: "global",
    role: "support",
    params: replayPath,
    success: { status: 200, schema: DeadLetterReplay },
    errors: ["REPLAY_NOT_FOUND", "REPLAY_ENDED"],
  }),
};
