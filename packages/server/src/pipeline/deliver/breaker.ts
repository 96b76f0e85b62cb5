// The circuit breaker of an integration: pure rules. Several failures of the provider in a row open it: messages then
// go to the next integration (failover) or wait. While it is open, one message at a time is sent as a probe, with
// growing pauses between; the first probe that the provider responds to closes it.
import type { Outcome } from "@tidings/providers";

export type Health = {
  state: "closed" | "open" | "half_open";
  failures: number;
  probes: number;
  openedAt: Date | null;
  nextProbeAt: Date | null;
};

type BreakerLimits = {
  /** Failures in a row that open it. */
  failures: number;
  firstProbeMs: number;
  maxProbeMs: number;
  /** A probe without a result for this long is replaced by another. */
  probeLimitMs: number;
};

export const healthy: Health = { state: "closed", failures: 0, probes: 0, openedAt: null, nextProbeAt: null };

/** The outcome of a message that was to be sent through the integration. */
export type BreakerCall = { outcome: Outcome; isProbe: boolean };

/** The provider was not called, so that the outcome says nothing about its health. */
export const isLocalFault = (outcome: Outcome): boolean =>
  "isDecidedLocally" in outcome && outcome.isDecidedLocally === true;

/** The provider cannot be reached, does not return or is overloaded. A provider that rejects a message is healthy. */
export const isProviderFailure = (outcome: Outcome): boolean =>
  (outcome.kind === "retry" || outcome.kind === "unknown") && !isLocalFault(outcome);

export function afterCall(health: Health, { outcome, isProbe }: BreakerCall, now: Date, limits: BreakerLimits): Health {
  if (isLocalFault(outcome)) return isProbe ? returnProbe(health, now) : health;
  if (!isProviderFailure(outcome)) return healthy;
  const failures = health.failures + 1;
  // Calls that were in flight when it opened end later and change only the count.
  if (health.state === "open") return { ...health, failures };
  if (health.state === "closed" && failures < limits.failures) return { ...health, failures };
  const probes = health.state === "half_open" ? health.probes + 1 : 0;
  const pause = Math.min(limits.maxProbeMs, limits.firstProbeMs * 2 ** probes);
  return {
    state: "open",
    failures,
    probes,
    openedAt: health.openedAt ?? now,
    nextProbeAt: new Date(now.getTime() + pause),
  };
}

/** A probe that was not made is due again at once, for the next message. */
const returnProbe = (health: Health, now: Date): Health =>
  health.state === "half_open" ? { ...health, state: "open", nextProbeAt: now } : health;

type BreakerDecision = { kind: "pass" } | { kind: "probe" } | { kind: "wait"; until: Date };

/**
 * Whether a message may be sent. A probe has to be claimed in the database first: several workers may decide at once.
 */
export function checkBreaker(health: Health, now: Date): BreakerDecision {
  if (health.state === "closed") return { kind: "pass" };
  const next = health.nextProbeAt ?? now;
  if (next <= now) return { kind: "probe" };
  const soon = expectedProbeEnd(now);
  return { kind: "wait", until: health.state === "half_open" && soon < next ? soon : next };
}

/** When to check again while another message is the probe: its result usually comes long before its limit. */
export const expectedProbeEnd = (now: Date): Date => new Date(now.getTime() + 5_000);
