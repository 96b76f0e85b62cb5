// The HTTP server: Fastify with a route for each operation of the contract, the pages and the system routes. SQL
// and rules are in the layers below.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { tooNewText } from "../app/readiness.ts";
import type { NetworkCtx } from "../context.ts";
import { failure } from "../failure.ts";
import type { Budgets } from "../lib/load/budgets.ts";
import type { Hub } from "../pipeline/live/hub.ts";
import { findBacklogAges } from "../store/queue/backlog.ts";
import { addAliases } from "./aliases/routes.ts";
import { createWrongKeyLimiter, type WrongKeyLimiter } from "./auth/api-keys.ts";
import { createExtraLimits } from "./auth/extra-limits.ts";
import { addInboxPreflight } from "./auth/inbox-cors.ts";
import { createRateLimiter } from "./auth/rate-limit.ts";
import { addDashboard } from "./dashboard/routes.ts";
import { answerClientError, maxHeadBytes, sendError } from "./errors.ts";
import { addExports } from "./exports.ts";
import { addActivityStream, type WatchCallers } from "./live/activity-stream.ts";
import { addSockets } from "./live/sockets.ts";
import { addInboxStream } from "./live/stream.ts";
import { addMcp } from "./mcp/endpoint.ts";
import { addOperations, addReceiptProbe } from "./operation-routes.ts";
import { addAssetFiles } from "./pages/asset-files.ts";
import { addChatOauthPage } from "./pages/chat-oauth-page.ts";
import { addInboxFiles } from "./pages/inbox-files.ts";
import { addInboxPage } from "./pages/inbox-page.ts";
import { addOidcPages } from "./pages/oidc-page.ts";
import { addPackageFiles } from "./pages/package-files.ts";
import { addPreferencePage } from "./pages/preference-page.ts";
import { createLockGates } from "./request/lock-gate.ts";
import { acceptJson, parseQueryString } from "./request/parsers.ts";
import { requestIdOf } from "./request/request-id.ts";
import { createRouteErrors, pathOf, routeNotFound } from "./route-errors.ts";
import { addSystemRoutes, type SystemOptions } from "./system-routes.ts";
import { createAdmission } from "./triggers/admission.ts";
import type { WorkerPool } from "./triggers/worker-handover.ts";

export type ServerOptions = SystemOptions & {
  /** The used parts of the rate limits, shared with other processes. */
  rates: Budgets;
  /** Null where live connections are not accepted. */
  hub: Hub | null;
  /** From the signal to stop on: what is served is the last on its connection. */
  isStopping: () => boolean;
  /** The name of a migration with which this version cannot run. */
  findNewerSchema: () => string | null;
  workers: WorkerPool;
  watchCallers: WatchCallers;
};

export function createServer(ctx: NetworkCtx, options: ServerOptions): FastifyInstance {
  const server = createFastify(ctx);
  server.decorateRequest("caller", null);
  server.decorateRequest("member", null);
  server.decorateRequest("isCounted", false);
  server.decorateRequest("span", null);
  server.decorateRequest("trace", null);
  acceptJson(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const routeErrorOf = createRouteErrors(server, ctx.config);
  server.setNotFoundHandler((request, reply) => sendError(routeErrorOf(request), request, reply));
  server.addHook("onRequest", async (request, reply) => {
    // Responses hold keys and personal data, so caches must not store them.
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    refuseIfTooOld(request, options.findNewerSchema());
    // Thrown here and not by the handler, so that 404 and 405 come before any error in the body.
    if (request.is404) {
      // Without the query, which may have a token.
      request.log.debug({ method: request.method, path: pathOf(request).slice(0, 200) }, "request without a route");
      throw routeErrorOf(request);
    }
  });
  // Requests on connections that are open when the stop begins are served: a load balancer may not have noticed yet.
  // The response asks the client not to use the connection again.
  server.addHook("onSend", async (_request, reply) => {
    if (options.isStopping()) reply.header("connection", "close");
  });
  closeIdleConnections(server);
  addSystemRoutes(server, ctx, options);
  if (ctx.config.roles.has("api")) addApi(server, ctx, options);
  return server;
}

/** Served whatever the schema is: they say what is wrong. */
const systemPaths = new Set(["/health", "/ready", "/metrics"]);

function refuseIfTooOld(request: FastifyRequest, newer: string | null): void {
  if (newer === null || systemPaths.has(request.routeOptions.url ?? "")) return;
  const options = { message: tooNewText(newer), headers: { "retry-after": "5", connection: "close" } };
  throw failure("UNAVAILABLE", {}, options);
}

/** What processes without the role `api` do not serve. */
function addApi(server: FastifyInstance, ctx: NetworkCtx, options: ServerOptions): void {
  const now = () => performance.now();
  const wrongKeys = createWrongKeyLimiter(ctx.config.wrongKeys, now);
  if (ctx.config.vocabulary === "novu") addAliases(server);
  if (options.hub) addLiveDoors(server, ctx, options.hub, { wrongKeys, watchCallers: options.watchCallers });
  addDashboard(server, ctx.config);
  const rates = createRateLimiter(ctx.config.rates, now, options.rates);
  addExports(server, ctx, { rates, wrongKeys });
  addMcp(server, ctx, { rates, wrongKeys });
  addPreferencePage(server, ctx, rates);
  addChatOauthPage(server, ctx, rates);
  addOidcPages(server, ctx, rates);
  addInboxFiles(server);
  addAssetFiles(server, ctx, rates);
  addPackageFiles(server, ctx.config);
  addInboxPage(server, ctx, rates);
  addReceiptProbe(server, ctx, rates);
  addInboxPreflight(server);
  const admission = createAdmission({
    findAges: () => findBacklogAges(ctx.db),
    connections: ctx.config.databasePool,
    countThreads: options.workers.count,
    onError: ctx.faults.noteInBackground,
  });
  const extra = createExtraLimits({ rates, budgets: options.rates, now });
  const gates = createLockGates({
    connections: ctx.config.databasePool,
    lockMs: ctx.config.lockSeconds * 1_000,
  });
  addOperations(server, ctx, { rates, wrongKeys, admission, extra, gates, workers: options.workers });
}

const createFastify = (ctx: NetworkCtx): FastifyInstance =>
  fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // operation-routes.ts logs one line per request with the operation's name; Fastify's own two lines lack it.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ctx.config.bodyLimit,
    // Other upgrades are left alone: some HTTP clients offer HTTP/2 (h2c) with every request, and expect a plain
    // response.
    http: { maxHeaderSize: maxHeadBytes, shouldUpgradeCallback: isWebSocket },
    clientErrorHandler: answerClientError,
    // Headers of other clients are not believed: each of them could choose its address.
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    genReqId: ({ headers }) => requestIdOf(headers),
    // A path parameter may be as long as the head of a request: ids that are too long are not found, instead of
    // refused.
    routerOptions: { querystringParser: parseQueryString, ignoreTrailingSlash: true, maxParamLength: maxHeadBytes },
    // Called for a path that cannot be decoded. No hook runs for it.
    frameworkErrors: (_error, request, reply) => {
      reply.header("x-request-id", request.id);
      sendError(routeNotFound(request), request as FastifyRequest, reply as FastifyReply);
    },
    // Requests on open connections are served until the last one is closed.
    return503OnClosing: false,
  });

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** Live connections do not end on their own, so they are closed first. */
function addLiveDoors(
  server: FastifyInstance,
  ctx: NetworkCtx,
  hub: Hub,
  callers: { wrongKeys: WrongKeyLimiter; watchCallers: WatchCallers },
): void {
  addInboxStream(server, ctx, hub);
  addSockets(server, ctx, hub);
  addActivityStream(server, ctx, callers);
  server.addHook("preClose", () => hub.drain());
}

/**
 * Closing a server waits until all connections have ended. Connections without a request so far, and those that idle
 * after the last response, would delay it until their keep-alive time ends, so they are closed.
 */
function closeIdleConnections(server: FastifyInstance): void {
  const unused = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.server.on("request", (request: IncomingMessage) => unused.delete(request.socket));
  server.server.on("upgrade", (request: IncomingMessage) => unused.delete(request.socket));
  server.addHook("preClose", (done) => {
    for (const socket of unused) socket.destroy();
    const sweep = setInterval(() => server.server.closeIdleConnections(), 100).unref();
    server.server.once("close", () => clearInterval(sweep));
    done();
  });
}
