// Downloads as CSV: `GET /v1/exports/subscribers.csv`, `…/subscriptions.csv?topicKey=…`, `…/faulty-lines.csv?importId=…`, and with the
// query of the list that has the same rows `…/activity.csv`, `…/dead-letters.csv`, `…/statistics.csv`. The rows are streamed as they are read, so no answer
// is held in memory.
import { Readable } from "node:stream";
import { type ExportId, type JsonObject, type Operation, type OperationId, operations } from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { openActivityExport } from "../app/events/activity-export.ts";
import { exportStatistics } from "../app/events/statistics-export.ts";
import { exportDeadLetters } from "../app/messages/dead-letter-export.ts";
import { recordChange } from "../app/people/audit.ts";
import { actorOf } from "../app/people/audited-change.ts";
import { openExport } from "../app/subscribers/exports.ts";
import type { Caller, NetworkCtx } from "../context.ts";
import { failure, invalid } from "../failure.ts";
import type { WrongKeyLimiter } from "./auth.ts";
import { identifyCaller } from "./caller.ts";
import { sendError } from "./errors.ts";
import { createInputReader } from "./input.ts";
import { sourceOf } from "./people/person-auth.ts";
import { type RateLimiter, takeTokens } from "./rate-limit.ts";
import { createTranslator } from "./vocabulary.ts";

/** Downloads of one environment at a time, in one process. */
const maxPerEnvironment = 5;
/** A client that reads nothing for so long is disconnected. */
const idleMs = 60_000;

type Export = {
  /** As an operation, with the id of the export: its least role counts. */
  operation: Operation;
  /** The query parameter that names a record. */
  param: string;
  open(ctx: NetworkCtx, caller: Caller, name: string | undefined, query: never): Promise<AsyncGenerator<string>>;
  /** The query is that of the operation, and is checked as there. */
  isFiltered?: boolean;
};

/** `operation`: the one that reads the same by pages. */
const asOperation = (id: ExportId, operation: OperationId): Operation => ({ ...operations[operation], id });

const exports: Record<string, Export> = {
  "/v1/exports/subscribers.csv": {
    operation: asOperation("exports.subscribers", "subscribers.list"),
    param: "",
    open: openExport.subscribers,
  },
  "/v1/exports/subscriptions.csv": {
    operation: asOperation("exports.subscriptions", "topicSubscriptions.list"),
    param: "topicKey",
    open: openExport.subscriptions,
  },
  "/v1/exports/faulty-lines.csv": {
    operation: asOperation("exports.faultyLines", "imports.listErrors"),
    param: "importId",
    open: openExport.faultyLines,
  },
  "/v1/exports/activity.csv": {
    operation: asOperation("exports.activity", "activity.listEvents"),
    param: "",
    open: (ctx, caller, _, query) => openActivityExport(ctx, caller, query),
    isFiltered: true,
  },
  "/v1/exports/dead-letters.csv": {
    operation: asOperation("exports.deadLetters", "deadLetters.list"),
    param: "",
    open: exportDeadLetters,
    isFiltered: true,
  },
  "/v1/exports/statistics.csv": {
    operation: asOperation("exports.statistics", "statistics.list"),
    param: "",
    open: exportStatistics,
    isFiltered: true,
  },
};

export const exportPaths = Object.keys(exports);

/** People leave a trace when they take the data of many people with them. */
async function recordExport(
  ctx: NetworkCtx,
  caller: Caller,
  what: { operation: string; target: string | undefined; after?: JsonObject },
  request: FastifyRequest,
): Promise<void> {
  const { organizationId, environmentId } = caller;
  const actor = actorOf(caller);
  await recordChange(ctx, { organizationId, environmentId, actor, ...what, source: sourceOf(ctx, request) });
}

type Limiters = { rates: RateLimiter; wrongKeys: WrongKeyLimiter };

/** Filters that name a person. The log of changes cannot find them again when that person is deleted. */
const personalFilters = new Set(["search", "emails", "subscriberIds"]);

const withoutPeople = (query: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !personalFilters.has(name)));

export function addExports(server: FastifyInstance, ctx: NetworkCtx, { rates, wrongKeys }: Limiters): void {
  const open = new Map<string, number>();
  const count = (environmentId: string, by: number) => {
    const next = (open.get(environmentId) ?? 0) + by;
    if (next > 0) open.set(environmentId, next);
    else open.delete(environmentId);
  };
  for (const [url, { operation, param, open: openRows, isFiltered }] of Object.entries(exports)) {
    const translator = createTranslator(ctx.config.vocabulary, operation);
    const readInput = isFiltered ? createInputReader(operation, translator, ctx.config) : undefined;
    server.route<{ Querystring: Record<string, unknown> }>({
      method: "GET",
      url,
      exposeHeadRoute: false,
      errorHandler: (error, request, reply) => sendError(error, request, reply),
      handler: async (request, reply) => {
        const caller = await identifyCaller(ctx, wrongKeys, operation, request, reply);
        const { environmentId } = caller;
        takeTokens(rates, reply, { owner: environmentId, category: operation.category, cost: 1 });
        const name = request.query[param];
        if (name !== undefined && typeof name !== "string") {
          throw invalid({ [param]: { messages: [`${param} must be given once`] } });
        }
        if ((open.get(environmentId) ?? 0) >= maxPerEnvironment) {
          const message = `${maxPerEnvironment} exports of this environment are under way; wait until one of them has ended`;
          throw failure("UNAVAILABLE", {}, { message, headers: { "retry-after": "10" } });
        }
        const query = readInput?.(request).query ?? {};
        const rows = await openRows(ctx, caller, name, query as never);
        const after = isFiltered ? { request: withoutPeople(request.query as JsonObject) } : undefined;
        if (caller.person) await recordExport(ctx, caller, { operation: operation.id, target: name, after }, request);
        count(environmentId, 1);
        reply.raw.once("close", () => count(environmentId, -1));
        reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
        const file = url.slice(url.lastIndexOf("/") + 1);
        return reply
          .headers({
            "content-type": "text/csv; charset=utf-8",
            "content-disposition": `attachment; filename="${file}"`,
            "x-content-type-options": "nosniff",
          })
          .send(Readable.from(rows));
      },
    });
  }
}
