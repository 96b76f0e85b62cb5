// The edge: a Fastify server with one route per operation of the contract. No SQL and no rules live here.
import { type Operation, type OperationId, openApiDocument, operations } from "@tidings/contract";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Ctx } from "../context.ts";
import { failure } from "../failure.ts";
import { createAuthenticator } from "./auth.ts";
import { docsPageCsp, renderDocsPage } from "./docs-page.ts";
import { sendError } from "./errors.ts";
import { createRequestHandler } from "./handle.ts";
import { parseQueryString } from "./query-string.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { bulkCosts, type Handler, routes } from "./routes.ts";

export type EdgeOptions = { version: string; isReady: () => Promise<boolean>; isDraining: () => boolean };

const requestIdPattern = /^[\w.:-]{1,128}$/;

export function createServer(ctx: Ctx, options: EdgeOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // One line per request is written below, with the operation's name; Fastify's own two lines would say less.
    disableRequestLogging: true,
    bodyLimit: ctx.config.bodyLimit,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && requestIdPattern.test(given) ? given : ctx.newId();
    },
    routerOptions: { querystringParser: parseQueryString, ignoreTrailingSlash: true, maxParamLength: 1024 },
  });
  server.decorateRequest("caller", null);
  acceptJson(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  server.setNotFoundHandler((request, reply) => sendError(noRoute(request), request, reply));
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (options.isDraining())
      throw failure("UNAVAILABLE", {}, { headers: { "retry-after": "5", connection: "close" } });
  });
  addSystemRoutes(server, ctx, options);
  addOperations(server, ctx);
  return server;
}

/** An empty body counts as none, whatever its content type; members named `__proto__` are dropped. */
function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser("remove", "remove");
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    parse(request, body as string, done);
  });
}

function addOperations(server: FastifyInstance, ctx: Ctx): void {
  const { authenticate } = createAuthenticator(ctx);
  const limiter = createRateLimiter(ctx.config.rates, () => performance.now());

  for (const id of Object.keys(operations) as OperationId[]) {
    const operation: Operation = operations[id];
    const { schema, status } = operation.success;
    const bulkCost = bulkCosts[id];
    const takeTokens = (request: FastifyRequest, reply: FastifyReply, cost: number) => {
      const verdict = limiter.take(request.caller!.environmentId, operation.category, cost);
      reply.headers(verdict.headers);
      if (!verdict.isAllowed) throw failure("RATE_LIMITED", {});
    };
    server.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.bodyLimit === "bulk" ? ctx.config.bulkBodyLimit : ctx.config.bodyLimit,
      schema: schema ? { response: { [status]: schema } } : {},
      onRequest: async (request, reply) => {
        request.caller = await authenticate(request.headers.authorization);
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
      handler: createRequestHandler(ctx, id, routes[id] as Handler),
    });
  }
}

function addSystemRoutes(server: FastifyInstance, ctx: Ctx, options: EdgeOptions): void {
  const document = openApiDocument({ version: options.version });
  const documentText = JSON.stringify(document);
  const page = renderDocsPage(document);

  server.get("/health", async () => ({ status: "ok", version: options.version }));
  server.get("/ready", async (_request, reply) => {
    if (await options.isReady()) return { status: "ready" };
    return reply.code(503).header("retry-after", "2").send({ status: "unavailable" });
  });
  server.get("/metrics", async (_request, reply) => {
    const depth = await ctx.queue.depth().catch(() => ({}));
    for (const [kind, size] of Object.entries(depth)) ctx.metrics.queueDepth.set({ kind }, size);
    return reply.header("content-type", ctx.metrics.registry.contentType).send(await ctx.metrics.registry.metrics());
  });
  server.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(documentText),
  );
  server.get("/docs", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", docsPageCsp()).send(page),
  );
  server.get("/", async (_request, reply) => reply.redirect("/docs"));
}

/** A path that exists with other methods is 405 and names them; anything else is 404. */
function noRoute(request: FastifyRequest): Error {
  const path = request.url.split("?")[0]!;
  const allowed = (Object.values(operations) as Operation[])
    .filter((operation) => pathPattern(operation.path).test(path))
    .map((operation) => operation.method);
  if (allowed.length === 0) return failure("ROUTE_NOT_FOUND", { method: request.method, path });
  const headers = { allow: [...new Set(allowed)].join(", ") };
  return failure("METHOD_NOT_ALLOWED", { method: request.method }, { headers });
}

const pathPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
