// Downloads as CSV: `GET /v1/exports/subscribers.csv`, `…/subscriptions.csv?topicKey=…`, `…/faulty-lines.csv?importId=…`. The rows are
// streamed as they are read, so no answer is held in memory.
import { Readable } from "node:stream";
import { type Operation, operations } from "@tidings/contract";
import type { FastifyInstance } from "fastify";
import { openExport } from "../app/subscribers/exports.ts";
import type { Caller, NetworkCtx } from "../context.ts";
import { failure, invalid } from "../failure.ts";
import type { WrongKeyLimiter } from "./auth.ts";
import { identifyCaller } from "./caller.ts";
import { sendError } from "./errors.ts";
import { type RateLimiter, takeTokens } from "./rate-limit.ts";

/** Downloads of one environment at a time, in one process. */
const maxPerEnvironment = 5;
/** A client that reads nothing for so long is disconnected. */
const idleMs = 60_000;

type Export = {
  /** The one that reads the same by pages: its least role counts. */
  operation: Operation;
  /** The query parameter that names a record. */
  param: string;
  open(ctx: NetworkCtx, caller: Caller, name: string | undefined): Promise<AsyncGenerator<string>>;
};

const exports: Record<string, Export> = {
  "/v1/exports/subscribers.csv": {
    operation: operations["subscribers.list"],
    param: "",
    open: openExport.subscribers,
  },
  "/v1/exports/subscriptions.csv": {
    operation: operations["topicSubscriptions.list"],
    param: "topicKey",
    open: openExport.subscriptions,
  },
  "/v1/exports/faulty-lines.csv": {
    operation: operations["imports.listErrors"],
    param: "importId",
    open: openExport.faultyLines,
  },
};

export const exportPaths = Object.keys(exports);

type Limiters = { rates: RateLimiter; wrongKeys: WrongKeyLimiter };

export function addExports(server: FastifyInstance, ctx: NetworkCtx, { rates, wrongKeys }: Limiters): void {
  const open = new Map<string, number>();
  const count = (environmentId: string, by: number) => {
    const next = (open.get(environmentId) ?? 0) + by;
    if (next > 0) open.set(environmentId, next);
    else open.delete(environmentId);
  };
  for (const [url, { operation, param, open: openRows }] of Object.entries(exports)) {
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
        const rows = await openRows(ctx, caller, name);
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
