// Uploaded images under their public address, which contains the hash of the content. Mail programs load them without
// credentials.
import type { FastifyInstance } from "fastify";
import { findPublic } from "../../app/assets/assets.ts";
import type { NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import type { RateLimiter } from "../auth/rate-limit.ts";
import { neverChanges } from "../built-files.ts";
import { pathOf } from "../route-errors.ts";
import { limitPageRate } from "./page.ts";

type Params = { environmentId: string; file: string };

const imageHeaders = {
  "cache-control": neverChanges,
  "x-content-type-options": "nosniff",
  // Opened as a page, the file must not run anything, whatever a program takes it for.
  "content-security-policy": "default-src 'none'; sandbox",
  // Web mail and previews show the image from their own origin.
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

export function addAssetFiles(server: FastifyInstance, ctx: NetworkCtx, limiter: RateLimiter): void {
  server.get<{ Params: Params }>(
    "/assets/:environmentId/:file",
    { onRequest: limitPageRate(limiter, ({ params }) => `assets:${(params as Params).environmentId}`) },
    async (request, reply) => {
      const found = await findPublic(ctx, request.params);
      if (!found) throw failure("ROUTE_NOT_FOUND", { method: request.method, path: pathOf(request) });
      const tag = `"${found.hash}"`;
      reply.headers({ ...imageHeaders, etag: tag });
      if (request.headers["if-none-match"] === tag) return reply.code(304).send();
      return reply.type(found.content_type).send(found.bytes);
    },
  );
}
