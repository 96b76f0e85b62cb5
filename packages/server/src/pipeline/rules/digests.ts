// What a digest holds. A digest that closed holds the events it collected; one that was skipped (the group was quiet, or
// its own rule said so) lets through what came in: the result of the digest before it, else the one event. So a second
// digest groups the results of the first, and a template behind a digest finds its events whichever way it went.
import type { DigestResult, Facts, Run } from "../run/run.ts";

type JsonObject = Record<string, unknown>;

/** Events without their payloads, which are stored with the events themselves. */
export type EventRef = { id: string; time: string };
export type Gathered = { refs: EventRef[]; eventCount: number };

/** What a digest stores as its output: which events, in order of arrival. */
export const refsOf = ({ events, eventCount }: DigestResult): JsonObject => ({
  events: events.map(({ id, time }) => ({ id, time })),
  eventCount,
});

export const storedDigest = (output: JsonObject | null): Gathered => ({
  refs: (output?.events as EventRef[] | undefined) ?? [],
  eventCount: Number(output?.eventCount ?? 0),
});

/** What the run brings into the digest at this position, as far as its stored jobs tell. */
export function broughtBy({ jobs, event }: Run, before: number): Gathered {
  const latest = jobs.findLast(({ step, stepIndex, output }) => step.type === "digest" && stepIndex < before && output);
  if (latest) return storedDigest(latest.output);
  return { refs: [{ id: event.id, time: event.createdAt.toISOString() }], eventCount: 1 };
}

/** The same with payloads. */
export function resultBefore(run: Run, before: number, facts: Facts): DigestResult {
  const latest = run.jobs.findLast((job) => job.stepIndex < before && facts.digests.has(job.id));
  if (latest) return facts.digests.get(latest.id)!;
  const { id, createdAt, payload } = run.event;
  return { events: [{ id, time: createdAt.toISOString(), payload }], eventCount: 1 };
}

/** What the digest of this job holds; nothing as long as it has not ended. */
export function digestResult(run: Run, job: Run["jobs"][number], facts: Facts): DigestResult | undefined {
  return facts.digests.get(job.id) ?? (job.status === "skipped" ? resultBefore(run, job.stepIndex, facts) : undefined);
}
