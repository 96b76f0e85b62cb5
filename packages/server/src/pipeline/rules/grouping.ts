// How digests and throttles group events: the key of a group, how many events of a group a throttle lets through, and
// which events a digest holds.
import { canonicalJson, type JsonObject, toDottedPath, valueAt } from "../../lib/json.ts";
import { sha256 } from "../../lib/secrets.ts";
import type { DigestResult, Facts, Run } from "../run/run.ts";
import { readWait, type WaitFault, type WaitRequest } from "./waits.ts";

/**
 * The path of `digestKey` or `throttleKey` inside the payload: with or without the prefix `payload.`, with dots or
 * brackets.
 */
export const groupPathOf = (path: unknown): string =>
  typeof path === "string" ? toDottedPath(path.trim()).replace(/^payload\./, "") : "";

/** Events without the value, or with `null`, are one group. */
function groupKeyOf(payload: JsonObject, path: unknown, contextKeys: string[] = []): string {
  const key = groupPathOf(path);
  const value = key === "" ? null : (valueAt(payload, key) ?? null);
  // Hashed, because the key is indexed and a payload value can be larger than an index entry may be.
  return sha256(canonicalJson([value, contextKeys])).toString("base64url");
}

/** A test is a group alone: it neither joins real events in a digest or throttle nor counts among them. */
export const groupKeyOfRun = ({ event, version }: Run, path: unknown, contextKeys?: string[]): string =>
  version.definition.isTest ? `test:${event.id}` : groupKeyOf(event.payload, path, contextKeys);

export type ThrottleSettings = { threshold: number; until: Date };

const defaultThreshold = 1;

export function readThrottle(request: WaitRequest): ThrottleSettings | WaitFault {
  const { type = "fixed", threshold = defaultThreshold } = request.values;
  if (type !== "fixed" && type !== "dynamic") {
    return { fault: "invalid", reason: "type must be one of: fixed, dynamic" };
  }
  if (typeof threshold !== "number" || !Number.isInteger(threshold) || threshold < 1) {
    return { fault: "invalid", reason: "threshold must be a whole number of at least 1" };
  }
  const window = readWait({ ...request, values: { ...request.values, type } });
  return "fault" in window ? window : { threshold, until: window.until };
}

// What a digest holds. A digest that closed holds the events it collected. A digest that was skipped (by its look-back
// window or its skip rule) passes on its input: the result of the digest before it, else the one event. So a second
// digest groups the results of the first, and templates after a digest find its events in both cases.

/** An event without its payload, which is stored with the event. */
export type EventRef = { id: string; time: string };
export type DigestRefs = { refs: EventRef[]; eventCount: number };

/** A digest result as its job stores it: events without payload, in order of arrival. */
export function toStoredDigest({ events, eventCount }: DigestResult): JsonObject {
  return {
    events: events.map(({ id, time }) => ({ id, time })),
    eventCount,
  };
}

export function readStoredDigest(output: JsonObject | null): DigestRefs {
  return {
    refs: Array.isArray(output?.events) ? output.events : [],
    eventCount: Number(output?.eventCount ?? 0),
  };
}

/** The events that enter the digest at this step, read from the stored jobs of the run. */
export function digestInputRefs({ jobs, event }: Run, before: number): DigestRefs {
  const latest = jobs.findLast(({ step, stepIndex, output }) => step.type === "digest" && stepIndex < before && output);
  if (latest) return readStoredDigest(latest.output);
  return { refs: [{ id: event.id, time: event.createdAt.toISOString() }], eventCount: 1 };
}

/** The same with payloads, read from the facts. */
export function digestInput(run: Run, before: number, facts: Facts): DigestResult {
  const latest = run.jobs.findLast((job) => job.stepIndex < before && facts.digests.has(job.id));
  if (latest) return facts.digests.get(latest.id)!;
  const { id, createdAt, payload } = run.event;
  return { events: [{ id, time: createdAt.toISOString(), payload }], eventCount: 1 };
}

/** The events of this job's digest; undefined until it has ended. */
export function digestResult(run: Run, job: Run["jobs"][number], facts: Facts): DigestResult | undefined {
  return facts.digests.get(job.id) ?? (job.status === "skipped" ? digestInput(run, job.stepIndex, facts) : undefined);
}
