// One Fastify route per operation of the contract: authentication, rate limit, metrics and log line of a request, and the
// parser of its body. handle.ts does the rest.
import { type Operation, type OperationId, operations, readsOnly, successStatuses } from "@tidings/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { requireReportTarget } from "../app/webhooks/inbound-webhooks.ts";
import type { Ctx, NetworkCtx } from "../context.ts";
import type { Admission } from "./admission.ts";
import { authenticate, type WrongKeyLimiter } from "./auth.ts";
import { sendError } from "./errors.ts";
import { createRequestHandler } from "./handle.ts";
import { acceptForms } from "./multipart.ts";
import { type RateLimiter, rateLimitOwner, takeTokens } from "./rate-limit.ts";
import { acceptRaw } from "./request-parsers.ts";
import { bulkCosts, type Handler, routes } from "./routes.ts";

type Limiters = { rates: RateLimiter; wrongKeys: WrongKeyLimiter; admission: Admission };

/** Operations that accept events. */
const acceptsEvents: ReadonlySet<OperationId> = new Set(["events.trigger", "events.triggerBulk", "events.broadcast"]);

/** The path in the notation of Fastify. */
const urlOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

export function addOperations(server: FastifyInstance, ctx: NetworkCtx, limiters: Limiters): void {
  for (const id of Object.keys(operations) as OperationId[]) {
    const operation: Operation = operations[id];
    const route = routeOf(ctx, id, limiters);
    // Bodies that are not JSON need a Fastify scope with a parser of their own.
    if (!operation.bodyType) server.route(route);
    else
      server.register(async (scope) => {
        if (operation.bodyType === "raw") acceptRaw(scope);
        else acceptForms(scope, operation);
        scope.route(route);
      });
  }
}

function routeOf(ctx: NetworkCtx, id: OperationId, { rates, wrongKeys, admission }: Limiters): RouteOptions {
  const operation: Operation = operations[id];
  const { schema } = operation.success;
  const bulkCost = bulkCosts[id];
  const charge = (request: FastifyRequest, reply: FastifyReply, cost: number) => {
    request.isCounted = true;
    takeTokens(rates, reply, { owner: rateLimitOwner(request), category: operation.category, cost });
  };
  const handle = createRequestHandler(ctx, id, routes[id] as Handler);
  const isSingle = id === "events.trigger";
  const admitted: typeof handle = (request, reply) =>
    admission.run({ environmentId: request.caller!.environmentId, isSingle }, () => handle(request, reply));
  return {
    method: operation.method,
    url: urlOf(operation.path),
    // A GET that only reads answers HEAD as well. A GET that writes does not: HEAD would write too.
    exposeHeadRoute: readsOnly(operation),
    bodyLimit: operation.bodyLimit === "bulk" ? ctx.config.bulkBodyLimit : ctx.config.bodyLimit,
    schema: schema
      ? { response: Object.fromEntries(successStatuses(operation.success).map((status) => [status, schema])) }
      : {},
    onRequest: async (request, reply) => {
      if (!operation.access) {
        const credentials = { header: request.headers.authorization, address: request.ip };
        request.caller = await authenticate(ctx, wrongKeys, credentials);
      }
      if (!bulkCost) charge(request, reply, 1);
    },
    preHandler: async (request, reply) => {
      if (bulkCost) charge(request, reply, bulkCost(request.body));
    },
    onResponse: async (request, reply) => recordRequest(ctx, id, request, reply),
    errorHandler: (error, request, reply) => {
      // A bulk request whose body could not be parsed has not been charged yet: it costs one token.
      let answer: unknown = error;
      try {
        if (request.caller && !request.isCounted) charge(request, reply, 1);
      } catch (refusal) {
        answer = refusal;
      }
      sendError(answer, request, reply);
    },
    handler: acceptsEvents.has(id) ? admitted : handle,
  };
}

function recordRequest(ctx: Ctx, operation: OperationId, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply;
  ctx.metrics.requests.inc({ operation, status });
  ctx.metrics.requestSeconds.observe({ operation }, elapsedTime / 1000);
  const env = request.caller?.environmentId;
  request.log.debug({ operation, status, ms: Math.round(elapsedTime), env }, "request");
}

const receiptOperation = operations["inboundWebhooks.receive"];
export const receiptPath = receiptOperation.path;

/**
 * Some providers probe the address of their receipts before they use it: Mandrill sends HEAD and registers no webhook that
 * answers anything but 200. The probe is unsigned, so it learns only whether the integration exists, as an unsigned receipt
 * does.
 */
export function addReceiptProbe(server: FastifyInstance, ctx: Ctx, rates: RateLimiter): void {
  server.route({
    method: "HEAD",
    url: urlOf(receiptPath),
    onRequest: async (request, reply) => {
      takeTokens(rates, reply, { owner: rateLimitOwner(request), category: receiptOperation.category, cost: 1 });
    },
    handler: async (request, reply) => {
      await requireReportTarget(ctx, request.params as { environmentId: string; integrationId: string });
      return reply.code(200).send();
    },
  });
}
