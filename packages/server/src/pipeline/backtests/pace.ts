// How late the service was then, from the details of the jobs of that time: when it came to a run, noticed the end of a
// wait, and had the response of a provider, a bridge or an HTTP request. A replay is as late, so that events meet the
// same digests, windows and waits. Pure.
import type { StoredDetail } from "../../store/tables.ts";
import { findEntry } from "../steps/catalogue.ts";
import type { PastRun, PastStep } from "./history.ts";
import type { Asked } from "./responses.ts";

/** What took longer had other reasons, such as a run that was sent again by hand. */
const maxLateMs = 86_400_000;

const bounded = (ms: number): number => (ms > 0 && ms < maxLateMs ? ms : 0);

/** Details that a step may have before the service comes to it, or without it. */
const around: ReadonlySet<string> = new Set([
  ...["override_ignored", "severity_overridden", "step_canceled", "subscriber_erased"],
]);

/** When the service came to the step (ms); undefined where it never did. */
const begunAt = (step: PastStep | undefined): number | undefined =>
  step?.job.details.find(({ d }) => !around.has(d))?.t;

/** When the run began (ms): after its creation where its batch had too much to do. */
export function startOf({ notification, steps }: PastRun): number {
  const createdAt = notification.created_at.getTime();
  const [first] = steps.values();
  return createdAt + bounded((begunAt(first) ?? createdAt) - createdAt);
}

const isWait = ({ d, r }: StoredDetail): boolean => typeof r?.until === "string" && findEntry({ d })?.isWait === true;

/** How long after its end the n-th wait of the step was noticed (ms). */
export function latenessOf({ job }: PastStep, n: number): number {
  const begun = job.details.flatMap((one, index) => (isWait(one) ? index : []))[n];
  const next = begun === undefined ? undefined : job.details[begun + 1];
  if (!next || around.has(next.d)) return 0;
  return bounded(next.t - Date.parse(String(job.details[begun!]!.r!.until)));
}

/** Which wait of its step a job is in, from 0. */
export const waitNumber = (details: readonly StoredDetail[]): number => details.filter(isWait).length - 1;

/** When a digest was closed that ends at `dueAt` (ms), where another run had begun it. */
export function closedAt(step: PastStep | undefined, dueAt: Date): number {
  const due = dueAt.getTime();
  return due + bounded((step?.job.details.find(({ d }) => d === "digest_started")?.t ?? due) - due);
}

/** When the run continued after this arrival (ms). */
export function continuedAt(step: PastStep | undefined, arrivedAt: Date): number {
  const at = arrivedAt.getTime();
  const met = step?.job.details.find(({ d, r }) => d === "wait_met" && r?.at === arrivedAt.toISOString());
  return at + bounded((met?.t ?? at) - at);
}

type Phase = { begins: ReadonlySet<string>; ends: ReadonlySet<string> };

const phases: Record<Asked, Phase> = {
  ask: {
    begins: new Set(["bridge_asked", "request_queued"]),
    ends: new Set(["bridge_answered", "bridge_failed", "request_succeeded", "request_failed"]),
  },
  send: { begins: new Set(["step_queued"]), ends: new Set(["message_sent"]) },
};

/** What happened to a dead letter, after the run had continued without its message. */
const byHand: ReadonlySet<string> = new Set(["replayed", "resent", "letter_resolved"]);

/** The details with which the step began to wait for a response, and got it, and the one after it. */
function responseOf({ job: { details } }: PastStep, asked: Asked): StoredDetail[] | null {
  const { begins, ends } = phases[asked];
  const begun = details.findIndex(({ d }) => begins.has(d));
  if (begun < 0) return null;
  const repeated = details.findIndex(({ d }) => byHand.has(d));
  const following = details.slice(begun + 1, repeated < 0 ? undefined : repeated);
  const lastWay = following.findLastIndex(({ d }) => d === "next_integration") + 1;
  const sent = following.findIndex(({ d }) => ends.has(d));
  const end = sent < 0 ? following.findIndex((one, at) => at >= lastWay && findEntry(one)?.status === "Failed") : sent;
  return end < 0 ? null : [details[begun]!, ...following.slice(end, end + 2)];
}

/** Whether the step was canceled while it waited for its response. */
export const gotNone = ({ job }: PastStep, asked: Asked): boolean =>
  job.status === "canceled" && job.details.some(({ d }) => phases[asked].begins.has(d));

/** How long the step waited for its response (ms). */
export function tookOf(step: PastStep, asked: Asked): number {
  const [begun, end] = responseOf(step, asked) ?? [];
  return begun && end ? bounded(end.t - begun.t) : 0;
}

/** How long after its response the run continued (ms): with the same step of a bridge, or with the next one. */
export function restOf({ steps }: PastRun, stepId: string, asked: Asked): number {
  const all = [...steps.values()];
  const index = all.findIndex(({ step }) => step.stepId === stepId);
  const [, end, after] = (all[index] && responseOf(all[index], asked)) ?? [];
  const next = asked === "ask" && after ? after.t : begunAt(all[index + 1]);
  return end && next !== undefined ? bounded(next - end.t) : 0;
}
