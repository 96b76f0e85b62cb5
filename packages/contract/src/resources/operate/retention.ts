// Retention: how long an environment keeps its data, what goes next, and what went. An addition of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, type JsonObject, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

/** Classes with a number of days for each environment. */
export const environmentRetentionClasses = ["messages", "inApp", "captured", "deadLetters", "statistics"] as const;
export type EnvironmentRetentionClass = (typeof environmentRetentionClasses)[number];

/** The audit log belongs to the whole installation. */
export const retentionClasses = [...environmentRetentionClasses, "audit"] as const;
export type RetentionClassName = (typeof retentionClasses)[number];

/** Rows of a table that one request counts; more are estimated. */
export const maxRetentionCounted = 10_000;

/** Runs that a response lists. */
export const listedRetentionRuns = 30;

const className = oneOf(retentionClasses, {
  title: "RetentionClassName",
  description:
    "`messages`: events with attachments, notifications, jobs, attempts, and messages of all channels but in-app. " +
    "`inApp`: in-app messages. `captured`: captured messages. `deadLetters`: dead letters, their replays and failed " +
    "tasks. `statistics`: hourly figures. `audit`: the audit log and the publish history",
});

const count = (description: string) => Type.Integer({ minimum: 0, description });
const isEstimate = Type.Boolean({
  description: `More than ${maxRetentionCounted.toLocaleString("en-US")} rows of a table: estimated from the statistics of the database`,
});
const nullableTime = (description: string) => nullableString({ description: `${description} (ISO 8601, UTC)` });
const nullableDays = (options: JsonObject) => Type.Unsafe<number | null>({ type: ["integer", "null"], ...options });

export const RetentionClass = named("RetentionClass", {
  name: className,
  days: Type.Integer({ description: "How long rows are kept, in days" }),
  source: oneOf(["environment", "installation"], {
    description: "Where `days` comes from: the environment, or the default of the installation",
  }),
  isEditable: Type.Boolean({ description: "false: the class belongs to the installation and follows its setting" }),
  setting: Type.String({ description: "The setting with the default of the installation" }),
  defaultDays: Type.Integer({ description: "The default of the installation" }),
  minDays: Type.Integer({ description: "The shortest retention that the environment can have at present" }),
  minReason: Type.String({ description: "Why it cannot be shorter" }),
  maxDays: Type.Integer({ description: "The longest retention that the environment can have at present" }),
  maxReason: Type.String({ description: "Why it cannot be longer" }),
  rows: count("Rows of the environment; for `audit`, of the installation"),
  bytes: count("Disk that they use with their indexes, estimated from their share of the tables"),
  isEstimate,
  oldestAt: nullableTime("Time of the oldest row; null if there is none"),
  next: named("RetentionNext", {
    at: isoTime("When the next run begins"),
    before: isoTime("It deletes rows from before this time, apart from those that something still waits for"),
    rows: count("Rows from before that time"),
    isEstimate,
  }),
});
export type RetentionClass = Static<typeof RetentionClass>;

export const RetentionMonth = named("RetentionMonth", {
  month: Type.String({ description: "The month (UTC), such as `2026-08`" }),
  bytes: count("Disk that its tables use, for the whole installation"),
  dropsAt: isoTime("When the retention of all environments has passed, and its last table can be dropped"),
  isWaitedFor: Type.Boolean({
    description: "Its time has come, but a run or a snoozed message from this month still waits, so that it stays",
  }),
});
export type RetentionMonth = Static<typeof RetentionMonth>;

export const RetentionRun = named("RetentionRun", {
  id: Type.String(),
  startedAt: isoTime("When it began"),
  finishedAt: nullableTime("When it ended; null while it runs, or if its process died"),
  isComplete: Type.Boolean({ description: "false: it reached its limit or failed, and the next run continues" }),
  deleted: Type.Array(
    named("RetentionDeleted", { name: className, rows: count("Deleted rows, in all environments") }),
    {
      description: "Classes of which rows were deleted; those of dropped partitions are included, large ones estimated",
    },
  ),
  partitions: Type.Array(Type.String(), { description: "Partitions that were dropped, such as `events_2026_08`" }),
  error: nullableString({ description: "Why it failed" }),
});
export type RetentionRun = Static<typeof RetentionRun>;

export const Retention = named("Retention", {
  environmentId: Type.String(),
  classes: Type.Array(RetentionClass, { description: "Always all classes, in the same order" }),
  months: Type.Array(RetentionMonth, { description: "The stored months of the installation, oldest first" }),
  nextRunAt: isoTime("When the next run begins"),
  runs: Type.Array(RetentionRun, {
    description: `The last ${listedRetentionRuns} runs of the installation, newest first`,
  }),
});
export type Retention = Static<typeof Retention>;

const days = (description: string) => Type.Optional(nullableDays({ minimum: 1, maximum: 3_650, description }));

/** `null`: the default of the installation. Omitted classes do not change. */
const changes = {
  messages: days("At least the longest wait (`TIDINGS_MAX_WAIT_DAYS`), 3 days and `deadLetters`"),
  inApp: days("At least `messages` and the longest snooze (`TIDINGS_MAX_SNOOZE_DAYS`)"),
  captured: days("How long captured messages are kept; the newest 10,000 at most"),
  deadLetters: days("At most `messages`: a replay needs the message"),
  statistics: days("At least 3 days, because hours are counted for the last time after two days"),
  audit: days("Refused: set `TIDINGS_AUDIT_DAYS`, which applies to the whole installation"),
};

const RetentionPreviewClass = named("RetentionPreviewClass", {
  name: className,
  days: Type.Integer({ description: "As given, or the days that apply now" }),
  before: isoTime("Rows from before this time would be deleted"),
  rows: count("Rows that the next run would delete"),
  bytes: count("Disk that they use, estimated"),
  isEstimate,
  keptRows: count(
    `Rows from before that time that would stay because something waits for them, counted among the oldest ${maxRetentionCounted.toLocaleString("en-US")} of each table`,
  ),
  oldestKeptAt: nullableTime("Time of the oldest row that would stay and that nothing waits for; null if none would"),
});
export type RetentionPreviewClass = Static<typeof RetentionPreviewClass>;

const retentionPath = Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) });

export const retentionOperations = {
  "retention.retrieve": operation({
    id: "retention.retrieve",
    method: "GET",
    path: "/v2/environments/{environmentId}/retention",
    summary: "Retrieve how long an environment keeps its data",
    description:
      "For each class: the days that apply and where they come from, the limits, its size, and what goes next. Also the " +
      "stored months and the last runs, which concern the whole installation. See docs/retention.md.",
    category: "global",
    params: retentionPath,
    success: { status: 200, schema: Retention },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
  "retention.update": operation({
    id: "retention.update",
    method: "PATCH",
    path: "/v2/environments/{environmentId}/retention",
    summary: "Change how long an environment keeps its data",
    description:
      "`null` returns a class to the default of the installation; omitted classes do not change. Applies from the next " +
      "run; what it deletes cannot be restored, so preview it first. 422 with the numbers if a class would be shorter than " +
      "others need, or longer than the installation allows.",
    category: "global",
    role: "owner",
    audit: "everyone",
    params: retentionPath,
    body: named("RetentionIn", changes),
    success: { status: 200, schema: Retention },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
  "retention.preview": operation({
    id: "retention.preview",
    method: "POST",
    path: "/v2/environments/{environmentId}/retention/preview",
    summary: "Show what other retentions would delete",
    description:
      "With the given days, and those that apply now for all other classes. Nothing is changed or deleted; refused like " +
      "an update.",
    category: "global",
    isReadOnly: true,
    params: retentionPath,
    body: named("RetentionPreviewIn", changes),
    success: {
      status: 200,
      schema: named("RetentionPreview", {
        at: isoTime("When the next run begins"),
        classes: Type.Array(RetentionPreviewClass, { description: "Always all classes, in the same order" }),
        months: Type.Array(Type.String(), {
          description: "Months, such as `2026-08`, of which tables would be dropped as a whole",
        }),
      }),
    },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
};
