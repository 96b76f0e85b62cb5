// The end of a doubt: a call whose answer never came, and now the provider reports on its message. It was sent after all,
// so it is not sent again, and its run goes on.
import type { Ctx } from "../../context.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { recordOutcomes } from "../../store/messages/messages.batch.ts";
import type { ReportedMessage } from "../../store/messages/receipts.ts";
import { openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { emitMessages } from "../webhooks/events.ts";
import { endJobs } from "./job-ends.ts";
import { wakesOf } from "./withdraw.ts";

/** `externalId`: the provider's id of the message, as the report has it. */
export type Doubtful = { message: ReportedMessage; externalId: string | null };

export async function confirmSent(tx: Ctx, integration: IntegrationRow, doubtful: Doubtful[]): Promise<void> {
  if (doubtful.length === 0) return;
  const { environment_id: environmentId, provider_id: providerId } = integration;
  const batch = await openBatch(tx, [environmentId]);
  const at = batch.clock.now(environmentId);
  await recordOutcomes(
    tx.db,
    doubtful.map(({ message, externalId }) => ({
      id: message.id,
      status: "sent",
      error_id: null,
      error_text: null,
      integration_id: integration.id,
      provider_id: providerId,
      provider_message_id: externalId,
      updated_at: at,
    })),
  );
  const { updates, ended } = await endJobs(
    tx.db,
    doubtful.map(({ message, externalId }) => {
      const raw = { providerMessageId: externalId, reportedBy: "the provider" };
      const sent = detail("message_sent", at, { providerId, raw });
      const update: JobUpdate = {
        ...emptyJobUpdate(message.job_id, at),
        status: "completed",
        provider_id: providerId,
        details: [sent],
      };
      return { channel: message.channel, update };
    }),
  );
  await updateJobs(tx.db, updates);
  const over = doubtful.flatMap(({ message }) =>
    ended.has(message.job_id) ? [[message.notification_id, environmentId] as const] : [],
  );
  await enqueueTimed(batch, "wake", wakesOf(new Map(over)));
  await emitMessages(
    batch,
    doubtful.map(({ message }) => ({ environmentId, messageId: message.id, type: "message.sent", at })),
  );
}
