// Latencies and failures of a run. A request is measured from its first attempt, so that the time in which it was
// refused and repeated counts: measuring each attempt would hide an outage behind its quick refusals.
import { percentile } from "@tidings/testkit/load/figures";
import type { Call, Operation } from "../../auditor/evidence.ts";
import { type Evidence, inboxOf } from "./read.ts";

/** `at`: when it was sent, ms since 1970. `ms`: how long it took. */
export type Timing = { at: number; ms: number };

export type Figures = {
  /** Requests that send something, from the first attempt to the 201, by the time of the first attempt. */
  accepted: Timing[];
  /** Events for one person, from the first attempt of their request to the message in the live inbox. */
  arrived: Timing[];
  /** Messages for people with a live inbox that no stream of theirs brought. */
  notArrived: number;
  /** When each 201 came. */
  acceptedAt: number[];
  /** When each attempt ended that had no response, 408, 429 or 5xx. */
  failedAt: number[];
  /** Attempts by the status or the error. */
  failures: Map<string, number>;
  /** Requests that never had a 201 although each attempt failed as above. */
  neverAccepted: number;
  counts: { requests: number; attempts: number; events: number; recipients: number; messagesLive: number };
};

/** Requests that are accepted with a 201. */
const sending: Operation[] = ["trigger", "bulk", "topic", "broadcast", "sql"];
/** Whose messages are written at once: those of broadcasts and of SQL wait for a page or for the relay. */
const immediate: Operation[] = ["trigger", "bulk", "topic"];

const isFailed = ({ status }: Call): boolean => status === null || status === 408 || status === 429 || status >= 500;
const reasonOf = ({ status, fault }: Call): string => (status === null ? (fault ?? "no response") : String(status));

type Request = { first: Call; accepted: Call | null; isRefused: boolean };

export function computeFigures(evidence: Evidence): Figures {
  const requests = groupRequests(evidence.calls);
  const failed = evidence.calls.filter(isFailed);
  const sent = [...requests.values()].filter(({ first }) => sending.includes(first.operation));
  const done = sent.filter(({ accepted }) => accepted !== null);
  const failures = new Map<string, number>();
  for (const call of failed) failures.set(reasonOf(call), (failures.get(reasonOf(call)) ?? 0) + 1);
  const events = done.flatMap(({ first, accepted }) => accepted!.events ?? first.events ?? []);
  const { arrived, notArrived } = measureArrivals(evidence, done);
  return {
    accepted: done.map(({ first, accepted }) => ({ at: first.at, ms: accepted!.endedAt - first.at })).sort(byTime),
    arrived,
    notArrived,
    acceptedAt: done.map(({ accepted }) => accepted!.endedAt).sort((a, b) => a - b),
    failedAt: failed.map(({ endedAt }) => endedAt).sort((a, b) => a - b),
    failures,
    neverAccepted: sent.filter(({ accepted, isRefused }) => !accepted && !isRefused).length,
    counts: {
      requests: requests.size,
      attempts: evidence.calls.length,
      events: events.length,
      recipients: events.reduce((sum, { to }) => sum + to.length, 0),
      messagesLive: evidence.arrivals.length,
    },
  };
}

const byTime = (a: Timing, b: Timing): number => a.at - b.at;

function groupRequests(calls: Call[]): Map<string, Request> {
  const requests = new Map<string, Request>();
  for (const call of calls) {
    const key = `${call.environment} ${call.request}`;
    const known = requests.get(key) ?? { first: call, accepted: null, isRefused: false };
    if (call.at < known.first.at) known.first = call;
    if (call.status === 201 && (known.accepted === null || call.endedAt < known.accepted.endedAt))
      known.accepted = call;
    if (!isFailed(call) && call.status !== 201) known.isRefused = true;
    requests.set(key, known);
  }
  return requests;
}

function measureArrivals(evidence: Evidence, done: Request[]): { arrived: Timing[]; notArrived: number } {
  const { workflows } = evidence.run;
  const inApp = workflows.filter(({ promise }) => promise.kind === "in_app").map(({ workflowId }) => workflowId);
  const measured = new Set(inApp.includes("now") ? ["now"] : inApp);
  const firstArrivals = new Map<string, number>();
  for (const event of evidence.arrivals) {
    const key = `${inboxOf(event)} ${event.text}`;
    const known = firstArrivals.get(key);
    if (known === undefined || event.at < known) firstArrivals.set(key, event.at);
  }
  const arrived: Timing[] = [];
  let notArrived = 0;
  for (const { first, accepted } of done) {
    if (!immediate.includes(first.operation)) continue;
    for (const event of accepted!.events ?? first.events ?? []) {
      if (!measured.has(event.workflowId)) continue;
      for (const subscriberId of new Set(event.to)) {
        const inbox = inboxOf({ environment: first.environment, subscriberId });
        if (!evidence.liveInboxes.has(inbox)) continue;
        const at = firstArrivals.get(`${inbox} ${event.text}`);
        if (at === undefined) notArrived++;
        else arrived.push({ at: first.at, ms: Math.max(0, at - first.at) });
      }
    }
  }
  return { arrived: arrived.sort(byTime), notArrived };
}

/** The values of one stretch of time; NaN where nothing was measured. */
export type Bucket = { at: number; count: number; p50: number; p99: number; slowest: number };

export function bucketTimings(timings: Timing[], from: number, to: number, widthMs: number): Bucket[] {
  const groups = Map.groupBy(timings, ({ at }) => Math.floor((at - from) / widthMs));
  return Array.from({ length: Math.max(1, Math.ceil((to - from) / widthMs)) }, (_, index) => {
    const times = (groups.get(index) ?? []).map(({ ms }) => ms);
    const slowest = times.length === 0 ? Number.NaN : times.reduce((a, b) => Math.max(a, b));
    const at = from + index * widthMs;
    return { at, count: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99), slowest };
  });
}

/** Per second, for each stretch of time. */
export function bucketRate(times: number[], from: number, to: number, widthMs: number): { at: number; rate: number }[] {
  const groups = Map.groupBy(times, (at) => Math.floor((at - from) / widthMs));
  return Array.from({ length: Math.max(1, Math.ceil((to - from) / widthMs)) }, (_, index) => ({
    at: from + index * widthMs,
    rate: ((groups.get(index)?.length ?? 0) * 1000) / widthMs,
  }));
}
