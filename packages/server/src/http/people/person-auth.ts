// Requests of signed-in people: the session cookie, the CSRF token of every request that is no GET, the role that the operation
// needs, and the environment that the request names. An `Authorization` header comes first: such a request is one of a program.
import { isRoleEnough, leastRoleOf, type Operation, peopleWith } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { findSessionOf } from "../../app/people/sessions.ts";
import type { Caller, Ctx, PersonCaller, Source } from "../../context.ts";
import { failure } from "../../failure.ts";
import { isCsrfTokenRight } from "../../lib/tokens/person-tokens.ts";
import { findEnvironmentForPerson } from "../../store/environments/environments.ts";
import { isSecure, readSessionCookie, setSessionCookie } from "./cookies.ts";

const environmentHeader = "x-tidings-environment";
const csrfHeader = "x-csrf-token";

const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** Whether the request of an operation that takes API keys comes from the dashboard. */
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

/** Of this server, as the socket has it. Not the `Host` header: a client chooses that, and links are made of it. */
function addressOf({ localAddress = "localhost", localPort }: FastifyRequest["socket"]): string {
  const address = localAddress.replace(/^::ffff:/, "");
  return `http://${address.includes(":") ? `[${address}]` : address}:${localPort}`;
}

/** The signed-in person, who may call the operation. */
export async function authenticatePerson(
  ctx: Ctx,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PersonCaller> {
  const source = sourceOf(ctx, request);
  const { cookie } = source;
  const session = cookie === undefined ? null : await findSessionOf(ctx, cookie, source);
  if (!session) throw failure("SIGN_IN_REQUIRED", {});
  const { caller, secret, isRenewed } = session;
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if (!isSafe && !isCsrfTokenRight(secret, headerOf(request, csrfHeader))) throw failure("CSRF_TOKEN_WRONG", {});
  const needed = leastRoleOf(operation);
  const { role } = caller.person;
  if (needed === null || !isRoleEnough(role, needed))
    throw failure("ROLE_NOT_ALLOWED", { who: needed ? peopleWith[needed] : "programs", what: "do this", role });
  if (isRenewed) setSessionCookie(reply, ctx.config, source, cookie!);
  return caller;
}

/** The person as the caller of an operation in the environment that the request names. */
export async function enterEnvironment(ctx: Ctx, person: PersonCaller, request: FastifyRequest): Promise<Caller> {
  const environmentId = headerOf(request, environmentHeader)?.trim();
  if (!environmentId) throw failure("ENVIRONMENT_HEADER_MISSING", {});
  const environment = await findEnvironmentForPerson(ctx.db, person.organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: environmentId.slice(0, 100) });
  return { ...environment, userId: person.person.id, person: person.person };
}
