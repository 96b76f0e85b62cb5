// Confirming a message with an unknown outcome: its call had no response, and now a receipt proves that the provider
// has it. It counts as sent, is not sent again, and its run continues.
import type { Ctx } from "../../context.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { recordOutcomes } from "../../store/messages/messages.batch.ts";
import type { ReportedMessage } from "../../store/messages/receipts.ts";
import { openBatch } from "../batch.ts";
import { detail } from "../rules/details.ts";
import { emitMessages } from "../webhooks/events.ts";
import { wakeRuns } from "./cancel.ts";
import { messageOutcome } from "./effects.ts";
import { endJobs } from "./job-ends.ts";

/** `externalId`: the provider's id of the message. */
export type ConfirmedMessage = { message: ReportedMessage; externalId: string | null };

export async function confirmSent(tx: Ctx, integration: IntegrationRow, confirmed: ConfirmedMessage[]): Promise<void> {
  if (confirmed.length === 0) return;
  const { environment_id: environmentId, provider_id: providerId } = integration;
  const batch = await openBatch(tx, [environmentId]);
  const at = batch.clock.now(environmentId);
  await recordOutcomes(
    tx.db,
    confirmed.map(({ message, externalId }) =>
      messageOutcome({ message, integration, status: "sent", at }, { provider_message_id: externalId }),
    ),
  );
  const { updates, ended } = await endJobs(
    tx.db,
    confirmed.map(({ message, externalId }) => {
      const raw = { providerMessageId: externalId, reportedBy: "the provider" };
      const sent = detail("message_sent", at, { providerId, raw });
      const update: JobUpdate = {
        ...emptyJobUpdate(message, at),
        status: "completed",
        provider_id: providerId,
        details: [sent],
      };
      return { channel: message.channel, update };
    }),
  );
  await updateJobs(tx.db, updates);
  await wakeRuns(
    batch,
    confirmed.flatMap(({ message: { job_id, notification_id } }) =>
      ended.has(job_id) ? [{ notification_id, environment_id: environmentId }] : [],
    ),
  );
  await emitMessages(
    batch,
    confirmed.map(({ message }) => ({ environmentId, messageId: message.id, type: "message.sent", at })),
  );
}
