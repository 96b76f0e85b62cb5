// An answer outside 2xx, or none at all, as what a person needs to read: what happened, and what to do about it.
import { words } from "../words.ts";

/** The body of every error answer of the service (docs/errors.md). */
type ErrorBody = {
  message?: string;
  code?: string;
  errorId?: string;
  errors?: Record<string, { messages: string[] }> | { field?: string; message: string }[];
};

export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no answer. */
  readonly status: number;
  /** Stable, for programs; undefined when the answer came from something in between, such as a proxy. */
  readonly code: string | undefined;
  /** What to do now, as a sentence. */
  readonly advice: string;
  /** Messages by field path of the request, such as `steps.0.name`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, retryAfter: string | null = null) {
    const { message, code, errorId, errors } = (typeof body === "object" && body !== null ? body : {}) as ErrorBody;
    super(message ?? (status === 0 ? noAnswerText(code) : words.errors.unreadable(status)));
    this.status = status;
    this.code = code;
    this.advice = isCheck(code) ? words.errors.advice.unchanged : adviceFor(status, code, retryAfter, errorId);
    this.fields = fieldsOf(errors);
  }
}

/** The provider was asked about credentials before anything was stored. What to do stands in the message. */
const isCheck = (code: string | undefined): boolean =>
  code === "PROVIDER_CHECK_FAILED" || code === "PROVIDER_HOST_UNRESOLVED";

const timeoutCode = "TIME_LIMIT";
const noAnswerText = (code: string | undefined): string =>
  code === timeoutCode ? words.errors.noAnswer : words.errors.offline;

/** The time limit of the page was over before an answer came: whether the service did what was asked is not known. */
export const noAnswer = (): ApiError => new ApiError(0, { code: timeoutCode });
export const isTimeout = ({ status, code }: ApiError): boolean => status === 0 && code === timeoutCode;

/** Their messages say what to do. */
const isComplete = (code: string | undefined): boolean => /^(RESEND_|REPLAY_|STEP_NOT_RESENDABLE)/.test(code ?? "");

function adviceFor(
  status: number,
  code: string | undefined,
  retryAfter: string | null,
  errorId: string | undefined,
): string {
  const { advice } = words.errors;
  if (status === 0) return advice.offline;
  if (status === 401) return advice.signIn;
  // The message says who may.
  if (status === 403) return "";
  if (status === 404) return advice.missing;
  if (status === 409) return isComplete(code) ? "" : advice.conflict;
  if (status === 429) return advice.slowDown(retryAfter);
  if (status >= 500) return errorId === undefined ? advice.unavailable : advice.fault(errorId);
  return advice.correct;
}

function fieldsOf(errors: ErrorBody["errors"]): Record<string, string> {
  if (errors === undefined) return {};
  if (Array.isArray(errors))
    return Object.fromEntries(errors.map(({ field, message }) => [field ?? "", message] as const));
  return Object.fromEntries(Object.entries(errors).map(([path, { messages }]) => [path, messages.join(". ")] as const));
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, { message: error instanceof Error ? error.message : undefined });
