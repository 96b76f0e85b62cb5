// Downloads as CSV: `GET /v1/exports/subscribers.csv?audienceId=…`, `…/subscriptions.csv?topicKey=…`,
// `…/faulty-lines.csv?importId=…`, and, with the query of the list that has the same rows, `…/activity.csv`,
// `…/dead-letters.csv`, `…/statistics.csv`; and the data of one person as an archive,
// `POST /v2/subscribers/{subscriberId}/export`. Everything is streamed while it is read, so no response is held in
// memory.
import { Readable } from "node:stream";
import {
  type ExportId,
  exportOperations,
  type InputOf,
  isAudited,
  type JsonObject,
  type Operation,
} from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { openActivityExport } from "../app/events/activity-export.ts";
import { exportStatistics } from "../app/events/statistics-export.ts";
import { actorOf } from "../app/members/actor.ts";
import { recordChange } from "../app/members/audit.ts";
import { exportDeadLetters } from "../app/messages/dead-letter-export.ts";
import { openExport } from "../app/subscribers/exports.ts";
import { openPersonalExport } from "../app/subscribers/personal-export.ts";
import type { Caller, NetworkCtx } from "../context.ts";
import { failure, invalid } from "../failure.ts";
import type { WrongKeyLimiter } from "./auth/api-keys.ts";
import { identifyCaller } from "./auth/caller.ts";
import { sourceOf } from "./auth/member-sessions.ts";
import { type RateLimiter, takeTokens } from "./auth/rate-limit.ts";
import { sendError } from "./errors.ts";
import { urlOf } from "./operation-routes.ts";
import { createInputReader } from "./request/input.ts";
import { createTranslator } from "./request/vocabulary.ts";

/** Downloads of one environment at a time, in one process. */
const maxPerEnvironment = 5;
/** A client that reads nothing for so long is disconnected. */
const idleMs = 60_000;

/** Texts, or the bytes of an archive. */
type Rows = AsyncGenerator<string> | Readable;

/** `param`: the parameter of the path or the query that names a record. `file`: the name and type of an archive. */
type ExportHandlers = {
  [Id in ExportId]: {
    param?: string;
    file?: { name: string; type: string };
    open: (
      ctx: NetworkCtx,
      caller: Caller,
      name: string | undefined,
      query: InputOf<(typeof exportOperations)[Id]>["query"],
    ) => Promise<Rows>;
  };
};

const handlers: ExportHandlers = {
  "exports.subscribers": { param: "audienceId", open: openExport.subscribers },
  "exports.subscriptions": { param: "topicKey", open: openExport.subscriptions },
  "exports.faultyLines": { param: "importId", open: openExport.faultyLines },
  "exports.activity": { open: (ctx, caller, _, query) => openActivityExport(ctx, caller, query) },
  "exports.deadLetters": { open: exportDeadLetters },
  "exports.statistics": { open: exportStatistics },
  "exports.person": {
    param: "subscriberId",
    file: { name: "personal-data.zip", type: "application/zip" },
    open: openPersonalExport,
  },
};

/**
 * A handler whatever its export. `open` is a method, whose parameters TypeScript compares loosely: the query was
 * checked against the schema of the export.
 */
type ExportHandler = {
  param?: string;
  file?: { name: string; type: string };
  open(ctx: NetworkCtx, caller: Caller, name: string | undefined, query: Record<string, unknown>): Promise<Rows>;
};

const handlerOf = (id: ExportId): ExportHandler => handlers[id];

async function recordExport(
  ctx: NetworkCtx,
  caller: Caller,
  what: { operation: string; target: string | undefined; after?: JsonObject; subscriberId: string | null | undefined },
  request: FastifyRequest,
): Promise<void> {
  const { organizationId, environmentId } = caller;
  const actor = actorOf(caller);
  await recordChange(ctx, { organizationId, environmentId, actor, ...what, source: sourceOf(ctx, request) });
}

type Limiters = { rates: RateLimiter; wrongKeys: WrongKeyLimiter };

/** Filters that name a subscriber. The audit log cannot find them again when that subscriber is deleted. */
const personalFilters = new Set(["search", "emails", "subscriberIds"]);

const withoutPersonalFilters = (query: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !personalFilters.has(name)));

export function addExports(server: FastifyInstance, ctx: NetworkCtx, { rates, wrongKeys }: Limiters): void {
  const open = new Map<string, number>();
  const count = (environmentId: string, by: number) => {
    const next = (open.get(environmentId) ?? 0) + by;
    if (next > 0) open.set(environmentId, next);
    else open.delete(environmentId);
  };
  for (const id of Object.keys(exportOperations) as ExportId[]) {
    const operation: Operation = exportOperations[id];
    const { method, path, query: filters } = operation;
    const { param = "", file, open: openRows } = handlerOf(id);
    const { name: fileName, type } = file ?? {
      name: path.slice(path.lastIndexOf("/") + 1),
      type: "text/csv; charset=utf-8",
    };
    const translator = createTranslator(ctx.config.vocabulary, operation);
    const readInput = filters && createInputReader(operation, translator, ctx.config);
    server.route<{ Querystring: Record<string, unknown> }>({
      method,
      url: urlOf(path),
      exposeHeadRoute: false,
      errorHandler: (error, request, reply) => sendError(error, request, reply),
      handler: async (request, reply) => {
        const caller = await identifyCaller(ctx, wrongKeys, operation, request, reply);
        const { environmentId } = caller;
        takeTokens(rates, reply, { owner: environmentId, category: operation.category, cost: 1 });
        const given = (request.params as Record<string, unknown>)[param] ?? request.query[param];
        // PostgreSQL does not accept U+0000: a name with it is not found.
        const name = typeof given === "string" ? given.replaceAll("\0", "\ufffd") : given;
        if (name !== undefined && typeof name !== "string") {
          throw invalid({ [param]: { messages: [`${param} must be given once`] } });
        }
        if ((open.get(environmentId) ?? 0) >= maxPerEnvironment) {
          const message = `${maxPerEnvironment} exports of this environment are in progress; wait until one of them has ended`;
          throw failure("UNAVAILABLE", {}, { message, headers: { "retry-after": "10" } });
        }
        const query = readInput?.(request).query ?? {};
        const rows = await openRows(ctx, caller, name, query);
        const after = filters ? { request: withoutPersonalFilters(request.query as JsonObject) } : undefined;
        if (isAudited(operation, caller.member ? "member" : "key"))
          await recordExport(
            ctx,
            caller,
            { operation: id, target: name, after, subscriberId: file ? name : null },
            request,
          );
        count(environmentId, 1);
        reply.raw.once("close", () => count(environmentId, -1));
        reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
        return reply
          .headers({
            "content-type": type,
            "content-disposition": `attachment; filename="${fileName}"`,
            "x-content-type-options": "nosniff",
          })
          .send(rows instanceof Readable ? rows : Readable.from(rows));
      },
    });
  }
}
