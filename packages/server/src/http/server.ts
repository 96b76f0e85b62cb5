// The edge: a Fastify server with one route per operation of the contract. No SQL and no rules live here.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import {
  type Operation,
  type OperationId,
  openApiDocument,
  operations,
  readsOnly,
  successStatuses,
} from "@tidings/contract";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from "fastify";
import { chatOauthCallbackPath } from "../app/integrations/chat-oauth.ts";
import type { Config } from "../config.ts";
import type { Ctx, OutsideCtx } from "../context.ts";
import { failure } from "../failure.ts";
import type { Budgets } from "../lib/budgets.ts";
import { countOpenCircuits } from "../store/integrations/breakers.ts";
import { authenticate } from "./auth.ts";
import { acceptJson } from "./body.ts";
import { docsPageCsp, renderDocsPage } from "./docs/docs-page.ts";
import { sendError } from "./errors.ts";
import { createRequestHandler } from "./handle.ts";
import { acceptForms } from "./multipart.ts";
import { addChatOauthPage } from "./pages/chat-oauth-page.ts";
import { addPreferencePage, preferencePagePath } from "./pages/preference-page.ts";
import { parseQueryString } from "./query-string.ts";
import { createRateLimiter, payerOf, type RateLimiter } from "./rate-limit.ts";
import { acceptAnything } from "./raw.ts";
import { addReportProbe, reportPath } from "./report-probe.ts";
import { bulkCosts, type Handler, routes } from "./routes.ts";
import { answerUnreadable, maxHeadBytes } from "./unreadable.ts";
import { exchangeSchema } from "./vocabulary.ts";
import { createWrongKeys, type WrongKeys } from "./wrong-keys.ts";

export type EdgeOptions = {
  version: string;
  /** What is used up of the rate limits. */
  rates: Budgets;
  isReady: () => Promise<boolean>;
  isDraining: () => boolean;
};

/** Routes beside the operations that this service has. */
const systemPathsOf = ({ metrics, docs }: Config): string[] => [
  ...["/health", "/ready"],
  ...(metrics ? ["/metrics"] : []),
  ...(docs ? ["/openapi.json", "/docs", "/"] : []),
];

const requestIdPattern = /^[\w.:-]{1,128}$/;

export function createServer(ctx: OutsideCtx, options: EdgeOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // One line per request is written below, with the operation's name; Fastify's own two lines would say less.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ctx.config.bodyLimit,
    http: { maxHeaderSize: maxHeadBytes },
    clientErrorHandler: answerUnreadable,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && requestIdPattern.test(given) ? given : ctx.newId();
    },
    // Ids are never refused for their length, they are not found: a path part may be as long as the head of a request.
    routerOptions: { querystringParser: parseQueryString, ignoreTrailingSlash: true, maxParamLength: 16_384 },
    // A path that cannot be decoded comes here and past all hooks.
    frameworkErrors: (_error, request, reply) => {
      reply.header("x-request-id", request.id);
      sendError(noSuchRoute(request), request as FastifyRequest, reply as FastifyReply);
    },
    // While draining, the hook below answers, in our words.
    return503OnClosing: false,
  });
  server.decorateRequest("caller", null);
  server.decorateRequest("isCounted", false);
  acceptJson(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const known = knownRoutes(ctx.config);
  server.setNotFoundHandler((request, reply) => sendError(noRoute(known, request), request, reply));
  server.addHook("onRequest", async (request, reply) => {
    // Answers hold keys and personal data: no cache on the way is to keep them.
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    if (options.isDraining())
      throw failure("UNAVAILABLE", {}, { headers: { "retry-after": "5", connection: "close" } });
    // Here and not in the handler: a body that nobody will read must not be judged first.
    if (request.is404) throw noRoute(known, request);
  });
  // The last answer on a connection tells the client not to use it again.
  server.addHook("onSend", async (_request, reply) => {
    if (options.isDraining()) reply.header("connection", "close");
  });
  closePromptly(server);
  addSystemRoutes(server, ctx, options);
  const now = () => performance.now();
  const limiter = createRateLimiter(ctx.config.rates, now, options.rates);
  addPreferencePage(server, ctx, limiter);
  addChatOauthPage(server, ctx, limiter);
  addReportProbe(server, ctx, limiter);
  addOperations(server, ctx, limiter, createWrongKeys(ctx.config.wrongKeys, now));
  return server;
}

/**
 * Closing waits for connections to end. Those on which a client has not asked anything yet, or keeps still after the
 * last answer, would hold it up for as long as they are kept alive.
 */
function closePromptly(server: FastifyInstance): void {
  const silent = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.server.on("request", (request: IncomingMessage) => silent.delete(request.socket));
  server.addHook("preClose", (done) => {
    for (const socket of silent) socket.destroy();
    const sweep = setInterval(() => server.server.closeIdleConnections(), 100).unref();
    server.server.once("close", () => clearInterval(sweep));
    done();
  });
}

function addOperations(server: FastifyInstance, ctx: OutsideCtx, limiter: RateLimiter, wrongKeys: WrongKeys): void {
  for (const id of Object.keys(operations) as OperationId[]) {
    const operation: Operation = operations[id];
    const { schema } = operation.success;
    const bulkCost = bulkCosts[id];
    const takeTokens = (request: FastifyRequest, reply: FastifyReply, cost: number) => {
      request.isCounted = true;
      const verdict = limiter.take(payerOf(request), operation.category, cost);
      reply.headers(verdict.headers);
      if (!verdict.isAllowed) throw failure("RATE_LIMITED", {});
    };
    const route: RouteOptions = {
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      // HEAD comes with a GET that reads; one that writes would write for it too.
      exposeHeadRoute: readsOnly(operation),
      bodyLimit: operation.bodyLimit === "bulk" ? ctx.config.bulkBodyLimit : ctx.config.bodyLimit,
      schema: schema
        ? { response: Object.fromEntries(successStatuses(operation.success).map((status) => [status, schema])) }
        : {},
      onRequest: async (request, reply) => {
        if (!operation.access) {
          const given = { header: request.headers.authorization, address: request.ip };
          request.caller = await authenticate(ctx, wrongKeys, given);
        }
        if (!bulkCost) takeTokens(request, reply, 1);
      },
      preHandler: async (request, reply) => {
        if (bulkCost) takeTokens(request, reply, bulkCost(request.body));
      },
      onResponse: async (request, reply) => {
        const seconds = reply.elapsedTime / 1000;
        ctx.metrics.requests.inc({ operation: id, status: reply.statusCode });
        ctx.metrics.requestSeconds.observe({ operation: id }, seconds);
        request.log.debug(
          {
            operation: id,
            status: reply.statusCode,
            ms: Math.round(reply.elapsedTime),
            env: request.caller?.environmentId,
          },
          "request",
        );
      },
      errorHandler: (error, request, reply) => {
        // A bulk request whose body could not be read has not been counted yet: it costs what a single one does.
        let answer: unknown = error;
        try {
          if (request.caller && !request.isCounted) takeTokens(request, reply, 1);
        } catch (refusal) {
          answer = refusal;
        }
        sendError(answer, request, reply);
      },
      handler: createRequestHandler(ctx, id, routes[id] as Handler),
    };
    if (operation.bodyType) {
      // A scope of its own: its bodies are read in another way.
      server.register(async (scope) => {
        if (operation.bodyType === "raw") acceptAnything(scope);
        else acceptForms(scope, operation);
        scope.route(route);
      });
    } else server.route(route);
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function addSystemRoutes(server: FastifyInstance, ctx: Ctx, options: EdgeOptions): void {
  server.get("/health", async () => ({ status: "ok", version: options.version }));
  server.get("/ready", async (_request, reply) => {
    if (await options.isReady()) return { status: "ready" };
    return reply.code(503).header("retry-after", "2").send({ status: "unavailable" });
  });
  if (ctx.config.metrics) addMetrics(server, ctx);
  if (!ctx.config.docs) return;
  // Made when somebody first asks: a process that starts has better things to do.
  const document = once(() => {
    const neutral = openApiDocument({ version: options.version });
    return ctx.config.vocabulary === "neutral" ? neutral : exchangeSchema(neutral);
  });
  const documentText = once(() => JSON.stringify(document()));
  const page = once(() => renderDocsPage(document()));
  server.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(documentText()),
  );
  server.get("/docs", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", docsPageCsp()).send(page()),
  );
  server.get("/", async (_request, reply) => reply.redirect("/docs"));
}

function addMetrics(server: FastifyInstance, ctx: Ctx): void {
  server.get("/metrics", async (_request, reply) => {
    const depth = await ctx.queue.depth().catch(() => ({}));
    for (const [kind, size] of Object.entries(depth)) ctx.metrics.queueDepth.set({ kind }, size);
    const open = await countOpenCircuits(ctx.db).catch(() => null);
    if (open) ctx.metrics.openCircuits.reset();
    for (const { provider_id, count } of open ?? []) ctx.metrics.openCircuits.set({ provider: provider_id }, count);
    return reply.header("content-type", ctx.metrics.registry.contentType).send(await ctx.metrics.registry.metrics());
  });
}

type Known = { pattern: RegExp; method: string };

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);

const served = (path: string, methods: readonly string[]): Known[] =>
  methods.map((method) => ({ pattern: patternOf(path), method }));

const reading = ["GET", "HEAD"] as const;

const knownRoutes = (config: Config): Known[] => [
  ...(Object.values(operations) as Operation[]).flatMap((operation) => {
    const { path, method } = operation;
    return served(path, method === "GET" && readsOnly(operation) ? reading : [method]);
  }),
  ...systemPathsOf(config).flatMap((path) => served(path, reading)),
  ...served(preferencePagePath, [...reading, "POST"]),
  ...served(chatOauthCallbackPath, ["GET"]),
  ...served(reportPath, ["HEAD"]),
];

const noSuchRoute = (request: { method: string; url: string }): Error =>
  failure("ROUTE_NOT_FOUND", { method: request.method, path: request.url.split("?")[0]! });

/** A path that exists with other methods is 405 and names them; anything else is 404. */
function noRoute(known: Known[], request: FastifyRequest): Error {
  const path = request.url.split("?")[0]!;
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return noSuchRoute(request);
  const headers = { allow: [...new Set(methods)].sort().join(", ") };
  return failure("METHOD_NOT_ALLOWED", { method: request.method }, { headers });
}
