// The retry decision: what happens after an attempt to send, from its outcome and from what was tried before.
// Transient faults are repeated with the same integration, waiting 1 s, 4 s, 16 s, 64 s, each multiplied by a random
// factor between 0.5 and 1.5. Then, and at once for faults of the integration, the next integration is tried. Faults of
// the recipient or the content are final: another provider would refuse them too.
import type { Outcome } from "@tidings/providers";

export const maxAttempts = 5;
const firstWaitMs = 1_000;
const factor = 4;
/** A provider that asks for a longer pause than this is as good as down. */
const longestRetryAfterMs = 15 * 60_000;

export type NextStep =
  | { kind: "sent"; providerMessageId?: string }
  | { kind: "repeat"; afterMs: number; reason: string }
  | { kind: "next_integration"; reason: string }
  | { kind: "give_up"; reason: string; errorId: "provider_rejected" | "unexpected_error" };

export function afterAttempt(outcome: Outcome, attempt: number, random: () => number): NextStep {
  switch (outcome.kind) {
    case "accepted":
      return { kind: "sent", providerMessageId: outcome.providerMessageId };
    case "retry":
      return repeatOrMoveOn(outcome.reason, attempt, outcome.afterMs, random);
    case "unknown":
      // Perhaps sent. The default policy is that a double is better than a loss; the attempt stays marked as unknown.
      return repeatOrMoveOn(outcome.reason, attempt, undefined, random);
    case "dead-token":
      return { kind: "give_up", reason: outcome.reason, errorId: "provider_rejected" };
    case "rejected": {
      const isIntegrationFault = outcome.class === "auth" || outcome.class === "quota" || outcome.class === "config";
      return isIntegrationFault
        ? { kind: "next_integration", reason: outcome.reason }
        : { kind: "give_up", reason: outcome.reason, errorId: "provider_rejected" };
    }
  }
}

function repeatOrMoveOn(reason: string, attempt: number, afterMs: number | undefined, random: () => number): NextStep {
  const isLast = attempt >= maxAttempts || (afterMs ?? 0) > longestRetryAfterMs;
  if (isLast) return { kind: "next_integration", reason };
  const wait = firstWaitMs * factor ** (attempt - 1) * (0.5 + random());
  return { kind: "repeat", afterMs: afterMs ?? Math.round(wait), reason };
}
