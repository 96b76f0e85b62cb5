// The only place where a failure becomes an HTTP answer.
import { randomUUID } from "node:crypto";
import { errorCatalogue } from "@tidings/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { Failure, type Failure as FailureType, failure } from "../failure.ts";
import { isDatabaseAway } from "../store/db.ts";

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: Record<string, unknown> };

/** Fastify's own refusals, in our words. */
function fromFramework(error: FastifyError, limit: number): FailureType | null {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return failure("PAYLOAD_TOO_LARGE", { detail: `Request body is larger than ${limit} bytes` });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return failure("UNSUPPORTED_MEDIA_TYPE", {});
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return failure("MALFORMED_JSON", {});
    default:
      return error instanceof SyntaxError ? failure("MALFORMED_JSON", {}) : null;
  }
}

export function toFailure(error: unknown, bodyLimit: number): FailureType | null {
  if (error instanceof Failure) return error;
  if (isDatabaseAway(error)) return failure("UNAVAILABLE", {}, { headers: { "retry-after": "2" } });
  return fromFramework(error as FastifyError, bodyLimit);
}

/** The error body of the interface; `errorId` ties a 500 to its log line. */
export function errorAnswer(error: unknown, request: FastifyRequest): ErrorAnswer {
  const known = toFailure(error, request.routeOptions?.bodyLimit ?? 0);
  const code = known?.code ?? "INTERNAL_ERROR";
  const status = errorCatalogue[code].status;
  const body: Record<string, unknown> = {
    statusCode: status,
    timestamp: new Date().toISOString(),
    path: request.url,
    message: known?.message ?? errorCatalogue.INTERNAL_ERROR.message,
    code,
  };
  // `detail` is the message itself.
  const { detail, ...names } = known?.params ?? {};
  if (Object.keys(names).length > 0) body.ctx = names;
  if (status === 400) Object.assign(body, { type: code, errors: [] });
  if (known?.extra.errors !== undefined) body.errors = known.extra.errors;
  if (!known) {
    body.errorId = randomUUID();
    request.log.error({ err: error, errorId: body.errorId }, "request failed");
  }
  const headers = { ...(known?.extra.headers ?? {}) };
  // Reports are signed in ways that have no name here; the one that has is the key as password.
  if (status === 401) headers["www-authenticate"] = code === "INVALID_SIGNATURE" ? "Basic" : "ApiKey";
  return { status, headers, body: { ...known?.extra.body, ...body } };
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = errorAnswer(error, request);
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .header("content-type", "application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(answer.body);
}
