// The outcome of one attempt. Every reply of a provider, every SMTP code and every broken connection becomes one of
// five kinds, with a reason that a person can read.

/** A part of an accepted message that the provider does not support: an unknown override, an inline image. */
export type Note = {
  about: "override" | "attachment";
  /** The path of the override, the name of the attachment. */
  name: string;
  reason: string;
};

export type RejectionClass = "recipient" | "content" | "auth" | "quota" | "config";

/** `isDecidedLocally`: decided before the provider was called, so the circuit breaker does not count it. */
type Unasked = { isDecidedLocally?: true };

export type Outcome =
  /** `refusedCopies`: refused copies (cc, bcc) of a mail whose recipient was accepted, each with the reason. */
  | { kind: "accepted"; providerMessageId?: string; refusedCopies?: readonly string[]; notes?: readonly Note[] }
  /** The provider did not accept the message, and a retry may succeed. */
  | ({ kind: "retry"; reason: string; afterMs?: number } & Unasked)
  /** `recipient` and `content` are final; `auth`, `quota` and `config` are errors or limits of the integration. */
  | ({ kind: "rejected"; class: RejectionClass; reason: string } & Unasked)
  /** The device token is no longer valid and is removed. */
  | { kind: "dead-token"; reason: string }
  /** The request was written and no response came, so the message may have been sent: a retry may be a duplicate. */
  | { kind: "unknown"; reason: string };

export type Failure = Exclude<Outcome, { kind: "accepted" }>;

/**
 * `class`: `transient`, the provider was not reached or could not respond; `config`, it was not asked; without it, it
 * refused the credentials.
 */
export type CheckResult =
  | { ok: true }
  | { ok: false; reason: string; class?: "transient" | "config"; unresolvedHost?: string };

export function accepted(
  providerMessageId?: string,
  refusedCopies: readonly string[] = [],
  notes: readonly Note[] = [],
): Outcome {
  return {
    kind: "accepted",
    ...(providerMessageId === undefined ? {} : { providerMessageId }),
    ...(refusedCopies.length === 0 ? {} : { refusedCopies }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

export function rejected(rejectionClass: RejectionClass, reason: string): Failure {
  return {
    kind: "rejected",
    class: rejectionClass,
    reason,
  };
}

export function retry(reason: string, afterMs?: number): Failure {
  return afterMs === undefined ? { kind: "retry", reason } : { kind: "retry", reason, afterMs };
}

export function decidedLocally(failure: Failure): Failure {
  return failure.kind === "retry" || failure.kind === "rejected" ? { ...failure, isDecidedLocally: true } : failure;
}

export function deadToken(reason: string): Failure {
  return { kind: "dead-token", reason };
}

export function unknown(reason: string): Failure {
  return { kind: "unknown", reason };
}

/** A failure as an exception, for code that cannot return one: a request that cannot be built, a broken connection. */
export class SendError extends Error {
  readonly outcome: Failure;
  readonly unresolvedHost: string | undefined;

  constructor(outcome: Failure, unresolvedHost?: string) {
    super(outcome.reason);
    this.name = "SendError";
    this.outcome = outcome;
    this.unresolvedHost = unresolvedHost;
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
