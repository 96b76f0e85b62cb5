// The only place where a failure becomes an HTTP response.
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, errorCatalogue } from "@tidings/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { Failure, failure } from "../failure.ts";
import { newId } from "../lib/ids.ts";
import { SemaphoreFullError } from "../lib/load/semaphores.ts";
import { type DatabaseFault, findDatabaseFault } from "../store/faults.ts";

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: Record<string, unknown> };

/** Fastify's own errors as failures of the catalogue. */
function fromFramework(error: FastifyError, limit: number): Failure | null {
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

const codesOfFaults = {
  unreachable: "UNAVAILABLE",
  disk_full: "DATABASE_FULL",
  exhausted: "DATABASE_EXHAUSTED",
  locked: "DATABASE_LOCKED",
  slow: "DATABASE_SLOW",
  conflict: "UNAVAILABLE",
} as const satisfies Record<DatabaseFault, ErrorCode>;

/** In seconds. A full disk does not empty itself. */
const retryAfter: Record<DatabaseFault, string> = {
  unreachable: "2",
  disk_full: "30",
  exhausted: "5",
  locked: "5",
  slow: "5",
  conflict: "1",
};

export const failureOfFault = (fault: DatabaseFault): Failure =>
  failure(codesOfFaults[fault], {}, { headers: { "retry-after": retryAfter[fault] } });

function toFailure(error: unknown, bodyLimit: number): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof SemaphoreFullError) return failure("RATE_LIMITED", {}, { headers: { "retry-after": "1" } });
  const fault = findDatabaseFault(error);
  if (fault) return failureOfFault(fault);
  return fromFramework(error as FastifyError, bodyLimit);
}

/** A request of Fastify, or an upgrade, which Fastify does not see. */
type FailedRequest = { url: string; log: Pick<FastifyRequest["log"], "error">; routeOptions?: { bodyLimit?: number } };

/** The error body of the API; the `errorId` of a 500 is in its log line as well. */
export function errorAnswer(error: unknown, request: FailedRequest): ErrorAnswer {
  const known = toFailure(error, request.routeOptions?.bodyLimit ?? 0);
  const code = known?.code ?? "INTERNAL_ERROR";
  const status = errorCatalogue[code].status;
  const body: Record<string, unknown> = {
    statusCode: status,
    timestamp: new Date().toISOString(),
    path: request.url,
    message: known?.message ?? errorCatalogue.INTERNAL_ERROR.message,
    code,
    // Clients of Novu that are not an SDK treat a response as an error when it has this member.
    error: STATUS_CODES[status],
  };
  // `detail` repeats the message, so it is not part of `ctx`.
  const { detail, ...names } = known?.params ?? {};
  if (Object.keys(names).length > 0) body.ctx = names;
  if (status === 400) Object.assign(body, { type: code, errors: [] });
  if (known?.extra.errors !== undefined) body.errors = known.extra.errors;
  if (!known) {
    body.errorId = randomUUID();
    request.log.error({ err: error, errorId: body.errorId }, "request failed");
  }
  const headers = { ...(known?.extra.headers ?? {}) };
  // Most providers sign their receipts in ways that have no HTTP scheme; the others send the key as a Basic password.
  if (status === 401) headers["www-authenticate"] = schemeOf(code);
  return { status, headers, body: { ...known?.extra.body, ...body } };
}

function schemeOf(code: ErrorCode): string {
  if (code === "INVALID_SIGNATURE") return "Basic";
  if (code.startsWith("SIGN_IN_")) return "Session";
  return code.startsWith("INBOX_") ? "Bearer" : "ApiKey";
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

/** Request line and headers together. */
export const maxHeadBytes = 16_384;

const connectionErrors: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

const phrases: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: "Request Header Fields Too Large",
  REQUEST_TIMEOUT: "Request Timeout",
};

/**
 * For requests that cannot be parsed: a head that is too large, bytes that are not HTTP, a client that is too slow.
 * There is no request to reply to, so the response is written to the connection, which is closed.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The client has closed the connection.
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy(error);
  const code = connectionErrors[error.code ?? ""] ?? "MALFORMED_REQUEST";
  const { status, message } = errorCatalogue[code];
  const body = JSON.stringify({ statusCode: status, timestamp: new Date().toISOString(), path: "", message, code });
  const head = [
    `HTTP/1.1 ${status} ${phrases[code] ?? "Bad Request"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId()}`,
    "cache-control: no-store",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
