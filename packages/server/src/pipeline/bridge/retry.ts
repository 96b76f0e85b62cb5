// When a bridge is asked again. The waits grow as those of providers do (TIDINGS_DELIVERY_FIRST_WAIT and
// TIDINGS_DELIVERY_WAIT_FACTOR), up to an hour. A bridge that is down is asked for a day, so that an outage delays
// notifications and loses none. Code that fails is asked as often as a provider.
import type { BridgeReply } from "./call.ts";

type RetryLimits = { attempts: number; firstWaitMs: number; factor: number };

const maxWaitMs = 3_600_000;
const giveUpAfterMs = 24 * 3_600_000;

/** `attempt`: counted from 1. `askedAt`: of the first call. */
export type Asked = { attempt: number; askedAt: number; now: number };

export type NextAsk = { kind: "retry"; at: Date } | { kind: "give_up" };

export function decideAfterCall(
  { kind }: Exclude<BridgeReply, { kind: "answered" }>,
  { attempt, askedAt, now }: Asked,
  limits: RetryLimits,
  random: () => number,
): NextAsk {
  if (kind === "refused" || (kind === "failing" && attempt >= limits.attempts)) return { kind: "give_up" };
  const usual = limits.firstWaitMs * limits.factor ** Math.min(attempt - 1, 50) * (0.5 + random());
  const at = now + Math.round(Math.min(usual, maxWaitMs));
  return isTooLate(askedAt, at) ? { kind: "give_up" } : { kind: "retry", at: new Date(at) };
}

export const isTooLate = (askedAt: number, now: number): boolean => now > askedAt + giveUpAfterMs;
