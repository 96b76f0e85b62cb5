// The end of a doubt: a call whose answer never came, and now the provider reports on its message. It was sent after all,
// so it is not sent again, and its run goes on.
import type { Ctx } from "../../context.ts";
import type { Db } from "../../store/db.ts";
import { unchanged, updateJobs } from "../../store/events/jobs.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { recordOutcomes } from "../../store/messages/messages.ts";
import type { ReportedMessage } from "../../store/messages/receipts.ts";
import { enqueueTimed, readClock } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { emitMessages } from "../webhooks/events.ts";
import { endJobs } from "./job-ends.ts";
import { wakesOf } from "./withdraw.ts";

/** `externalId`: the provider's id of the message, as the report has it. */
export type Doubtful = { message: ReportedMessage; externalId: string | null };

export async function confirmSent(ctx: Ctx, tx: Db, integration: IntegrationRow, doubtful: Doubtful[]): Promise<void> {
  if (doubtful.length === 0) return;
  const { environment_id: environmentId, provider_id: providerId } = integration;
  const clock = await readClock(ctx, tx, [environmentId]);
  const at = clock.now(environmentId);
  await recordOutcomes(
    tx,
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
    tx,
    doubtful.map(({ message, externalId }) => {
      const raw = { providerMessageId: externalId, reportedBy: "the provider" };
      const sent = detail("message_sent", at, { providerId, raw });
      const update = {
        ...unchanged(message.job_id, at),
        status: "completed",
        provider_id: providerId,
        details: [sent],
      };
      return { channel: message.channel, update };
    }),
  );
  await updateJobs(tx, updates);
  const over = doubtful.flatMap(({ message }) =>
    ended.has(message.job_id) ? [[message.notification_id, environmentId] as const] : [],
  );
  await enqueueTimed(ctx, tx, clock, "wake", wakesOf(new Map(over)));
  await emitMessages(
    ctx,
    tx,
    doubtful.map(({ message }) => ({ environmentId, messageId: message.id, type: "message.sent", at })),
  );
}
