// A response outside 2xx, or none at all, as what a person needs to read: what happened, and what to do about it.
import { fieldErrorsOf, readError } from "@tidings/client/source";
import type { ErrorCode } from "@tidings/contract";
import { words } from "../words.ts";

export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no response. */
  readonly status: number;
  /** Stable, for programs; undefined when the response came from something in between, such as a proxy. */
  readonly code: string | undefined;
  /** What to do now, as a sentence. */
  readonly advice: string;
  /** Messages by field path of the request, such as `steps.0.name`. */
  readonly fields: Readonly<Record<string, string>>;

  /** The values in the message, such as `reason`. */
  readonly context: Readonly<Record<string, unknown>>;

  constructor(status: number, body: unknown, retryAfter?: number) {
    const { message, code, errorId } = readError(body);
    super(message ?? (status === 0 ? noAnswerText(code) : words.errors.unreadable(status)));
    this.status = status;
    this.context = Object(Object(body).ctx);
    this.code = code;
    this.advice = isCheck(code) ? words.errors.advice.unchanged : adviceFor(status, code, retryAfter, errorId);
    this.fields = Object.fromEntries(fieldErrorsOf(body).map(({ field, messages }) => [field, messages.join(". ")]));
  }
}

/** The credentials check with the provider failed before anything was stored. The message explains what to do. */
const isCheck = (code: string | undefined): boolean =>
  code === "PROVIDER_CHECK_FAILED" || code === "PROVIDER_HOST_UNRESOLVED";

const timeoutCode = "TIME_LIMIT";
const noAnswerText = (code: string | undefined): string =>
  code === timeoutCode ? words.errors.noAnswer : words.errors.offline;

/** The page's time limit expired before a response arrived: whether the service did what was asked is unknown. */
export const noAnswer = (): ApiError => new ApiError(0, { code: timeoutCode });
export const isTimeout = ({ status, code }: ApiError): boolean => status === 0 && code === timeoutCode;

/** Their messages say what to do. */
const completeErrors: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  "STEP_NOT_RESENDABLE",
  "RESEND_REFUSED",
  "RESEND_IN_PROGRESS",
  "RESEND_LIMIT",
  "REPLAY_ENDED",
  "REPLAY_LIMIT",
  "AUDIENCE_EXISTS",
  "AUDIENCE_IN_USE",
  "AUDIENCE_KIND",
  "AUDIENCE_LIMIT",
  "BROADCAST_STATE",
  "BROADCAST_INCOMPLETE",
  "BROADCAST_LIMIT",
  "BACKTEST_RUNNING",
  "BACKTEST_TEST_CLOCK",
  "BACKTEST_ENDED",
]);

function adviceFor(
  status: number,
  code: string | undefined,
  retryAfter: number | undefined,
  errorId: string | undefined,
): string {
  const { advice } = words.errors;
  if (status === 0) return advice.offline;
  if (status === 401) return advice.signIn;
  // The message says who may.
  if (status === 403) return "";
  if (status === 404) return advice.missing;
  if (status === 409) return completeErrors.has(code) ? "" : advice.conflict;
  if (status === 429) return advice.slowDown(retryAfter);
  if (status >= 500) return errorId === undefined ? advice.unavailable : advice.fault(errorId);
  return advice.correct;
}

/** For a place next to the field: the messages of the service begin with its path. */
export function faultBeside(field: string, message: string): string {
  if (!message.startsWith(`${field} `)) return message;
  const fault = message.slice(field.length + 1);
  return fault.charAt(0).toUpperCase() + fault.slice(1);
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, { message: error instanceof Error ? error.message : undefined });
