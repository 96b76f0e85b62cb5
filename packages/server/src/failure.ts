// Errors for the caller: thrown with a code from the catalogue of the contract, and turned into HTTP responses only in
// http/errors.ts. Every other error is an internal one and becomes a 500.
import { type ErrorCode, type ErrorParams, errorCatalogue, errorMessage } from "@tidings/contract";

/** Errors by field path. `general` holds errors that belong to no field. */
export type FieldFaults = Record<string, { messages: string[]; value?: unknown }>;

/** Additions to the error response. */
export type FailureExtra = {
  errors?: unknown;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Replaces the text of the catalogue. */
  message?: string;
};

export class Failure extends Error {
  readonly code: ErrorCode;
  readonly params: Record<string, unknown>;
  readonly extra: FailureExtra;

  constructor(code: ErrorCode, params: Record<string, unknown>, extra: FailureExtra) {
    super(extra.message ?? errorMessage(code, params));
    this.code = code;
    this.params = params;
    this.extra = extra;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

export const failure = <C extends ErrorCode>(code: C, params: ErrorParams<C>, extra: FailureExtra = {}): Failure =>
  new Failure(code, params, extra);

/** The failure that the check throws, or null. */
export function refusalOf(check: () => unknown): Failure | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Fields in one response: the first fifty errors are enough to fix a list of ten thousand wrong items. */
export const maxFaults = 50;

export function invalid(errors: FieldFaults): Failure {
  const fields = Object.entries(errors);
  if (fields.length <= maxFaults) return failure("VALIDATION_ERROR", {}, { errors });
  const first = Object.fromEntries(fields.slice(0, maxFaults));
  const messages = [`More than ${maxFaults} fields have errors; the first ${maxFaults} are named`];
  const general = Object.hasOwn(first, "general") ? [...first.general!.messages, ...messages] : messages;
  return failure("VALIDATION_ERROR", {}, { errors: { ...first, general: { messages: general } } });
}

/** Collects errors so that all of them are reported at once. */
export function faultCollector() {
  const faults: FieldFaults = {};
  return {
    add(field: string, message: string, value?: unknown) {
      // Field names come from callers: `toString` must not find the inherited member.
      if (!Object.hasOwn(faults, field))
        faults[field] = value === undefined ? { messages: [] } : { messages: [], value };
      faults[field]!.messages.push(message);
    },
    /** Runs a check, and collects the errors that it throws. */
    attempt<T>(check: () => T): T | undefined {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "VALIDATION_ERROR") throw error;
        Object.assign(faults, error.extra.errors);
        return undefined;
      }
    },
    throwIfAny() {
      if (Object.keys(faults).length > 0) throw invalid(faults);
    },
  };
}
