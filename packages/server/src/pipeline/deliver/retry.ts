// The retry decision: what happens after an attempt to send, from its outcome and from what was tried before.
// Transient faults are repeated with the same integration, waiting 1 s, 4 s, 16 s, 64 s, each multiplied by a random
// factor between 0.5 and 1.5. Then, and at once for faults of the integration or when a repeat would come too late, the
// next integration is tried. Faults of the recipient or the content are final: another provider would refuse them too.
//
// An unknown outcome is a call whose answer never came: perhaps sent, perhaps not. A workflow says what it fears more.
// `may_duplicate`: a loss; it is repeated like any transient fault. `may_delay`: a double; the message waits for a
// receipt, is then repeated with the same provider (which knows the idempotency key), and never goes to another.
import type { Note, Outcome } from "@tidings/providers";
import type { OnUnknownOutcome } from "../../store/tables.ts";

export type RetryLimits = {
  attempts: number;
  firstWaitMs: number;
  factor: number;
  /** A provider that asks for a longer pause than this is as good as down. */
  longestRetryAfterMs: number;
  /** How long a message of a workflow that fears doubles waits for a receipt. */
  unknownWaitMs: number;
};

/** What is to blame. */
export type FaultClass = "transient" | "unknown" | "auth" | "quota" | "config" | "recipient" | "content";

export type NextStep =
  | { kind: "sent"; providerMessageId?: string; notTaken?: readonly string[]; notes?: readonly Note[] }
  | { kind: "repeat"; afterMs: number; reason: string; class: FaultClass }
  | { kind: "next_integration"; reason: string; class: FaultClass }
  | { kind: "give_up"; reason: string; class: FaultClass };

export type Tried = {
  /** The how-manieth attempt with this integration it was. */
  attempt: number;
  onUnknown: OnUnknownOutcome;
  /** An earlier attempt may have reached the recipient. */
  hadUnknown: boolean;
  now: Date;
  /** When the message is too old to be sent. */
  deadline: Date;
};

export function afterAttempt(outcome: Outcome, tried: Tried, limits: RetryLimits, random: () => number): NextStep {
  if (outcome.kind === "accepted") {
    const { providerMessageId, notTaken, notes } = outcome;
    return { kind: "sent", providerMessageId, ...(notTaken ? { notTaken } : {}), ...(notes ? { notes } : {}) };
  }
  const { reason } = outcome;
  if (outcome.kind === "dead-token") return { kind: "give_up", reason, class: "recipient" };
  if (outcome.kind === "rejected") {
    if (outcome.class === "recipient" || outcome.class === "content") {
      return { kind: "give_up", reason, class: outcome.class };
    }
    return moveOn(reason, outcome.class, tried, tried.hadUnknown);
  }
  const isUnknown = outcome.kind === "unknown";
  const faultClass = isUnknown ? "unknown" : "transient";
  const maybeSent = tried.hadUnknown || isUnknown;
  const asked = outcome.kind === "retry" ? (outcome.afterMs ?? 0) : 0;
  const isLast = tried.attempt >= limits.attempts || asked > limits.longestRetryAfterMs;
  if (isLast) return moveOn(reason, faultClass, tried, maybeSent);
  const usual = Math.round(limits.firstWaitMs * limits.factor ** (tried.attempt - 1) * (0.5 + random()));
  const pause = asked >= shortestAskedMs ? asked : usual;
  const afterMs = isUnknown && tried.onUnknown === "may_delay" ? limits.unknownWaitMs : pause;
  if (isTooLate(tried, afterMs)) return moveOn(reason, faultClass, tried, maybeSent, afterMs);
  return { kind: "repeat", afterMs, reason, class: faultClass };
}

/** "At once", or at a time that is over, is no answer to how long to wait: five attempts would be gone in a moment. */
const shortestAskedMs = 1_000;

/** Another provider would not know that this one may have sent the message already. `afterMs`: when a repeat was due. */
function moveOn(said: string, faultClass: FaultClass, tried: Tried, maybeSent: boolean, afterMs = 0): NextStep {
  const reason = isTooLate(tried, afterMs)
    ? `${said} (and the time in which it may be delivered is over before a repeat)`
    : said;
  const isBound = maybeSent && tried.onUnknown === "may_delay";
  const kind = isBound || isTooLate(tried, 0) ? "give_up" : "next_integration";
  return { kind, reason, class: faultClass };
}

const isTooLate = ({ now, deadline }: Tried, afterMs: number): boolean => now.getTime() + afterMs > deadline.getTime();

const replayable = ["transient", "unknown", "auth", "quota", "config"] as const;
export type ReplayableClass = (typeof replayable)[number];

/** Sending the same again may help: the fault is neither the recipient's nor the content's. */
export const isReplayable = (faultClass: FaultClass): faultClass is ReplayableClass =>
  (replayable as readonly string[]).includes(faultClass);
