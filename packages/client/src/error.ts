import type { ErrorCode } from "@tidings/contract";
import { readError } from "./exchange.ts";

type ErrorOptions = { retryAfter?: number; cause?: unknown; isTimeout?: boolean };

/** A response outside 2xx, one that is not the service's, or no response at all. */
export class TidingsError extends Error {
  override readonly name = "TidingsError";
  /** 0 when there was no response. */
  readonly status: number;
  /** The stable name of the error; undefined when the response came from something in between, such as a proxy. */
  readonly code: ErrorCode | undefined;
  /** The body of the response, parsed where it is JSON. */
  readonly body: unknown;
  /** Seconds, where the service named them. */
  readonly retryAfter: number | undefined;
  /** The time limit passed without a response: whether the service did the work is unknown. */
  readonly isTimeout: boolean;

  constructor(operation: string, status: number, body: unknown, options: ErrorOptions = {}) {
    const { code, message } = readError(body);
    // Novu, from which the command line imports, sends lists.
    const text = Array.isArray(message) ? message.join("; ") : message;
    super(`${operation}: ${explain(status, text, options.cause)}`, { cause: options.cause });
    this.status = status;
    this.code = code as ErrorCode | undefined;
    this.body = body;
    this.retryAfter = options.retryAfter;
    this.isTimeout = options.isTimeout ?? false;
  }
}

function explain(status: number, message: string | undefined, cause: unknown): string {
  if (status > 0) return `${status} ${message ?? "the response did not come from Tidings"}`;
  return `no answer (${reasonOf(cause)})`;
}

/** `fetch` says "fetch failed" and keeps the reason in `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause, code } = (error ?? {}) as { message?: string; cause?: unknown; code?: string };
  return cause ? reasonOf(cause) : (code ?? message ?? "unknown");
}

type ListedErrors = Record<string, { messages?: string[] }> | { field?: string; message: string }[];

/** What an error body says about single fields of the request, such as `steps.0.name`. */
export function fieldErrorsOf(body: unknown): { field: string; messages: string[] }[] {
  const { errors } = Object(body) as { errors?: ListedErrors | null };
  if (Array.isArray(errors)) return errors.map(({ field = "", message }) => ({ field, messages: [message] }));
  return Object.entries(errors ?? {}).map(([field, { messages = [] }]) => ({ field, messages }));
}
