// One Fastify route per operation of the contract: authentication, rate limit, metrics and log line of a request, and
// the parser of its body. handle.ts does the rest.
import { type Operation, type OperationId, operations, readsOnly } from "@tidings/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { requireReportTarget } from "../app/webhooks/inbound-webhooks.ts";
import type { Config } from "../config.ts";
import type { Ctx, NetworkCtx } from "../context.ts";
import { authenticate, type WrongKeyLimiter } from "./auth/api-keys.ts";
import type { ExtraLimits } from "./auth/extra-limits.ts";
import { allowReading, isInboxPath, refuseOrigin } from "./auth/inbox-cors.ts";
import { authenticateInbox } from "./auth/inbox-sessions.ts";
import { authenticateMember, enterEnvironment, isOfDashboard } from "./auth/member-sessions.ts";
import { type RateLimiter, rateLimitOwner, takeTokens } from "./auth/rate-limit.ts";
import { sendError } from "./errors.ts";
import { createRequestHandler } from "./request/handle.ts";
import type { LockGates } from "./request/lock-gate.ts";
import { acceptForms } from "./request/multipart.ts";
import { acceptRaw } from "./request/parsers.ts";
import { beginRequestSpan, endRequestSpan } from "./request/request-span.ts";
import { handlerOf } from "./routes.ts";
import type { Admission } from "./triggers/admission.ts";
import type { WorkerPool } from "./triggers/worker-handover.ts";

type Limiters = {
  rates: RateLimiter;
  wrongKeys: WrongKeyLimiter;
  admission: Admission;
  workers: WorkerPool;
  extra: ExtraLimits;
  gates: LockGates;
};

/** The path in the notation of Fastify. */
export const urlOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The operations that this service has, depending on its settings. */
const servedOperations = (config: Config): OperationId[] =>
  (Object.keys(operations) as OperationId[]).filter((id) => {
    const { feature }: Operation = operations[id];
    return feature === undefined || config[feature];
  });

export function addOperations(server: FastifyInstance, ctx: NetworkCtx, limiters: Limiters): void {
  for (const id of servedOperations(ctx.config)) {
    const operation: Operation = operations[id];
    const route = routeOf(ctx, id, limiters);
    // Bodies that are not JSON need a Fastify scope with their own parser.
    if (!operation.bodyType) server.route(route);
    else
      server.register(async (scope) => {
        if (operation.bodyType === "raw") acceptRaw(scope);
        else acceptForms(scope, operation);
        scope.route(route);
      });
  }
}

function routeOf(ctx: NetworkCtx, id: OperationId, limiters: Limiters): RouteOptions {
  const { rates } = limiters;
  const operation: Operation = operations[id];
  const { cost, limits = [] } = operation;
  const charge = (request: FastifyRequest, reply: FastifyReply, tokens: number) => {
    request.isCounted = true;
    takeTokens(rates, reply, { owner: rateLimitOwner(request, operation), category: operation.category, cost: tokens });
  };
  const handler = handlerOf(id);
  const isTrigger = "batch" in handler;
  return {
    ...methodsOf(operation),
    url: urlOf(operation.path),
    config: { keepsText: isTrigger },
    bodyLimit: operation.bodyLimit === "bulk" ? ctx.config.bulkBodyLimit : ctx.config.bodyLimit,
    onRequest: async (request, reply) => {
      beginRequestSpan(ctx, id, request, isTrigger);
      if (isInboxPath(operation.path)) allowReading(request, reply);
      await identify(ctx, operation, limiters, request, reply);
      if (!cost) charge(request, reply, 1);
    },
    preHandler: async (request, reply) => {
      if (cost) charge(request, reply, cost(request.body));
      for (const limit of limits) limiters.extra[limit](request, reply);
    },
    onResponse: async (request, reply) => {
      recordRequest(ctx, id, request, reply);
      endRequestSpan(request, reply);
    },
    errorHandler: (error, request, reply) => {
      // A bulk request whose body could not be parsed has not been charged yet: it costs one token.
      let thrown: unknown = error;
      try {
        if (request.caller && !request.isCounted) charge(request, reply, 1);
      } catch (refusal) {
        thrown = refusal;
      }
      ctx.faults.note(thrown);
      sendError(thrown, request, reply);
    },
    handler: createRequestHandler(ctx, id, handler, limiters),
  };
}

/**
 * A GET that only reads serves HEAD as well, in the same route: adding a route takes 0.2 ms of a core. A GET that
 * writes does not: HEAD would write too.
 */
const methodsOf = (operation: Operation): Pick<RouteOptions, "method" | "exposeHeadRoute" | "onSend"> =>
  operation.method === "GET" && readsOnly(operation)
    ? { method: ["GET", "HEAD"], onSend: leaveOutBody }
    : { method: operation.method, exposeHeadRoute: false };

async function leaveOutBody(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (request.method !== "HEAD") return payload;
  reply.header("content-length", Buffer.byteLength(String(payload ?? "")));
  return null;
}

/**
 * Identifies the API key, the subscriber of an inbox or the signed-in member; open and signed operations have no
 * caller.
 */
async function identify(
  ctx: NetworkCtx,
  operation: Operation,
  { wrongKeys }: Limiters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const credentials = { header: request.headers.authorization, address: request.ip };
  if (operation.access === "inbox") {
    request.caller = await authenticateInbox(ctx, wrongKeys, credentials);
    refuseOrigin(ctx, request.caller, request.headers.origin);
  } else if (operation.access === "member") {
    request.member = await authenticateMember(ctx, operation, request, reply);
  } else if (!operation.access && isOfDashboard(ctx, request)) {
    request.caller = await enterEnvironment(ctx, await authenticateMember(ctx, operation, request, reply), request);
  } else if (!operation.access) {
    request.caller = await authenticate(ctx, wrongKeys, operation, credentials);
  }
}

function recordRequest(ctx: Ctx, operation: OperationId, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply;
  ctx.metrics.requests.inc({ operation, status });
  ctx.metrics.requestSeconds.observe({ operation }, elapsedTime / 1000);
  const { method, path: route } = operations[operation];
  const env = request.caller?.environmentId;
  const line = { operation, method, route, status, ms: Math.round(elapsedTime), env };
  if (isNoteworthy(request, status)) request.log.info(line, "request");
  else request.log.debug(line, "request");
}

/**
 * What an operator searches for: a known caller was refused, or the service failed. Requests that anyone can send in
 * any number (wrong keys, rate limits) must not fill the disk.
 */
const isNoteworthy = ({ caller, member }: FastifyRequest, status: number): boolean =>
  status >= 500 || (status >= 400 && status !== 429 && (caller !== null || member !== null));

const receiptOperation = operations["inboundWebhooks.receive"];

/**
 * Some providers probe the address of their receipts before they use it: Mandrill sends HEAD and registers no webhook
 * that returns anything but 200. The probe is unsigned, so it learns only whether the integration exists, as an
 * unsigned receipt does.
 */
export function addReceiptProbe(server: FastifyInstance, ctx: Ctx, rates: RateLimiter): void {
  server.route({
    method: "HEAD",
    url: urlOf(receiptOperation.path),
    onRequest: async (request, reply) => {
      takeTokens(rates, reply, {
        owner: rateLimitOwner(request, receiptOperation),
        category: receiptOperation.category,
        cost: 1,
      });
    },
    handler: async (request, reply) => {
      await requireReportTarget(ctx, request.params as { environmentId: string; integrationId: string });
      return reply.code(200).send();
    },
  });
}
