// Requests of signed-in members: the session cookie, the CSRF token of every non-GET request, the role that the
// operation needs, and the environment that the request names. An `Authorization` header comes first: such a request is
// one of a program.
import { isRoleEnough, membersWith, type Operation, requiredRoleOf } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { findSessionOf } from "../../app/members/sessions.ts";
import type { Caller, Ctx, MemberCaller, Source } from "../../context.ts";
import { failure } from "../../failure.ts";
import { isCsrfTokenRight } from "../../lib/tokens/member-tokens.ts";
import { findEnvironmentForMember } from "../../store/environments/api-keys.ts";
import { isSecure, readSessionCookie, setSessionCookie } from "./cookies.ts";

const environmentHeader = "x-tidings-environment";
const csrfHeader = "x-csrf-token";

const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** Whether the request of an operation that accepts API keys comes from the dashboard. */
export function isOfDashboard({ config }: Ctx, request: FastifyRequest): boolean {
  if (!config.dashboard || request.headers.authorization !== undefined) return false;
  return headerOf(request, environmentHeader) !== undefined || readSessionCookie(config, request) !== undefined;
}

export const sourceOf = ({ config }: Pick<Ctx, "config">, request: FastifyRequest): Source => ({
  address: request.ip,
  userAgent: request.headers["user-agent"],
  baseUrl: addressOf(request.socket),
  isSecure: isSecure(config, request),
  cookie: readSessionCookie(config, request),
});

/** This server's address, from the socket. Not the `Host` header: a client chooses it, and links are built from it. */
function addressOf({ localAddress = "localhost", localPort }: FastifyRequest["socket"]): string {
  const address = localAddress.replace(/^::ffff:/, "");
  return `http://${address.includes(":") ? `[${address}]` : address}:${localPort}`;
}

/** The signed-in member, who may call the operation. */
export async function authenticateMember(
  ctx: Ctx,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<MemberCaller> {
  const source = sourceOf(ctx, request);
  const { cookie } = source;
  const session = cookie === undefined ? null : await findSessionOf(ctx, cookie, source);
  if (!session) throw failure("SIGN_IN_REQUIRED", {});
  const { caller, secret, isRenewed } = session;
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if (!isSafe && !isCsrfTokenRight(secret, headerOf(request, csrfHeader))) throw failure("CSRF_TOKEN_WRONG", {});
  const needed = requiredRoleOf(operation);
  const { role } = caller.member;
  if (needed === null || !isRoleEnough(role, needed))
    throw failure("ROLE_NOT_ALLOWED", { who: needed ? membersWith[needed] : "programs", what: "do this", role });
  if (isRenewed) setSessionCookie(reply, ctx.config, source, cookie!);
  return caller;
}

/** The member as the caller of an operation in the environment that the request names. */
export async function enterEnvironment(ctx: Ctx, member: MemberCaller, request: FastifyRequest): Promise<Caller> {
  const environmentId = headerOf(request, environmentHeader)?.trim();
  if (!environmentId) throw failure("ENVIRONMENT_HEADER_MISSING", {});
  const environment = await findEnvironmentForMember(ctx.db, member.organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: environmentId.slice(0, 100) });
  return { ...environment, userId: member.member.id, member: member.member };
}
