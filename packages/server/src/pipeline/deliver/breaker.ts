// The circuit breaker of an integration. After several failures in a row that no message is to blame for, it opens:
// messages go to the next integration, or wait. One at a time goes through as a probe, with growing pauses between; the
// first one that is answered closes it.
import type { Outcome } from "@tidings/providers";

export type Health = {
  state: "closed" | "open" | "half_open";
  failures: number;
  probes: number;
  openedAt: Date | null;
  nextProbeAt: Date | null;
};

export type BreakerLimits = {
  /** Failures in a row that open it. */
  failures: number;
  firstProbeMs: number;
  longestProbeMs: number;
  /** A probe that was not heard of for this long is given up. */
  probeLimitMs: number;
};

export const healthy: Health = { state: "closed", failures: 0, probes: 0, openedAt: null, nextProbeAt: null };

/** A message that was to be sent through the integration, and what became of it. */
export type Call = { outcome: Outcome; isProbe: boolean };

/** The provider was not asked: what came of it says nothing about its health. */
export const isUnasked = (outcome: Outcome): boolean => "isUnasked" in outcome && outcome.isUnasked === true;

/** Only a provider that cannot be reached, does not answer or is overloaded is in trouble; one that refuses is well. */
export const isTrouble = (outcome: Outcome): boolean =>
  (outcome.kind === "retry" || outcome.kind === "unknown") && !isUnasked(outcome);

export function afterCall(health: Health, { outcome, isProbe }: Call, now: Date, limits: BreakerLimits): Health {
  if (isUnasked(outcome)) return isProbe ? withProbeDue(health, now) : health;
  if (!isTrouble(outcome)) return healthy;
  const failures = health.failures + 1;
  // Calls that were under way when it opened come back late and change nothing but the count.
  if (health.state === "open") return { ...health, failures };
  if (health.state === "closed" && failures < limits.failures) return { ...health, failures };
  const probes = health.state === "half_open" ? health.probes + 1 : 0;
  const pause = Math.min(limits.longestProbeMs, limits.firstProbeMs * 2 ** probes);
  return {
    state: "open",
    failures,
    probes,
    openedAt: health.openedAt ?? now,
    nextProbeAt: new Date(now.getTime() + pause),
  };
}

/** A probe that was not made after all is for the next message to make. */
const withProbeDue = (health: Health, now: Date): Health =>
  health.state === "half_open" ? { ...health, state: "open", nextProbeAt: now } : health;

export type Passage = { kind: "pass" } | { kind: "probe" } | { kind: "wait"; until: Date };

/** Whether a message may go through. A probe has to be claimed first: others ask at the same moment. */
export function passage(health: Health, now: Date): Passage {
  if (health.state === "closed") return { kind: "pass" };
  const next = health.nextProbeAt ?? now;
  if (next <= now) return { kind: "probe" };
  const soon = probeAnswered(now);
  return { kind: "wait", until: health.state === "half_open" && soon < next ? soon : next };
}

/** When to ask again while somebody else makes the probe: the answer usually comes long before its limit. */
export const probeAnswered = (now: Date): Date => new Date(now.getTime() + 5_000);
