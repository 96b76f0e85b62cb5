// Dead letters: messages that were given up although neither their recipient nor their content is to blame, and their
// replay once the cause is fixed. An addition of Tidings.
import { ChannelWord, identifiers, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

export const deadLetterStatuses = ["open", "replayed", "resolved"] as const;
export const errorClasses = ["transient", "unknown", "auth", "quota", "config"] as const;

const ErrorClass = oneOf(errorClasses, {
  description:
    "transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration",
});

export const DeadLetter = named("DeadLetter", {
  id: Type.String(),
  messageId: Type.String(),
  notificationId: Type.String(),
  transactionId: Type.String(),
  subscriberId: Type.String(),
  workflowId: Type.String(),
  stepId: Type.String(),
  channel: ChannelWord,
  providerId: Type.String(),
  integrationIdentifier: Type.String({ description: "The integration that was tried last" }),
  errorClass: ErrorClass,
  errorId: Type.String(),
  errorText: Type.String(),
  attempts: Type.Integer({ description: "Calls to providers since the message was created or last replayed" }),
  status: oneOf(deadLetterStatuses, {
    description: "resolved: a provider reported that it accepted the message after all; it cannot be replayed",
  }),
  createdAt: isoTime("When the message was given up"),
  replayedAt: Type.Optional(isoTime("When it was replayed")),
});
export type DeadLetter = Static<typeof DeadLetter>;

const time = (description: string) => Type.Optional(Type.String({ format: "iso-time", description }));

/** Which letters: all given members must match. */
export const deadLetterFilters = {
  channel: Type.Optional(ChannelWord),
  providerId: Type.Optional(Type.String()),
  transactionId: Type.Optional(Type.String()),
  workflowId: Type.Optional(Type.String({ description: "Identifier or internal id" })),
  integrationIdentifier: Type.Optional(Type.String()),
  errorClass: Type.Optional(ErrorClass),
  after: time("Given up after this time"),
  before: time("Given up before this time"),
};

const integrationIdentifier = Type.Optional(
  Type.String({ ...identifiers.integration, description: "Try this integration first; email and SMS only" }),
);

export const maxReplays = 1_000;

export const ReplayIn = named("DeadLetterReplayIn", {
  ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: maxReplays })),
  filter: Type.Optional(
    Type.Object(deadLetterFilters, {
      description: "Open letters that match, oldest first, up to 1,000 per call; `{}`: all",
    }),
  ),
  perSecond: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 10_000,
      description: "Spreads the sends; default: all at once. Each message's deadline starts with its turn",
    }),
  ),
  integrationIdentifier,
});

/** Open letters that are grouped, and groups that are shown. */
export const groupedLetters = 50_000;
export const maxGroups = 100;
export const groupedWorkflows = 20;

export const DeadLetterGroup = named("DeadLetterGroup", {
  integrationId: Type.String(),
  integrationIdentifier: Type.String(),
  integrationName: Type.String(),
  isIntegrationActive: Type.Boolean({ description: "false for a deleted integration, too" }),
  isCircuitOpen: Type.Boolean({ description: "The circuit breaker of the integration is open" }),
  providerId: Type.String(),
  channel: ChannelWord,
  errorClass: ErrorClass,
  workflows: Type.Array(
    named("DeadLetterWorkflow", {
      workflowId: Type.String(),
      name: Type.String({ description: "Empty when the workflow was deleted" }),
      stepIds: Type.Array(Type.String(), { description: "The steps that created the messages, up to 5" }),
      count: Type.Integer(),
    }),
    { description: `Whose messages these are, the most first, up to ${groupedWorkflows}` },
  ),
  workflowCount: Type.Integer({ description: "Workflows with messages in the group" }),
  count: Type.Integer(),
  firstAt: isoTime("When the oldest of them was given up"),
  lastAt: isoTime("When the newest of them was given up"),
  errorText: Type.String({ description: "The error of the newest letter" }),
});
export type DeadLetterGroup = Static<typeof DeadLetterGroup>;

export const deadLetterOperations = {
  "deadLetters.listGroups": operation({
    id: "deadLetters.listGroups",
    method: "GET",
    path: "/v1/dead-letters/groups",
    isFromReplica: true,
    summary: "Group open dead letters by their cause",
    description:
      "One group per integration and error class, largest first, at most 100, with the workflows it affects. The " +
      "newest 50,000 open letters are counted. `integrationIdentifier` and `errorClass` of a group select its " +
      "letters; `workflowId` narrows them to one workflow.",
    category: "global",
    success: {
      status: 200,
      schema: Type.Object(
        { data: Type.Array(DeadLetterGroup), totalCount: Type.Integer({ description: "Open letters, up to 50,000" }) },
        { title: "DeadLetterGroupList" },
      ),
    },
    errors: [],
  }),
  "deadLetters.list": operation({
    id: "deadLetters.list",
    method: "GET",
    path: "/v1/dead-letters",
    isFromReplica: true,
    summary: "List messages that could not be delivered",
    description: "Newest first. Kept for 30 days by default.",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      status: Type.Optional(oneOf(deadLetterStatuses)),
      ...deadLetterFilters,
    }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          ...pageEnvelope(DeadLetter),
          totalCount: Type.Integer({ description: "Letters that match the filters, counted up to 50,000" }),
        },
        { title: "DeadLetterList" },
      ),
    },
    errors: [],
  }),
  "deadLetters.replay": operation({
    id: "deadLetters.replay",
    method: "POST",
    path: "/v1/dead-letters/{id}/replay",
    summary: "Send one dead letter again",
    description: "Its job runs again, starting with the choice of the integration, with the stored content.",
    category: "global",
    role: "support",
    params: Type.Object({ id: Type.String() }),
    success: { status: 200, schema: DeadLetter },
    errors: ["DEAD_LETTER_NOT_FOUND", "DEAD_LETTER_NOT_OPEN"],
  }),
  "deadLetters.replayMany": operation({
    id: "deadLetters.replayMany",
    method: "POST",
    path: "/v1/dead-letters/replay",
    summary: "Send many dead letters again",
    description:
      "Selected by `ids` or by `filter`, at most 1,000 per call. Letters that were already replayed are skipped.",
    category: "global",
    role: "support",
    body: ReplayIn,
    success: {
      status: 200,
      schema: Type.Object(
        {
          replayed: Type.Integer(),
          failed: Type.Integer({
            description: "Those of `ids` that are unknown, no longer open, or without their message",
          }),
        },
        { title: "DeadLetterReplay" },
      ),
    },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
};
