// One Fastify route per operation of the contract: authentication, rate limit, metrics and log line of a request, and the
// parser of its body. handle.ts does the rest.
import {
  type Input,
  type Operation,
  type OperationId,
  operations,
  readsOnly,
  successStatuses,
} from "@tidings/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { requireReportTarget } from "../app/webhooks/inbound-webhooks.ts";
import type { Config } from "../config.ts";
import type { Ctx, NetworkCtx } from "../context.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Admission } from "./admission.ts";
import { authenticate, type WrongKeyLimiter } from "./auth.ts";
import { sendError } from "./errors.ts";
import type { Threads } from "./handed-requests.ts";
import { createRequestHandler } from "./handle.ts";
import { authenticateInbox } from "./inbox-auth.ts";
import { allowReading, isInboxPath, refuseOrigin } from "./inbox-cors.ts";
import type { LockGates } from "./limits/lock-gate.ts";
import { acceptForms } from "./multipart.ts";
import { authenticatePerson, enterEnvironment, isOfDashboard } from "./people/person-auth.ts";
import type { SignInLimit } from "./people/sign-in-limit.ts";
import { type RateLimiter, rateLimitOwner, takeTokens } from "./rate-limit.ts";
import { acceptRaw } from "./request-parsers.ts";
import { bulkCosts, type Handler, routes } from "./routes.ts";
import { createAdmittedAnswer } from "./shared-requests.ts";

type Limiters = {
  rates: RateLimiter;
  wrongKeys: WrongKeyLimiter;
  admission: Admission;
  threads: Threads;
  signIn: SignInLimit;
  gates: LockGates;
};

/** Operations that accept events. */
const acceptsEvents: ReadonlySet<OperationId> = new Set(["events.trigger", "events.triggerBulk", "events.broadcast"]);

/** The path in the notation of Fastify. */
const urlOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The operations that this service has, depending on its settings: those of the dashboard can be switched off. */
export const servedOperations = ({ dashboard }: Config): OperationId[] =>
  (Object.keys(operations) as OperationId[]).filter((id) => dashboard || !/^(auth|people|auditLog)\./.test(id));

export function addOperations(server: FastifyInstance, ctx: NetworkCtx, limiters: Limiters): void {
  for (const id of servedOperations(ctx.config)) {
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

function routeOf(ctx: NetworkCtx, id: OperationId, limiters: Limiters): RouteOptions {
  const { rates } = limiters;
  const operation: Operation = operations[id];
  const { schema } = operation.success;
  const bulkCost = bulkCosts[id];
  const charge = (request: FastifyRequest, reply: FastifyReply, cost: number) => {
    request.isCounted = true;
    takeTokens(rates, reply, { owner: rateLimitOwner(request, operation), category: operation.category, cost });
  };
  const handler = routes[id] as Handler;
  const answer = acceptsEvents.has(id) ? createAdmittedAnswer(ctx, id, handler, limiters) : undefined;
  return {
    method: operation.method,
    url: urlOf(operation.path),
    // A GET that only reads answers HEAD as well. A GET that writes does not: HEAD would write too.
    exposeHeadRoute: readsOnly(operation),
    config: { keepsText: "runMany" in handler },
    bodyLimit: operation.bodyLimit === "bulk" ? ctx.config.bulkBodyLimit : ctx.config.bodyLimit,
    schema: schema
      ? { response: Object.fromEntries(successStatuses(operation.success).map((status) => [status, schema])) }
      : {},
    onRequest: async (request, reply) => {
      if (isInboxPath(operation.path)) allowReading(request, reply);
      await identify(ctx, operation, limiters, request, reply);
      if (!bulkCost) charge(request, reply, 1);
    },
    preHandler: async (request, reply) => {
      if (bulkCost) charge(request, reply, bulkCost(request.body));
      limiters.signIn(id, request);
      // The bucket of the address is paid; that of the subscriber, who may be asked for from many addresses, is another one.
      if (id === "inbox.openSession") {
        takeTokens(rates, reply, { owner: wantedInbox(request.body), category: operation.category, cost: 1 });
      }
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
      ctx.faults.note(answer);
      sendError(answer, request, reply);
    },
    handler: createRequestHandler(ctx, id, handler, limiters.gates, answer),
  };
}

/** Who makes the request: an API key, the subscriber of an inbox, a signed-in person; none of them for open and signed operations. */
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
  } else if (operation.access === "person") {
    request.person = await authenticatePerson(ctx, operation, request, reply);
  } else if (!operation.access && isOfDashboard(ctx, request)) {
    request.caller = await enterEnvironment(ctx, await authenticatePerson(ctx, operation, request, reply), request);
  } else if (!operation.access) {
    request.caller = await authenticate(ctx, wrongKeys, credentials);
  }
}

/** The inbox that a session is asked for, whether it exists or not. */
function wantedInbox(body: unknown): string {
  const { applicationIdentifier, subscriber } = (body ?? {}) as Partial<Input<"inbox.openSession">["body"]>;
  return `session:${sha256(JSON.stringify([applicationIdentifier, subscriber?.subscriberId])).toString("base64")}`;
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
 * What an operator looks for: a known caller was refused, or the service failed. Requests that anyone can send in any number (wrong keys, rate
 * limits) must not fill the disk.
 */
const isNoteworthy = ({ caller, person }: FastifyRequest, status: number): boolean =>
  status >= 500 || (status >= 400 && status !== 429 && (caller !== null || person !== null));

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
