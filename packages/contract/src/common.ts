// Words and rules shared by several resources: enumerations, identifier patterns, the paging envelopes.
import { named, nullableString, oneOf, openObject, repeated, type Static, type TSchema, Type } from "./schema.ts";
import { channels, stepTypes, type waitingSteps } from "./steps/registry.gen.ts";

export { channels, stepTypes };
export type Channel = (typeof channels)[number];

export function isChannel(word: string): word is Channel {
  return (channels as readonly string[]).includes(word);
}

export type StepType = (typeof stepTypes)[number];
/** Steps that continue at a later time. */
export type WaitingStep = (typeof waitingSteps)[number];

/** The internal `trigger` job is not a step. */
export const jobTypes = [...stepTypes, "trigger"] as const;
export const severities = ["high", "medium", "low", "none"] as const;
export type Severity = (typeof severities)[number];
export const origins = ["svc-cloud", "svc-cloud-v1", "external"] as const;

export const messageStatuses = ["sent", "error", "warning"] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export const ChannelWord = oneOf(channels, { title: "Channel" });
export const StepTypeWord = oneOf(stepTypes, { title: "StepType" });
export const JobTypeWord = oneOf(jobTypes, { title: "JobType" });
export const SeverityWord = oneOf(severities, { title: "Severity" });
export const OriginWord = oneOf(origins, { title: "Origin" });

const loose = "[a-zA-Z0-9_:.-]+";
const looseIdentifier = `^${loose}$`;
// Control and format characters (U+0085, zero-width space) cannot be seen, and an address with one is refused when a
// mail is sent to it.
const hidden = "\\p{Cc}\\p{Cf}";
const emailLike = `[^\\s@<>"'${hidden}]+@[^\\s@<>"'${hidden}]+`;
// As it can appear in a mail: characters that structure an address list are excluded.
const email = `[^\\s<>(),;:\\\\"@${hidden}]+@[^\\s<>(),;:\\\\"@${hidden}]+`;

/** Patterns and lengths of the identifiers that callers choose. */
export const identifiers = {
  // Spaces around it are trimmed, not refused: ids are often pasted out of tables.
  subscriberId: { pattern: `^\\s*(?:${loose}|${emailLike})\\s*$`, minLength: 1, maxLength: 255 },
  workflowId: { pattern: "^[a-zA-Z0-9]+(?:[-_.][a-zA-Z0-9]+)*$", minLength: 1, maxLength: 100 },
  stepId: { pattern: "^[a-zA-Z0-9]+(?:[-_.][a-zA-Z0-9]+)*$", minLength: 1, maxLength: 100 },
  integration: { pattern: looseIdentifier, minLength: 1, maxLength: 255 },
  signal: { pattern: looseIdentifier, minLength: 1, maxLength: 128 },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this pattern refuses
  transactionId: { pattern: /^[^\u0000-\u001f\u007f]+$/.source, minLength: 1, maxLength: 255 },
} as const;

export const emailPattern = new RegExp(`^${email}$`, "u");

/** The query parameters of a cursor list. */
export const cursorQuery = {
  after: Type.Optional(Type.String({ description: "Items behind this cursor" })),
  before: Type.Optional(Type.String({ description: "Items ahead of this cursor; not together with `after`" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  orderDirection: Type.Optional(oneOf(["ASC", "DESC"], { default: "DESC" })),
  includeCursor: Type.Optional(Type.Boolean({ description: "Include the cursor's own item" })),
};

export function cursorList<S extends TSchema>(title: string, item: S) {
  return Type.Object(
    {
      data: Type.Array(item),
      next: nullableString({ description: "Cursor of the next page; null when there is none" }),
      previous: nullableString({ description: "Cursor of the previous page; null on the first page" }),
      totalCount: Type.Integer({ description: "Items that match the filters, counted up to 50,000" }),
      totalCountCapped: Type.Boolean({ description: "true when there are more than 50,000" }),
    },
    { title },
  );
}

/** Counting stops here: an exact count of a huge list is expensive and of little use. */
export const countCap = 50_000;

export function pageQuery(limit: { default: number; maximum: number }) {
  return {
    page: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, ...limit })),
  };
}

export function pageEnvelope<S extends TSchema>(item: S) {
  return {
    hasMore: Type.Boolean({ description: "More items follow this page" }),
    data: Type.Array(item),
    pageSize: Type.Integer({ description: "Number of items in this page" }),
    page: Type.Integer(),
  };
}

export const contextKeysQuery = Type.Optional(
  repeated(Type.String(), { description: "Exact set of `<type>:<id>` keys; one empty value means without context" }),
);

/** A workflow as other records show it: enough to identify it, without its steps. */
export const WorkflowRef = named("WorkflowRef", {
  id: Type.String({ description: "Internal id" }),
  identifier: Type.String({ description: "The `workflowId` that triggers use" }),
  name: Type.String(),
  critical: Type.Boolean({ description: "Subscribers cannot switch it off" }),
  tags: Type.Optional(Type.Array(Type.String())),
  data: Type.Optional(openObject()),
  severity: SeverityWord,
});
export type WorkflowRef = Static<typeof WorkflowRef>;
