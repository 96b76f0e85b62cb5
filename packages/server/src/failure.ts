// A refusal that the caller should read: thrown by code from the catalogue in the contract, turned into HTTP only at the
// edge (http/errors.ts). Anything else that is thrown is a fault of ours and becomes a 500.
import { type ErrorCode, type ErrorParams, errorCatalogue, errorMessage } from "@tidings/contract";

/** Field path → what is wrong with it. `general` holds faults that belong to no field. */
export type FieldFaults = Record<string, { messages: string[]; value?: unknown }>;

/** Members that stand beside the usual ones in the error body. */
export type FailureExtra = {
  errors?: unknown;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Instead of the catalogue's text, where an operation words the same error otherwise. */
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

/** Fields that one answer names: a list of ten thousand wrong items is as wrong as its first fifty say. */
export const maxFaults = 50;

export function invalid(errors: FieldFaults): Failure {
  const fields = Object.entries(errors);
  if (fields.length <= maxFaults) return failure("VALIDATION_ERROR", {}, { errors });
  const first = Object.fromEntries(fields.slice(0, maxFaults));
  const messages = [`More than ${maxFaults} fields have faults; the first ${maxFaults} are named`];
  const general = Object.hasOwn(first, "general") ? [...first.general!.messages, ...messages] : messages;
  return failure("VALIDATION_ERROR", {}, { errors: { ...first, general: { messages: general } } });
}

/** Collects faults so that all of them are reported at once. */
export function faultCollector() {
  const faults: FieldFaults = {};
  return {
    add(field: string, message: string, value?: unknown) {
      // Field names come from callers: `toString` must not find the one every object has.
      if (!Object.hasOwn(faults, field))
        faults[field] = value === undefined ? { messages: [] } : { messages: [], value };
      faults[field]!.messages.push(message);
    },
    /** Runs a check that throws faults of its own, and takes them in. */
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
