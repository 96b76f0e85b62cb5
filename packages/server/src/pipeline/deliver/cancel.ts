// Messages that are no longer sent: deleted while they waited for their provider, or canceled because their step,
// workflow or subscriber is gone. Their runs are woken, so that the following steps continue or end.
import { emptyJobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import { cancelJobs } from "../../store/events/jobs.ts";
import type { DeliveryState } from "../../store/messages/attempts.batch.ts";
import { recordOutcomes } from "../../store/messages/messages.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import type { Ranked } from "../tasks.ts";
import { messageOutcome } from "./effects.ts";
import { endJobs, hasSeveralMessages } from "./job-ends.ts";

type DeletedMessage = Pick<MessageRow, "id" | "job_id" | "notification_id" | "channel">;

/**
 * After messages were deleted. An email or an SMS is the only message of its step, so the step is canceled and the run
 * continues; a chat or push step continues with the messages that are left.
 */
export async function cancelDeletedMessages(
  batch: Batch,
  environmentId: string,
  deleted: DeletedMessage[],
): Promise<void> {
  if (deleted.length === 0) return;
  const now = batch.clock.now(environmentId);
  const canceled = detail("step_canceled", now, { raw: { reason: "the message was deleted" } });
  const single = deleted.filter(({ channel }) => !hasSeveralMessages(channel));
  const shared = deleted.filter(({ channel }) => hasSeveralMessages(channel));
  await cancelJobs(batch.db, environmentId, single, canceled, now);
  const { updates, ended } = await endJobs(
    batch.db,
    shared.map(({ id, notification_id, job_id, channel }) => {
      const details = [detail("message_deleted", now, { raw: { messageId: id } })];
      const job = { environment_id: environmentId, notification_id, job_id };
      return { channel, update: { ...emptyJobUpdate(job, now), status: "canceled", details } };
    }),
  );
  await updateJobs(
    batch.db,
    updates.map((update) =>
      update.status === "canceled" ? { ...update, details: [...update.details, canceled] } : update,
    ),
  );
  const ending = [...single, ...shared.filter(({ job_id }) => ended.has(job_id))];
  await wakeRuns(
    batch,
    ending.map((message) => ({ ...message, environment_id: environmentId })),
  );
}

/** Before messages are sent: ends those whose delivery state says why they are no longer wanted. */
export async function cancelUnwantedMessages(
  batch: Batch,
  messages: MessageRow[],
  states: DeliveryState[],
): Promise<void> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const unwanted = states.flatMap((state) => {
    const message = byId.get(state.message_id);
    if (state.stopped === null || !message) return [];
    return {
      message,
      reason: state.stopped,
      jobStatus: state.job_status,
      now: batch.clock.now(message.environment_id),
    };
  });
  if (unwanted.length === 0) return;
  await recordOutcomes(
    batch.db,
    unwanted.map(({ message, reason, now }) => {
      const integration = { id: message.integration_id!, provider_id: message.provider_id! };
      const canceled = { message, integration, status: "warning" as const, at: now };
      return messageOutcome(canceled, { error_text: `Canceled: ${reason}` });
    }),
  );
  // Several messages may have the same job.
  const byJob = new Map(unwanted.filter((one) => one.jobStatus !== "canceled").map((one) => [one.message.job_id, one]));
  await updateJobs(
    batch.db,
    [...byJob.values()].map(({ message, reason, now }) => ({
      ...emptyJobUpdate(message, now),
      status: "canceled",
      details: [detail("step_canceled", now, { raw: { reason } })],
    })),
  );
  await wakeRuns(
    batch,
    [...byJob.values()].map(({ message }) => message),
  );
}

type Run = { notification_id: string; environment_id: string; rank?: Ranked };

/** Enqueues one wake task for each environment and priority, with each run once. */
export async function wakeRuns(batch: Batch, runs: Run[]): Promise<void> {
  const groups = Map.groupBy(runs, ({ environment_id, rank }) => `${environment_id} ${rank?.priority}`);
  const tasks = [...groups.values()].map((group) => ({
    environmentId: group[0]!.environment_id,
    data: { notificationIds: [...new Set(group.map((run) => run.notification_id))], ...group[0]!.rank },
  }));
  await enqueueTimed(batch, "wake", tasks);
}
