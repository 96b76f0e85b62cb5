// Web pages of other origins use the inbox. A preflight request names no environment, so every origin passes it; the
// request itself is refused before it has an effect when its environment does not allow the origin. No cookies are
// involved.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { isOriginAllowed } from "../../lib/inbox-origins.ts";

const prefix = "/v1/inbox/";

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST, PATCH, DELETE",
  // A wildcard would not cover `authorization`.
  "access-control-allow-headers":
    "authorization, content-type, last-event-id, novu-api-version, novu-client-version, novu-application-identifier",
  "access-control-max-age": "600",
};

export const isInboxPath = (path: string): boolean => path.startsWith(prefix);

/** Even on errors: a page cannot read a response without it. */
export function allowReading(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin === undefined) return;
  const exposed = "retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-request-id";
  reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": exposed });
}

export const addInboxPreflight = (server: FastifyInstance): void => addPreflight(server, prefix);

export function addPreflight(server: FastifyInstance, pathPrefix: string): void {
  server.options(`${pathPrefix}*`, async (request, reply) => {
    allowReading(request, reply);
    return reply.code(204).headers(preflightHeaders).send();
  });
}

/** 403 when the environment of the caller does not allow the origin of the page. */
export function refuseOrigin({ config }: Ctx, caller: Caller, origin: string | undefined): void {
  const environment = { identifier: caller.environmentIdentifier, type: caller.environmentType };
  if (isOriginAllowed(config.inbox.origins, environment, origin)) return;
  throw failure("ORIGIN_NOT_ALLOWED", { origin: origin!.slice(0, 200) });
}
