// What each kind of failure did to clients: failed requests, the longest time without a 201, the time until latencies
// were normal again, and messages that a provider accepted twice. Failures overlap on purpose, so each figure counts
// everything that happened around an occurrence, whatever caused it.
import { percentile } from "@tidings/testkit/load/figures";
import type { Delivery, FaultKind, FaultRecord } from "../../auditor/evidence.ts";
import type { Figures, Timing } from "./figures.ts";
import type { Evidence } from "./read.ts";

/** How long after its end an occurrence is held responsible. */
export const tailMs = 30_000;
/** For occurrences that were alone. */
export const aloneMs = 10_000;
const windowMs = 5_000;
/** How long recovery is searched for. */
const maxRecoveryMs = 180_000;

type Recovery =
  /** `isShared`: another failure was in effect before the times were normal. */
  | { kind: "measured"; ms: number; isShared: boolean }
  /** The load ended first, or it took longer than is searched. */
  | { kind: "not_seen"; afterMs: number };

export type Occurrence = {
  record: FaultRecord;
  failed: number;
  longestSilenceMs: number;
  /** No other failure was in effect from shortly before it to shortly after it. */
  isAlone: boolean;
  recovery: Recovery | null;
};

export type KindFigures = {
  kind: FaultKind;
  occurrences: Occurrence[];
  totalMs: number;
  failed: number;
  longestSilenceMs: number;
  /** The same for occurrences that were alone, and for less time after them; null if none was. */
  aloneSilenceMs: number | null;
  duplicates: number;
  /** The occurrence with the longest time without a 201, of those that were alone if there are any. */
  worst: Occurrence;
};

/** The p99 from request to 201 while no failure was in effect or had just ended, in ms; null without such a time. */
export function measureNormalP99({ run, faults }: Evidence, { accepted }: Figures): number | null {
  const tried = faults.filter(({ problem }) => !problem);
  const isQuiet = ({ at, ms }: Timing) =>
    at >= run.startedAt && !tried.some((one) => at + ms >= one.startedAt && at <= one.endedAt + tailMs);
  const quiet = accepted.filter(isQuiet).map(({ ms }) => ms);
  return quiet.length < 50 ? null : percentile(quiet, 0.99);
}

/** Times up to this are normal. */
export const normalLimit = (normalP99: number): number => Math.max(2 * normalP99, normalP99 + 50);

export function measureKinds(evidence: Evidence, figures: Figures, normalP99: number | null): KindFigures[] {
  const tried = evidence.faults.filter(({ problem }) => !problem);
  const duplicates = listDuplicates(evidence.deliveries);
  return [...Map.groupBy(tried, ({ fault }) => fault)].map(([kind, records]) => {
    const occurrences = records.map((record) => measureOccurrence(record, evidence, figures, normalP99));
    const alone = occurrences.filter(({ isAlone }) => isAlone);
    const aloneSilences = alone.map(({ record }) =>
      silenceAround(evidence, figures, record.startedAt, record.endedAt + aloneMs),
    );
    const isAround = (at: number) => records.some((one) => at >= one.startedAt && at <= one.endedAt + tailMs);
    return {
      kind,
      occurrences,
      totalMs: records.reduce((sum, one) => sum + one.endedAt - one.startedAt, 0),
      failed: figures.failedAt.filter(isAround).length,
      longestSilenceMs: Math.max(...occurrences.map((one) => one.longestSilenceMs)),
      aloneSilenceMs: alone.length === 0 ? null : Math.max(...aloneSilences),
      duplicates: duplicates.filter(({ at }) => isAround(at)).length,
      worst: (alone.length > 0 ? alone : occurrences).reduce((a, b) =>
        b.longestSilenceMs > a.longestSilenceMs ? b : a,
      ),
    };
  });
}

const silenceAround = ({ run }: Evidence, { acceptedAt }: Figures, from: number, to: number): number =>
  findLongestSilence(acceptedAt, [run.startedAt, run.loadEndedAt], [from, to]);

function measureOccurrence(
  record: FaultRecord,
  evidence: Evidence,
  figures: Figures,
  normalP99: number | null,
): Occurrence {
  const { run, faults } = evidence;
  const until = record.endedAt + tailMs;
  const others = faults.filter((one) => !one.problem && one !== record);
  const recoveryOf = (normal: number): Recovery => {
    const recovery = measureRecovery(figures, record.endedAt, run.loadEndedAt, normal);
    if (recovery.kind === "not_seen") return recovery;
    const normalAt = record.endedAt + recovery.ms;
    return { ...recovery, isShared: others.some((one) => one.startedAt <= normalAt && one.endedAt > record.endedAt) };
  };
  return {
    record,
    failed: figures.failedAt.filter((at) => at >= record.startedAt && at <= until).length,
    longestSilenceMs: silenceAround(evidence, figures, record.startedAt, until),
    isAlone: !others.some((o) => o.startedAt <= record.endedAt + aloneMs && o.endedAt >= record.startedAt - aloneMs),
    recovery: normalP99 === null ? null : recoveryOf(normalLimit(normalP99)),
  };
}

/** The longest time between two 201s, or between one and the begin or the end of the load, that touches a window. */
function findLongestSilence(
  acceptedAt: number[],
  [begin, end]: [number, number],
  [from, to]: [number, number],
): number {
  const times = [begin, ...acceptedAt.filter((at) => at > begin && at < end), end];
  let longest = 0;
  for (let index = 1; index < times.length; index++) {
    const [before, after] = [times[index - 1]!, times[index]!];
    if (after >= from && before <= to) longest = Math.max(longest, after - before);
  }
  return longest;
}

/**
 * From the end of a failure to the first five seconds in which no attempt failed and the p99 of what was sent then is
 * normal, in steps of a second. Five seconds in which nothing was accepted are not normal.
 */
function measureRecovery({ accepted, failedAt }: Figures, endedAt: number, limit: number, normal: number): Recovery {
  for (let at = endedAt; at + windowMs <= limit && at - endedAt <= maxRecoveryMs; at += 1_000) {
    const isWithin = (time: number) => time >= at && time < at + windowMs;
    const times = accepted.filter((one) => isWithin(one.at)).map(({ ms }) => ms);
    if (times.length > 0 && !failedAt.some(isWithin) && percentile(times, 0.99) <= normal)
      return { kind: "measured", ms: at - endedAt, isShared: false };
  }
  return { kind: "not_seen", afterMs: Math.min(Math.max(0, limit - endedAt), maxRecoveryMs) };
}

const wasAccepted = ({ answer }: Delivery): boolean => answer !== "refused" && answer !== "hung";

/** Calls by which a provider accepted a message that it had accepted before. */
export function listDuplicates(deliveries: Delivery[]): Delivery[] {
  const seen = new Set<string>();
  return deliveries
    .filter(wasAccepted)
    .sort((a, b) => a.at - b.at)
    .filter(({ provider, messageId, to }) => {
      const key = `${provider} ${messageId} ${to}`;
      return seen.size === seen.add(key).size;
    });
}

/** Pairs of kinds that were in effect at the same time, with how often, most frequent first. */
export function countOverlaps(faults: FaultRecord[]): { kinds: [FaultKind, FaultKind]; times: number }[] {
  const tried = faults.filter(({ problem }) => !problem);
  const counts = new Map<string, { kinds: [FaultKind, FaultKind]; times: number }>();
  for (const [index, one] of tried.entries()) {
    for (const other of tried.slice(index + 1)) {
      if (one.startedAt >= other.endedAt || other.startedAt >= one.endedAt) continue;
      const kinds = [one.fault, other.fault].sort() as [FaultKind, FaultKind];
      const key = kinds.join(" ");
      counts.set(key, { kinds, times: (counts.get(key)?.times ?? 0) + 1 });
    }
  }
  return [...counts.values()].sort((a, b) => b.times - a.times || a.kinds.join().localeCompare(b.kinds.join()));
}
