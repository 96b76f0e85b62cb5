// The caller of a route that is no operation, as an operation would have it: an API key, or a person whose role allows it.
import type { Operation } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, NetworkCtx } from "../context.ts";
import { authenticate, type WrongKeyLimiter } from "./auth.ts";
import { authenticatePerson, enterEnvironment, isOfDashboard } from "./people/person-auth.ts";

/** `operation`: the one whose least role counts. */
export async function identifyCaller(
  ctx: NetworkCtx,
  wrongKeys: WrongKeyLimiter,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  if (isOfDashboard(ctx, request)) {
    return enterEnvironment(ctx, await authenticatePerson(ctx, operation, request, reply), request);
  }
  return authenticate(ctx, wrongKeys, { header: request.headers.authorization, address: request.ip });
}
