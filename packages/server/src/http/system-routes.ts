// Routes of the service itself: health, readiness, metrics, and the documentation of the API.
import { openApiDocument } from "@tidings/contract";
import type { FastifyInstance } from "fastify";
import type { Readiness } from "../app/readiness.ts";
import type { Config } from "../config.ts";
import type { Ctx } from "../context.ts";
import { countOpenAlerts, countOpenCircuits } from "../store/installation/installation.ts";
import { docsPageCsp, renderDocsPage } from "./docs/docs-page.ts";
import { basePathOf } from "./pages/base-path.ts";
import { exchangeSchema } from "./request/vocabulary.ts";
import type { WorkerPool } from "./triggers/worker-handover.ts";

export type SystemOptions = {
  version: string;
  readiness: () => Promise<Readiness>;
  workers: WorkerPool;
};

export function addSystemRoutes(server: FastifyInstance, ctx: Ctx, options: SystemOptions): void {
  const { version, readiness } = options;
  server.get("/health", async () => ({ status: "ok", version }));
  server.get("/ready", async (_request, reply) => {
    const { isReady, problems } = await readiness();
    if (isReady) return problems.length === 0 ? { status: "ready" } : { status: "degraded", problems };
    return reply.code(503).header("retry-after", "2").send({ status: "unavailable", problems });
  });
  if (ctx.config.metrics) addMetrics(server, ctx, options);
  if (ctx.config.docs && ctx.config.roles.has("api")) addDocs(server, ctx.config, version);
}

function addMetrics(server: FastifyInstance, ctx: Ctx, { workers }: SystemOptions): void {
  server.get("/metrics", async (_request, reply) => {
    const depth = await ctx.queue.depth().catch(() => ({}));
    for (const [kind, size] of Object.entries(depth)) ctx.metrics.queueDepth.set({ kind }, size);
    const open = await countOpenCircuits(ctx.db).catch(() => null);
    if (open) ctx.metrics.openCircuits.reset();
    for (const { provider_id, count } of open ?? []) ctx.metrics.openCircuits.set({ provider: provider_id }, count);
    const alerts = await countOpenAlerts(ctx.db).catch(() => null);
    if (alerts) ctx.metrics.openAlerts.reset();
    for (const { kind, count } of alerts ?? []) ctx.metrics.openAlerts.set({ kind }, count);
    const others = await workers.readMetrics();
    ctx.metrics.threads.set(workers.count());
    return reply.header("content-type", ctx.metrics.contentType).send(await ctx.metrics.write(others));
  });
}

/** Document and page are created on the first request, so that they do not slow down the start. */
function addDocs(server: FastifyInstance, { vocabulary, dashboard, publicUrl }: Config, version: string): void {
  const document = once(() => {
    const neutral = openApiDocument({ version });
    return vocabulary === "neutral" ? neutral : exchangeSchema(neutral);
  });
  const documentText = once(() => JSON.stringify(document()));
  const page = once(() => renderDocsPage(document()));
  server.get("/openapi.json", async (request, reply) => {
    const url = basePathOf(publicUrl, request);
    const text = url === "/" ? documentText() : JSON.stringify({ ...document(), servers: [{ url: url.slice(0, -1) }] });
    return reply.type("application/json; charset=utf-8").header("vary", "x-forwarded-prefix").send(text);
  });
  server.get("/docs", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", docsPageCsp()).send(page()),
  );
  if (!dashboard) server.get("/", async (request, reply) => reply.redirect(`${basePathOf(publicUrl, request)}docs`));
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
