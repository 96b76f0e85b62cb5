// The caller of a route that is not an operation, as an operation would have it: an API key whose
// scope allows it, or a member whose role does.
import type { Operation } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, NetworkCtx } from "../../context.ts";
import { authenticate, type WrongKeyLimiter } from "./api-keys.ts";
import { authenticateMember, enterEnvironment, isOfDashboard } from "./member-sessions.ts";

/** `operation`: the one whose role or scope is required. */
export async function identifyCaller(
  ctx: NetworkCtx,
  wrongKeys: WrongKeyLimiter,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  if (isOfDashboard(ctx, request)) {
    return enterEnvironment(ctx, await authenticateMember(ctx, operation, request, reply), request);
  }
  return authenticate(ctx, wrongKeys, operation, { header: request.headers.authorization, address: request.ip });
}
