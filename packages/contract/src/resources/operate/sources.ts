// Sources: databases whose transactions trigger events by SQL (docs/sql-trigger.md). An addition of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

export const sourcesPerEnvironment = 20;

/** Rows that wait are counted up to this number. */
export const countedOutboxRows = 10_000;

export const sourceKinds = ["local", "postgres"] as const;
export type SourceKind = (typeof sourceKinds)[number];
export const sourceStates = ["healthy", "failing", "paused", "idle"] as const;
export type SourceState = (typeof sourceStates)[number];

const name = Type.String({ minLength: 1, maxLength: 100, format: "plain-text", description: "How people call it" });
const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    "`postgresql://user:password@host:port/database`. PostgreSQL 13 or later, directly or through a pooler; stored " +
    "encrypted and never returned. Private and local addresses have to be allowed by TIDINGS_ALLOW_NETWORKS",
  ...secret("none"),
});
const outboxSchema = {
  minLength: 1,
  maxLength: 63,
  pattern: "^[a-z_][a-z0-9_]*$",
  description: "The schema that `tidings outbox install` created the outbox in",
};
const paused = Type.Boolean({ description: "Nothing is taken from it; what is committed waits in its outbox" });

export const Source = named("Source", {
  id: Type.String(),
  kind: oneOf(sourceKinds, {
    description:
      "`local`: the functions of the schema `tidings` in the service's own database. `postgres`: an outbox in another one",
  }),
  name: Type.String(),
  host: Type.Optional(Type.String()),
  port: Type.Optional(Type.Integer()),
  database: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
  schema: Type.String({ description: "The schema of its outbox" }),
  roles: Type.Optional(
    Type.Array(Type.String(), {
      description: "The database roles that may call the functions; only for a local source",
    }),
  ),
  paused,
  state: oneOf(sourceStates, {
    description:
      "`idle`: nothing came from it yet. `failing`: its database cannot be read; it is tried again and again",
  }),
  accepted: Type.Integer({ description: "Rows accepted so far; after a crash, a few may be missing" }),
  refused: Type.Integer({ description: "Rows refused so far, each of which became a failed task" }),
  lastAcceptedAt: Type.Optional(isoTime("When rows were accepted last")),
  waiting: Type.Integer({
    description: `Rows that wait in the outbox, as last measured, counted up to ${countedOutboxRows.toLocaleString("en-US")}`,
  }),
  lagSeconds: Type.Number({ description: "Age of the oldest row that waits; 0 when none does" }),
  measuredAt: Type.Optional(isoTime("When `waiting` and `lagSeconds` were measured")),
  failingSince: Type.Optional(isoTime("When the first of the current failures happened")),
  lastError: Type.Optional(Type.String({ description: "Why its database could not be read" })),
  lastErrorAt: Type.Optional(isoTime("When that was")),
  createdAt: isoTime("When the source was created"),
  updatedAt: isoTime("Last change of its settings"),
});
export type Source = Static<typeof Source>;

export const SourceCheck = named("SourceCheck", {
  isReady: Type.Boolean({ description: "Events can be taken from it" }),
  problems: Type.Array(Type.String(), { description: "What is wrong and how to fix it; empty when it is ready" }),
  serverVersion: Type.Optional(Type.String()),
  waiting: Type.Optional(Type.Integer({ description: "Rows that wait in the outbox" })),
});
export type SourceCheck = Static<typeof SourceCheck>;

const sourcePath = Type.Object({ sourceId: Type.String() });

export const sourceOperations = {
  "sources.list": operation({
    id: "sources.list",
    method: "GET",
    path: "/v2/sources",
    summary: "List sources",
    description:
      "Databases whose transactions trigger events by SQL, with their lag and health. See docs/sql-trigger.md.",
    category: "configuration",
    success: { status: 200, schema: Type.Array(Source) },
    errors: [],
  }),
  "sources.create": operation({
    id: "sources.create",
    method: "POST",
    path: "/v2/sources",
    summary: "Create a source",
    description:
      "An outbox in another PostgreSQL, which `tidings outbox install` created there. Its connection and permissions are " +
      `checked first. An environment can have at most ${sourcesPerEnvironment}. The local source is created by \`tidings grant-sql\`.`,
    category: "configuration",
    audit: "everyone",
    body: named("SourceIn", {
      name,
      url,
      schema: Type.Optional(Type.String({ ...outboxSchema, default: "tidings" })),
      paused: Type.Optional(paused),
    }),
    success: { status: 201, schema: Source },
    errors: ["SOURCE_LIMIT"],
  }),
  "sources.retrieve": operation({
    id: "sources.retrieve",
    method: "GET",
    path: "/v2/sources/{sourceId}",
    summary: "Retrieve a source",
    category: "configuration",
    params: sourcePath,
    success: { status: 200, schema: Source },
    errors: ["SOURCE_NOT_FOUND"],
  }),
  "sources.update": operation({
    id: "sources.update",
    method: "PATCH",
    path: "/v2/sources/{sourceId}",
    summary: "Update a source",
    description:
      "A new address or schema is checked like that of a new source. `paused: true` takes nothing more from it; rows that " +
      "were claimed before are still accepted.",
    category: "configuration",
    audit: "everyone",
    params: sourcePath,
    body: named("SourcePatch", {
      name: Type.Optional(name),
      url: Type.Optional(url),
      schema: Type.Optional(Type.String(outboxSchema)),
      paused: Type.Optional(paused),
    }),
    success: { status: 200, schema: Source },
    errors: ["SOURCE_NOT_FOUND", "SOURCE_LOCAL"],
  }),
  "sources.delete": operation({
    id: "sources.delete",
    method: "DELETE",
    path: "/v2/sources/{sourceId}",
    summary: "Delete a source",
    description:
      "What waits in its outbox stays there. The local source cannot be deleted: `tidings grant-sql --revoke` ends the calls of its roles.",
    category: "configuration",
    audit: "everyone",
    params: sourcePath,
    success: { status: 204 },
    errors: ["SOURCE_NOT_FOUND", "SOURCE_LOCAL"],
  }),
  "sources.check": operation({
    id: "sources.check",
    method: "POST",
    path: "/v2/sources/{sourceId}/check",
    summary: "Check a source",
    description: "Connects to its database now, and says whether the outbox can be read, emptied and listened to.",
    category: "configuration",
    audit: "everyone",
    params: sourcePath,
    success: { status: 200, schema: SourceCheck },
    errors: ["SOURCE_NOT_FOUND"],
  }),
};
