// The retry decision: what happens after an attempt to send, by its outcome and the attempts before it. Transient
// errors are retried with the same integration after 1 s, 4 s, 16 s and 64 s, each multiplied by a random factor
// between 0.5 and 1.5. After the last retry, and at once when the integration is the cause or a retry would miss the
// deadline, the next integration is tried (failover). Errors of the recipient or the content are final, because another
// provider would reject the message too.
//
// An unknown outcome is a call without a response: the message may have been sent or not. The workflow says whether it
// prefers a duplicate or a delay. `may_duplicate`: it is retried like any transient error. `may_delay`: the message
// waits for a receipt, is then retried with the same provider (which knows the idempotency key), and never goes to
// another.
import type { Note, Outcome } from "@tidings/providers";
import type { OnUnknownOutcome } from "../../store/tables.ts";

type RetryLimits = {
  attempts: number;
  firstWaitMs: number;
  factor: number;
  /** A provider that asks for a longer pause than this gets no retry. */
  maxRetryAfterMs: number;
  /** How long a message waits for a receipt after an unknown outcome, where its workflow says `may_delay`. */
  unknownWaitMs: number;
};

/** The cause of a failure. */
type FaultClass = "transient" | "unknown" | "auth" | "quota" | "config" | "recipient" | "content";

export type Failure = { reason: string; class: FaultClass };

export type NextStep =
  | { kind: "sent"; providerMessageId?: string; refusedCopies?: readonly string[]; notes?: readonly Note[] }
  | ({ kind: "retry"; afterMs: number } & Failure)
  | ({ kind: "next_integration" } & Failure)
  | ({ kind: "give_up" } & Failure);

export type Tried = {
  /** Attempt number with this integration. */
  attempt: number;
  onUnknown: OnUnknownOutcome;
  /** An earlier attempt may have reached the recipient. */
  hadUnknown: boolean;
  now: Date;
  /** After this time the message is no longer sent. */
  deadline: Date;
};

export function decideAfterAttempt(
  outcome: Outcome,
  tried: Tried,
  limits: RetryLimits,
  random: () => number,
): NextStep {
  if (outcome.kind === "accepted") {
    const { providerMessageId, refusedCopies, notes } = outcome;
    return {
      kind: "sent",
      providerMessageId,
      ...(refusedCopies ? { refusedCopies } : {}),
      ...(notes ? { notes } : {}),
    };
  }
  const { reason } = outcome;
  if (outcome.kind === "dead-token") return { kind: "give_up", reason, class: "recipient" };
  if (outcome.kind === "rejected") {
    if (outcome.class === "recipient" || outcome.class === "content") {
      return { kind: "give_up", reason, class: outcome.class };
    }
    return failOver({ reason, class: outcome.class }, tried, tried.hadUnknown);
  }
  const isUnknown = outcome.kind === "unknown";
  const failure: Failure = { reason, class: isUnknown ? "unknown" : "transient" };
  const maybeSent = tried.hadUnknown || isUnknown;
  const asked = outcome.kind === "retry" ? (outcome.afterMs ?? 0) : 0;
  const isLast = tried.attempt >= limits.attempts || asked > limits.maxRetryAfterMs;
  if (isLast) return failOver(failure, tried, maybeSent);
  const usual = Math.round(limits.firstWaitMs * limits.factor ** (tried.attempt - 1) * (0.5 + random()));
  const pause = asked >= minAskedMs ? asked : usual;
  const afterMs = isUnknown && tried.onUnknown === "may_delay" ? limits.unknownWaitMs : pause;
  if (isTooLate(tried, afterMs)) return failOver(failure, tried, maybeSent, afterMs);
  return { kind: "retry", afterMs, ...failure };
}

/** A shorter Retry-After, or one in the past, is ignored: it would use up all attempts within a moment. */
const minAskedMs = 1_000;

/**
 * Failover to the next integration, or the end: when the deadline is over, and when the message may have been sent
 * already, which another provider could not know. `afterMs`: when a retry would have been due.
 */
function failOver(failure: Failure, tried: Tried, maybeSent: boolean, afterMs = 0): NextStep {
  const reason = isTooLate(tried, afterMs)
    ? `${failure.reason} (and the time in which it may be delivered is over before a repeat)`
    : failure.reason;
  const isBound = maybeSent && tried.onUnknown === "may_delay";
  const kind = isBound || isTooLate(tried, 0) ? "give_up" : "next_integration";
  return { kind, reason, class: failure.class };
}

const isTooLate = ({ now, deadline }: Tried, afterMs: number): boolean => now.getTime() + afterMs > deadline.getTime();

const replayable = ["transient", "unknown", "auth", "quota", "config"] as const;
type ReplayableClass = (typeof replayable)[number];

/** Whether sending the message again may help: the cause is neither the recipient nor the content. */
export const isReplayable = (faultClass: FaultClass): faultClass is ReplayableClass =>
  (replayable as readonly string[]).includes(faultClass);
