// The tasks of the stage `unsend`.
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { groupDeliveries } from "../run/deliveries.ts";

type Sent = { environment_id: string; id: string; integration_id: string | null };

/**
 * Messages that their provider has, and messages that may have been retracted while a worker had them: their result is
 * known now, or will never be. The stage leaves those alone that were not retracted.
 */
export async function enqueueUnsends(batch: Batch, messages: Sent[]): Promise<void> {
  if (messages.length === 0) return;
  const parts = messages.map(({ environment_id, id, integration_id }) => ({
    environmentId: environment_id,
    lane: integration_id ?? undefined,
    messageId: id,
  }));
  await enqueueTimed(batch, "unsend", groupDeliveries(parts));
}
