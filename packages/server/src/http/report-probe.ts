// Some providers look whether an address is there before they report to it: Mandrill asks by HEAD, and saves no webhook that
// answers anything but 200. Looking proves nothing, so it is told nothing more than what a report would be told first.
import { operations } from "@tidings/contract";
import type { FastifyInstance } from "fastify";
import { requireReported } from "../app/webhooks/inbound-webhooks.ts";
import type { Ctx } from "../context.ts";
import { failure } from "../failure.ts";
import { payerOf, type RateLimiter } from "./rate-limit.ts";

const { path, category } = operations["inboundWebhooks.receive"];
export const reportPath = path;

export function addReportProbe(server: FastifyInstance, ctx: Ctx, limiter: RateLimiter): void {
  server.route({
    method: "HEAD",
    url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
    onRequest: async (request, reply) => {
      const verdict = limiter.take(payerOf(request), category, 1);
      reply.headers(verdict.headers);
      if (!verdict.isAllowed) throw failure("RATE_LIMITED", {});
    },
    handler: async (request, reply) => {
      await requireReported(ctx, request.params as { environmentId: string; integrationId: string });
      return reply.code(200).send();
    },
  });
}
