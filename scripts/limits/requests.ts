// Limits of requests: sizes and rates.
import {
  importLimits,
  maxBudgetLimit,
  maxBudgets,
  maxFiles,
  maxSignalBytes,
  maxSignalRecipients,
  maxWindowDays,
} from "@tidings/contract";
import { constant } from "./constants.ts";
import { byDefault, count, duration, maxItems, megabytes, named, type Row, rateLimited, timeIn } from "./values.ts";

const tooLarge = "413 `PAYLOAD_TOO_LARGE`";

export const requestLimits: Row[] = [
  {
    limit: "request line and headers",
    value: `${named("errors.ts", "maxHeadBytes")} bytes`,
    beyond: "431 `HEADERS_TOO_LARGE`",
  },
  { limit: "body", value: megabytes(byDefault("TIDINGS_BODY_LIMIT")), setting: "TIDINGS_BODY_LIMIT", beyond: tooLarge },
  {
    limit: "body of a bulk trigger, an import, or workflows as files",
    value: megabytes(byDefault("TIDINGS_BULK_BODY_LIMIT")),
    setting: "TIDINGS_BULK_BODY_LIMIT",
    beyond: tooLarge,
  },
  { limit: "JSON nesting", value: `${named("parsers.ts", "maxDepth")} levels`, beyond: "422" },
  { limit: "time to receive a request", value: timeIn("server.ts", "requestTimeout"), beyond: "408 `REQUEST_TIMEOUT`" },
  {
    limit: "wait for a database lock",
    value: duration(byDefault("TIDINGS_LOCK_SECONDS") * 1_000),
    setting: "TIDINGS_LOCK_SECONDS",
    beyond: "503 `DATABASE_LOCKED`",
  },
  { limit: "events in a bulk trigger", value: maxItems("events.triggerBulk", "events"), beyond: "422" },
  { limit: "signals in a bulk request", value: maxItems("signals.sendBulk", "signals"), beyond: "422" },
  {
    limit: "one signal",
    value: `${maxSignalRecipients} subscribers, ${maxSignalBytes / 1_024} KB of data`,
    beyond: "422",
  },
  { limit: "payload of one event", value: `${named("evaluation.ts", "maxPayloadBytes")} bytes`, beyond: tooLarge },
  {
    limit: "recipients of one event",
    value: count(byDefault("TIDINGS_MAX_RECIPIENTS")),
    setting: "TIDINGS_MAX_RECIPIENTS",
    beyond: "422; topics and broadcasts have no such limit",
  },
  {
    limit: "attachments of one event",
    value: `${named("attachments.ts", "maxAttachments")}, included in the payload size`,
    beyond: 'the item has `status: "error"`',
  },
  { limit: "subscribers in a bulk creation", value: maxItems("subscribers.createBulk", "subscribers"), beyond: "422" },
  {
    limit: "CSV text of an import",
    value:
      `${count(importLimits.bytes / 1_000_000)} MB, ${count(importLimits.lines)} lines, ` +
      `${count(importLimits.columns)} columns, ${count(importLimits.cellCharacters)} characters per cell`,
    beyond: "413 `IMPORT_TOO_LARGE`; 422; an invalid row",
  },
  {
    limit: "attention budgets of an environment",
    value: `${maxBudgets}, of 1 to ${maxBudgetLimit} messages in at most ${maxWindowDays} days`,
    beyond: "422",
  },
  {
    limit: "unfinished imports of an environment",
    value: named("imports.ts", "maxUnfinished"),
    beyond: "409 `IMPORT_LIMIT_REACHED`",
  },
  {
    limit: "subscribers in a bulk preference",
    value: maxItems("preferences.updateMany", "subscriberIds"),
    beyond: "422",
  },
  {
    limit: "workflows, layouts, integrations and named topics in an environment kept in files",
    value: [maxFiles.workflows, maxFiles.layouts, maxFiles.integrations, maxFiles.topics].map(count).join(", "),
    beyond: "422 for a request, 409 `TOO_MANY_FILES` for an environment that has more; topics are left out",
  },
  {
    limit: "fields named in a 422",
    value: named("failure.ts", "maxFaults"),
    beyond: "`general` reports if more exist",
  },
];

export const rateLimits: Row[] = [
  {
    limit: "triggered events per second and environment, across all processes",
    value: count(byDefault("TIDINGS_RATE_TRIGGER")),
    setting: "TIDINGS_RATE_TRIGGER",
    beyond: `${rateLimited} with \`Retry-After\``,
  },
  {
    limit: "age of the oldest event waiting in an environment's queue",
    value: timeIn("admission.ts", "freeMs"),
    beyond:
      `responses to bulk triggers and broadcasts are delayed by a quarter of the age, at most ` +
      `${timeIn("admission.ts", "maxDelayMs")}, so that clients slow down to the workers' speed`,
  },
  {
    limit: "the same age",
    value: timeIn("admission.ts", "refusedMs"),
    beyond: `${rateLimited} with \`Retry-After\` for all triggers of that environment`,
  },
  {
    limit: "the same age of events with low priority, which the two ages above leave out",
    value: timeIn("admission.ts", "lowRefusedMs"),
    beyond: `${rateLimited} with \`Retry-After\` for bulk triggers and broadcasts of that environment`,
  },
  {
    limit: "transactions with new events that one process runs at a time",
    value:
      "the database connections less two; 4 for bulk triggers and broadcasts; per environment, 3 with single triggers and 3 with bulk triggers",
    setting: "TIDINGS_DATABASE_POOL",
    beyond:
      `requests wait for their turn, environment by environment, and then share a transaction (${named("tasks.ts", "recipientsPerBatch")} ` +
      `recipients or 2 MB); ${rateLimited} after ${timeIn("admission.ts", "waitMs")}, or when ` +
      `${named("admission.ts", "waitingPerOwner")} requests of the environment are waiting`,
  },
  {
    limit: "configuration requests, and all other requests, per second and environment",
    value: `${count(byDefault("TIDINGS_RATE_CONFIGURATION"))} each`,
    setting: "TIDINGS_RATE_CONFIGURATION, TIDINGS_RATE_GLOBAL",
    beyond: rateLimited,
  },
  {
    limit: "inbox requests per second and subscriber; sessions per address and per subscriber",
    value:
      `${count(byDefault("TIDINGS_RATE_INBOX"))} each, bursts of ` +
      count(
        byDefault("TIDINGS_RATE_INBOX") *
          constant("rate-limit.ts", "windowSeconds") *
          constant("rate-limit.ts", "burst"),
      ),
    setting: "TIDINGS_RATE_INBOX",
    beyond: rateLimited,
  },
  {
    limit: "wrong API keys and inbox tokens per address",
    value: `${count(byDefault("TIDINGS_RATE_WRONG_KEYS"))} in ${timeIn("api-keys.ts", "windowMs")}`,
    setting: "TIDINGS_RATE_WRONG_KEYS",
    beyond: `${rateLimited}; a valid key is never rejected`,
  },
  {
    limit: "concurrent provider calls during requests (`check`, auto-configure), per environment",
    value: named("integration-checks.ts", "maxProviderCalls"),
    beyond: rateLimited,
  },
  {
    limit: "environments per organisation",
    value: count(byDefault("TIDINGS_MAX_ENVIRONMENTS")),
    setting: "TIDINGS_MAX_ENVIRONMENTS",
    beyond: "409 `ENVIRONMENT_LIMIT`",
  },
];
