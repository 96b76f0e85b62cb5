// The channel steps of a notification as small signs: how each went, or what it waits for and until when.

import type { Job, Notification } from "@tidings/contract";
import type { Tone } from "../../kit/tone.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import { words } from "./words.ts";

export type Sign = { id: string; type: keyof typeof channelNames; tone: Tone; text: string; until?: string };

const outcomes = words.why.signs;

const ended: Partial<Record<Job["status"], [Tone, string]>> = {
  completed: ["good", outcomes.sent],
  skipped: ["quiet", outcomes.skipped],
  failed: ["bad", outcomes.failed],
  canceled: ["warn", outcomes.canceled],
  merged: ["quiet", outcomes.merged],
};

const isChannel = (type: string): type is Sign["type"] => Object.hasOwn(channelNames, type);

export const signsOf = ({ jobs = [] }: Notification): Sign[] =>
  jobs.flatMap((job, index) =>
    isChannel(job.type) ? { id: job._id, type: job.type, ...signOf(job, jobs.slice(0, index)) } : [],
  );

/** `before`: the steps before it, one of which it may wait for. */
function signOf(job: Job, before: Job[]): Pick<Sign, "tone" | "text" | "until"> {
  const end = ended[job.status];
  if (end) return { tone: end[0], text: end[1] };
  if (job.status === "delayed") return waiting(job);
  if (job.status !== "pending") return { tone: "info", text: outcomes.sending };
  const blocking = before.find(({ status }) => !ended[status] && status !== "pending");
  return blocking?.status === "delayed" ? waiting(blocking) : { tone: "quiet", text: outcomes.pending };
}

/** A wait without a time that is known is one for a provider: the next try moves. */
function waiting(job: Job): Pick<Sign, "tone" | "text" | "until"> {
  const last = job.executionDetails.findLast(({ code }) => code !== undefined && waits.has(code));
  const until = last?.code === "waiting_for_provider" ? undefined : untilOf(last?.raw);
  const isDigest = job.type === "digest";
  if (until === undefined) return { tone: "info", text: isDigest ? outcomes.collecting : outcomes.waiting };
  return { tone: "info", text: isDigest ? outcomes.collectingUntil : outcomes.waitingUntil, until };
}

const waits = new Set([
  "step_delayed",
  "step_digested",
  "step_held",
  "waiting_for_provider",
  "waiting_for_receipt",
  "provider_retry",
]);

function untilOf(raw: string | null | undefined): string | undefined {
  if (!raw) return undefined;
  const { until, next } = JSON.parse(raw) as { until?: unknown; next?: unknown };
  const time = until ?? next;
  return typeof time === "string" ? time : undefined;
}

/** Asked about most often: a step did not send, or waits. */
export const isUnhappy = (row: Notification): boolean =>
  signsOf(row).some(({ tone, text }) => tone === "bad" || tone === "warn" || text === outcomes.skipped);
