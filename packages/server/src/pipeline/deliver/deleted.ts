// Messages that were deleted while they waited for their provider. An email or an SMS is all that its step has, so the step
// is canceled and the run goes on without it; a chat or push step goes on with the messages that are left.

import { emptyJobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import { cancelJobs } from "../../store/events/jobs.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { endJobs, isShared } from "./job-ends.ts";
import { wakesOf } from "./withdraw.ts";

type Deleted = Pick<MessageRow, "id" | "job_id" | "notification_id" | "channel">;

export async function goOnWithout(batch: Batch, environmentId: string, deleted: Deleted[]): Promise<void> {
  if (deleted.length === 0) return;
  const now = batch.clock.now(environmentId);
  const canceled = detail("step_canceled", now, { raw: { reason: "the message was deleted" } });
  const shared = deleted.filter(({ channel }) => isShared(channel));
  const jobIds = deleted.filter((message) => !shared.includes(message)).map((message) => message.job_id);
  await cancelJobs(batch.db, environmentId, jobIds, canceled, now);
  const { updates, ended } = await endJobs(
    batch.db,
    shared.map(({ id, job_id, channel }) => {
      const details = [detail("message_deleted", now, { raw: { messageId: id } })];
      return { channel, update: { ...emptyJobUpdate(job_id, now), status: "canceled", details } };
    }),
  );
  await updateJobs(
    batch.db,
    updates.map((update) =>
      update.status === "canceled" ? { ...update, details: [...update.details, canceled] } : update,
    ),
  );
  const over = deleted.filter(({ channel, job_id }) => !isShared(channel) || ended.has(job_id));
  const runs = new Map(over.map((message) => [message.notification_id, environmentId]));
  await enqueueTimed(batch, "wake", wakesOf(runs));
}
