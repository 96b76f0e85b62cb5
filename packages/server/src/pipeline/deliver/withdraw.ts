// Messages that nobody wants any more are not sent. The runs are woken: what stands behind the step ends with it.

import { emptyJobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { DeliveryState } from "../../store/messages/attempts.batch.ts";
import { recordOutcomes } from "../../store/messages/messages.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";

export async function withdraw(batch: Batch, messages: MessageRow[], deliveryStates: DeliveryState[]): Promise<void> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const unwanted = deliveryStates.flatMap((row) => {
    const message = byId.get(row.message_id);
    return row.stopped === null || !message
      ? []
      : { message, reason: row.stopped, jobStatus: row.job_status, now: batch.clock.now(message.environment_id) };
  });
  if (unwanted.length === 0) return;
  await recordOutcomes(
    batch.db,
    unwanted.map(({ message, reason, now }) => ({
      id: message.id,
      status: "warning",
      error_id: null,
      error_text: `Canceled: ${reason}`,
      integration_id: message.integration_id!,
      provider_id: message.provider_id!,
      provider_message_id: null,
      updated_at: now,
    })),
  );
  // Several messages may share a job.
  const open = new Map(unwanted.filter((one) => one.jobStatus !== "canceled").map((one) => [one.message.job_id, one]));
  await updateJobs(
    batch.db,
    [...open.values()].map(({ message, reason, now }) => ({
      ...emptyJobUpdate(message.job_id, now),
      status: "canceled",
      details: [detail("step_canceled", now, { raw: { reason } })],
    })),
  );
  const runs = new Map([...open.values()].map(({ message }) => [message.notification_id, message.environment_id]));
  await enqueueTimed(batch, "wake", wakesOf(runs));
}

/** One task an environment: `runs` are notification ids with their environments. */
export const wakesOf = (runs: ReadonlyMap<string, string>) =>
  [...Map.groupBy(runs, ([, environmentId]) => environmentId)].map(([environmentId, own]) => ({
    environmentId,
    data: { notificationIds: own.map(([id]) => id) },
  }));
