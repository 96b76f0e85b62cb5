// The status of a job after messages of it were settled. Email and SMS jobs have one message, which decides. Chat and
// push jobs have one message for each endpoint or device and end with the last of them: completed when at least one was
// sent. Two workers may settle the last two messages at the same time, so the job is locked before its messages are
// read, and the second worker sees what the first wrote.
import type { Db } from "../../store/db.ts";
import { type JobUpdate, lockJobs } from "../../store/events/jobs.batch.ts";
import { findSiblings, type Sibling } from "../../store/messages/messages.batch.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { isFinished } from "../run/advance.ts";

/** `update`: how the message alone would change its job. */
export type MessageEnd = { channel: string; update: JobUpdate };

/** Whether a job of the channel may have several messages. */
export const hasSeveralMessages = (channel: string): boolean => channel === "chat" || channel === "push";

/** Returns the updates to write, one for each job, and the jobs that end with them. */
export async function endJobs(tx: Db, ends: MessageEnd[]): Promise<{ updates: JobUpdate[]; ended: Set<string> }> {
  const shared = ends.filter(({ channel }) => hasSeveralMessages(channel));
  const jobs = shared.map(({ update }) => update);
  const before = new Map((await lockJobs(tx, jobs)).map((job) => [job.id, job.status]));
  const siblings = Map.groupBy(await findSiblings(tx, jobs), (message) => message.job_id);

  const updates = ends.filter((end) => !shared.includes(end)).map(({ update }) => update);
  for (const [jobId, own] of Map.groupBy(shared, ({ update }) => update.job_id)) {
    const hadEnded = isFinished({ status: before.get(jobId) ?? "canceled" });
    const merged = mergeUpdates(own, siblings.get(jobId) ?? []);
    updates.push(hadEnded ? { ...merged, status: before.get(jobId) ?? "canceled", wake_at: null } : merged);
  }
  return { updates, ended: new Set(updates.flatMap((update) => (isFinished(update) ? update.job_id : []))) };
}

function mergeUpdates(own: MessageEnd[], siblings: Sibling[]): JobUpdate {
  const { channel, update } = own.at(-1)!;
  const details = own.flatMap((end) => end.update.details);
  const isOnly = siblings.length === 1;
  const common = { ...update, provider_id: isOnly ? update.provider_id : null };
  // A deleted message does not decide for the others.
  const isDeleted = update.status === "canceled";
  if (siblings.some((message) => message.status === "pending")) {
    return isOnly && !isDeleted ? { ...common, details } : { ...common, status: "queued", wake_at: null, details };
  }
  const sent = siblings.filter((message) => message.status === "sent");
  const summary = isOnly ? [] : summarize(channel, siblings, sent.length, update.updated_at);
  const hasFailed = siblings.some((message) => message.status === "error");
  const status = sent.length > 0 ? "completed" : isDeleted && !hasFailed ? "canceled" : "failed";
  return { ...common, status, wake_at: null, details: [...details, ...summary] };
}

/** Names the failed messages by id, because addresses of chat channels are secrets. */
function summarize(channel: string, siblings: Sibling[], sent: number, at: Date): StoredDetail[] {
  const failed = siblings.filter((message) => message.status !== "sent");
  if (failed.length === 0) return [];
  const [some, all] =
    channel === "chat"
      ? (["some_chats_failed", "all_chats_failed"] as const)
      : (["some_devices_failed", "all_devices_failed"] as const);
  const raw = {
    sent,
    failed: failed.map(({ id, provider_id, error_text }) => ({
      messageId: id,
      providerId: provider_id,
      error: error_text,
    })),
  };
  return [detail(sent > 0 ? some : all, at, { raw })];
}
