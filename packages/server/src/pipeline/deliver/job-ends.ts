// What settled messages mean for their jobs. Email and SMS have one message a job: what happens to it happens to the job.
// A chat or push job has one for each endpoint or device and ends with the last of them: completed when at least one was
// sent. Two workers may settle the last two at the same moment, so the jobs are locked before their messages are read:
// whoever comes second sees what the first wrote.

import type { Db } from "../../store/db.ts";
import { type JobUpdate, lockJobs } from "../../store/events/jobs.batch.ts";
import { findSiblings, type Sibling } from "../../store/messages/messages.batch.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { isFinished } from "../run/advance.ts";

/** `update` is what the message alone would do to its job. */
export type MessageEnd = { channel: string; update: JobUpdate };

/** Whether a job of the channel may have several messages. */
export const isShared = (channel: string): boolean => channel === "chat" || channel === "push";

/** The updates to write, one a job, and which of the jobs end with them. */
export async function endJobs(tx: Db, ends: MessageEnd[]): Promise<{ updates: JobUpdate[]; ended: Set<string> }> {
  const shared = ends.filter(({ channel }) => isShared(channel));
  const jobIds = [...new Set(shared.map(({ update }) => update.id))];
  const before = new Map((await lockJobs(tx, jobIds)).map((job) => [job.id, job.status]));
  const siblings = Map.groupBy(await findSiblings(tx, jobIds), (message) => message.job_id);

  const updates = ends.filter((end) => !shared.includes(end)).map(({ update }) => update);
  for (const [jobId, own] of Map.groupBy(shared, ({ update }) => update.id)) {
    const wasEnded = isFinished({ status: before.get(jobId) ?? "canceled" });
    const merged = merge(own, siblings.get(jobId) ?? []);
    updates.push(wasEnded ? { ...merged, status: before.get(jobId) ?? "canceled", wake_at: null } : merged);
  }
  return { updates, ended: new Set(updates.flatMap((update) => (isFinished(update) ? update.id : []))) };
}

function merge(own: MessageEnd[], siblings: Sibling[]): JobUpdate {
  const { channel, update } = own.at(-1)!;
  const details = own.flatMap((end) => end.update.details);
  const isOnly = siblings.length === 1;
  const common = { ...update, provider_id: isOnly ? update.provider_id : null };
  // A message that is gone says nothing about the others.
  const isGone = update.status === "canceled";
  if (siblings.some((message) => message.status === "pending")) {
    return isOnly && !isGone ? { ...common, details } : { ...common, status: "queued", wake_at: null, details };
  }
  const sent = siblings.filter((message) => message.status === "sent");
  const summary = isOnly ? [] : summarize(channel, siblings, sent.length, update.updated_at);
  const hasFailed = siblings.some((message) => message.status === "error");
  const status = sent.length > 0 ? "completed" : isGone && !hasFailed ? "canceled" : "failed";
  return { ...common, status, wake_at: null, details: [...details, ...summary] };
}

/** Which ones failed, by message: addresses of chat channels are secrets. */
function summarize(channel: string, siblings: Sibling[], sent: number, at: Date): StoredDetail[] {
  const failed = siblings.filter((message) => message.status !== "sent");
  if (failed.length === 0) return [];
  const names =
    channel === "chat" ? ["some_chats_failed", "all_chats_failed"] : ["some_devices_failed", "all_devices_failed"];
  const raw = {
    sent,
    failed: failed.map(({ id, provider_id, error_text }) => ({
      messageId: id,
      providerId: provider_id,
      error: error_text,
    })),
  };
  return [detail(names[sent > 0 ? 0 : 1] as "some_chats_failed", at, { raw })];
}
