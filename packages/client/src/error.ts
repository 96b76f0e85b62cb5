import type { ErrorCode } from "@tidings/contract";

type ErrorBody = { code?: ErrorCode; message?: string | string[]; errors?: unknown };

/** An answer outside 2xx, one that is not the service's own, or no answer at all. */
export class TidingsError extends Error {
  override readonly name = "TidingsError";
  /** 0 when there was no answer. */
  readonly status: number;
  /** The stable name of the error; undefined when the answer came from something in between, such as a proxy. */
  readonly code: ErrorCode | undefined;
  /** The answer, as JSON where it is JSON. */
  readonly body: unknown;
  /** Seconds, where the service named them. */
  readonly retryAfter: number | undefined;

  constructor(
    operation: string,
    status: number,
    body: unknown,
    options: { retryAfter?: number; cause?: unknown } = {},
  ) {
    const { code, message } = (typeof body === "object" && body !== null ? body : {}) as ErrorBody;
    const told = Array.isArray(message) ? message.join("; ") : message;
    super(`${operation}: ${explain(status, told, options.cause)}`, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfter = options.retryAfter;
  }
}

function explain(status: number, message: string | undefined, cause: unknown): string {
  if (status > 0) return `${status} ${message ?? "the answer is not one of the service's own"}`;
  return `no answer (${reasonOf(cause)})`;
}

/** `fetch` says "fetch failed" and keeps the reason in `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause, code } = (error ?? {}) as { message?: string; cause?: unknown; code?: string };
  return cause ? reasonOf(cause) : (code ?? message ?? "unknown");
}
