// The HTTP server: Fastify with a route for each operation of the contract, the pages for people and the system routes. SQL
// and rules are in the layers below.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Operation, operations, readsOnly } from "@tidings/contract";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { chatOauthCallbackPath } from "../app/integrations/chat-oauth.ts";
import { type Config, hasInboxPage } from "../config.ts";
import type { NetworkCtx } from "../context.ts";
import { failure } from "../failure.ts";
import type { Budgets } from "../lib/load/budgets.ts";
import type { Hub } from "../pipeline/live/hub.ts";
import { findBacklogAges } from "../store/queue/backlog.ts";
import { createAdmission } from "./admission.ts";
import { addAliases, aliasRoutes } from "./aliases/routes.ts";
import { createWrongKeyLimiter, type WrongKeyLimiter } from "./auth.ts";
import { addDashboard, dashboardPathsOf } from "./dashboard/routes.ts";
import { answerClientError, maxHeadBytes, sendError } from "./errors.ts";
import { addExports, exportPaths } from "./exports.ts";
import { addInboxPreflight } from "./inbox-cors.ts";
import { createLockGates } from "./limits/lock-gate.ts";
import { activityStreamPath, addActivityStream, type WatchPeople } from "./live/activity-stream.ts";
import { addSockets } from "./live/sockets.ts";
import { addInboxStream, streamPath } from "./live/stream.ts";
import { addOperations, addReceiptProbe, receiptPath, servedOperations } from "./operation-routes.ts";
import { addChatOauthPage } from "./pages/chat-oauth-page.ts";
import { addInboxFiles, inboxFilesPath, inboxScriptPath } from "./pages/inbox-files.ts";
import { addInboxPage, inboxPagePath, welcomePath } from "./pages/inbox-page.ts";
import { addPreferencePage, preferencePagePath } from "./pages/preference-page.ts";
import { addOidcPages, oidcPaths } from "./people/oidc-page.ts";
import { createSignInLimit } from "./people/sign-in-limit.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { acceptJson, parseQueryString } from "./request-parsers.ts";
import { serialiserOf } from "./serialisers.ts";
import { addSystemRoutes, type SystemOptions, systemPathsOf } from "./system-routes.ts";

export type ServerOptions = SystemOptions & {
  /** The used parts of the rate limits, shared with other processes. */
  rates: Budgets;
  /** Null where live connections are not accepted. */
  hub: Hub | null;
  isDraining: () => boolean;
  watchPeople: WatchPeople;
};

const requestIdPattern = /^[\w.:-]{1,128}$/;

export function createServer(ctx: NetworkCtx, options: ServerOptions): FastifyInstance {
  const server = createFastify(ctx);
  server.decorateRequest("caller", null);
  server.decorateRequest("person", null);
  server.decorateRequest("isCounted", false);
  server.setSerializerCompiler(
    ({ schema }) =>
      (answer) =>
        serialiserOf(schema)(answer),
  );
  acceptJson(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const known = ctx.config.roles.has("api")
    ? knownRoutes(ctx.config, options.hub !== null)
    : systemPathsOf(ctx.config).flatMap((path) => knownRoute(path, readMethods));
  const refuseRoute = (request: FastifyRequest) => routeError(known, request, ctx.config);
  server.setNotFoundHandler((request, reply) => sendError(refuseRoute(request), request, reply));
  server.addHook("onRequest", async (request, reply) => {
    // Answers hold keys and personal data, so caches must not store them.
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    if (options.isDraining())
      throw failure("UNAVAILABLE", {}, { headers: { "retry-after": "5", connection: "close" } });
    // Thrown here and not by the handler, so that 404 and 405 come before any fault of the body.
    if (request.is404) {
      // Without the query, which may have a token.
      request.log.debug({ method: request.method, path: pathOf(request).slice(0, 200) }, "request without a route");
      throw refuseRoute(request);
    }
  });
  // The last answer on a connection tells the client not to use it again.
  server.addHook("onSend", async (_request, reply) => {
    if (options.isDraining()) reply.header("connection", "close");
  });
  closeIdleConnections(server);
  addSystemRoutes(server, ctx, options);
  if (ctx.config.roles.has("api")) addApi(server, ctx, options);
  return server;
}

/** What processes without the role `api` do not serve. */
function addApi(server: FastifyInstance, ctx: NetworkCtx, options: ServerOptions): void {
  const now = () => performance.now();
  const wrongKeys = createWrongKeyLimiter(ctx.config.wrongKeys, now);
  if (ctx.config.vocabulary === "novu") addAliases(server);
  if (options.hub) addLiveDoors(server, ctx, options.hub, { wrongKeys, watchPeople: options.watchPeople });
  addDashboard(server, ctx.config);
  const rates = createRateLimiter(ctx.config.rates, now, options.rates);
  addExports(server, ctx, { rates, wrongKeys });
  addPreferencePage(server, ctx, rates);
  addChatOauthPage(server, ctx, rates);
  addOidcPages(server, ctx, rates);
  addInboxFiles(server);
  addInboxPage(server, ctx, rates);
  addReceiptProbe(server, ctx, rates);
  addInboxPreflight(server);
  const admission = createAdmission({
    findAges: () => findBacklogAges(ctx.db),
    connections: ctx.config.databasePool,
    countThreads: options.threads.count,
    onError: (error) => ctx.log.warn({ err: error }, "the age of waiting events could not be read"),
  });
  const signIn = createSignInLimit(options.rates, now);
  const gates = createLockGates({
    connections: ctx.config.databasePool,
    lockMs: ctx.config.lockSeconds * 1_000,
  });
  addOperations(server, ctx, { rates, wrongKeys, admission, signIn, gates, threads: options.threads });
}

const createFastify = (ctx: NetworkCtx): FastifyInstance =>
  fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // operation-routes.ts logs one line per request with the operation's name; Fastify's own two lines lack it.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ctx.config.bodyLimit,
    // Other upgrades are left alone: some HTTP clients offer HTTP/2 (h2c) with every request, and expect a plain answer.
    http: { maxHeaderSize: maxHeadBytes, shouldUpgradeCallback: isWebSocket },
    clientErrorHandler: answerClientError,
    // Headers of other clients are not believed: each of them could choose its address.
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && requestIdPattern.test(given) ? given : ctx.newId();
    },
    // A path parameter may be as long as the head of a request: ids that are too long are not found, instead of refused.
    routerOptions: { querystringParser: parseQueryString, ignoreTrailingSlash: true, maxParamLength: maxHeadBytes },
    // Called for a path that cannot be decoded. No hook runs for it.
    frameworkErrors: (_error, request, reply) => {
      reply.header("x-request-id", request.id);
      sendError(routeNotFound(request), request as FastifyRequest, reply as FastifyReply);
    },
    // While draining, the hook of createServer answers with the error body of the API.
    return503OnClosing: false,
  });

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** Live connections never end by themselves, so they are closed first. */
function addLiveDoors(
  server: FastifyInstance,
  ctx: NetworkCtx,
  hub: Hub,
  callers: { wrongKeys: WrongKeyLimiter; watchPeople: WatchPeople },
): void {
  addInboxStream(server, ctx, hub);
  addSockets(server, ctx, hub);
  addActivityStream(server, ctx, callers);
  server.addHook("preClose", () => hub.drain());
}

/**
 * Closing a server waits until all connections have ended. Connections without a request so far, and those that idle after
 * the last answer, would delay it for as long as they are kept alive, so they are closed.
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

type KnownRoute = { pattern: RegExp; method: string };

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);

const knownRoute = (path: string, methods: readonly string[]): KnownRoute[] =>
  methods.map((method) => ({ pattern: patternOf(path), method }));

const readMethods = ["GET", "HEAD"] as const;

const knownRoutes = (config: Config, isLive: boolean): KnownRoute[] => [
  ...servedOperations(config).flatMap((id) => {
    const operation: Operation = operations[id];
    const { path, method } = operation;
    return knownRoute(path, method === "GET" && readsOnly(operation) ? readMethods : [method]);
  }),
  ...(config.vocabulary === "novu" ? aliasRoutes : []).flatMap(({ path, method }) => knownRoute(path, [method])),
  ...dashboardPathsOf(config).flatMap((path) => knownRoute(path, readMethods)),
  ...systemPathsOf(config).flatMap((path) => knownRoute(path, readMethods)),
  ...knownRoute(preferencePagePath, [...readMethods, "POST"]),
  ...exportPaths.flatMap((path) => knownRoute(path, ["GET"])),
  ...knownRoute(chatOauthCallbackPath, ["GET"]),
  ...(config.dashboard && config.oidc ? oidcPaths : []).flatMap((path) => knownRoute(path, ["GET"])),
  ...[inboxScriptPath, inboxFilesPath].flatMap((path) => knownRoute(path, readMethods)),
  ...(hasInboxPage(config) ? [...knownRoute(inboxPagePath, readMethods), ...knownRoute(welcomePath, ["POST"])] : []),
  ...knownRoute(receiptPath, ["HEAD"]),
  ...(isLive ? [streamPath, activityStreamPath].flatMap((path) => knownRoute(path, ["GET"])) : []),
];

const pathOf = ({ url }: { url: string }): string => url.split("?")[0]!;

const routeNotFound = (request: { method: string; url: string }): Error =>
  failure("ROUTE_NOT_FOUND", { method: request.method, path: pathOf(request) });

/** A path that exists with other methods is 405 and lists them; any other path is 404. */
function routeError(known: KnownRoute[], request: FastifyRequest, { roles }: Config): Error {
  const path = pathOf(request);
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0 && !roles.has("api")) {
    const message =
      "This process is a worker (TIDINGS_ROLE) and serves /health, /ready and /metrics only: send the request to a process with the role api";
    return failure("ROUTE_NOT_FOUND", { method: request.method, path }, { message });
  }
  if (methods.length === 0) return routeNotFound(request);
  const headers = { allow: [...new Set(methods)].sort().join(", ") };
  return failure("METHOD_NOT_ALLOWED", { method: request.method }, { headers });
}
