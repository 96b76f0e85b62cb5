// Early receipts: a provider may report on a message before the result of its call is written. Such a receipt is kept
// until then and applied in the transaction of the result. A receipt known only by the provider's id cannot be matched
// before; one that never matches a message expires after a few minutes.
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { findIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import {
  type EarlyReceipt,
  takeEarlyReceipts,
  takeExpiredReceipts,
} from "../../store/messages/early-receipts.batch.ts";
import { transactWithRetry } from "../batch.ts";
import type { FinishedSend } from "./plan.ts";
import { applyKeptReceipts } from "./receipts.ts";

/** How long after a call its result may still be written; after a crash, by another worker. */
const graceMs = 120_000;

/** Applies the receipts that were kept for these messages. Called in the transaction that writes their results. */
export async function applyEarlyReceipts(ctx: Ctx, group: FinishedSend[]): Promise<void> {
  const names = group.flatMap(({ message, integration, outcome }) => {
    const externalId = outcome?.kind === "accepted" ? outcome.providerMessageId : undefined;
    return [
      { name: message.id, integration_id: null },
      ...(externalId === undefined ? [] : [{ name: externalId, integration_id: integration.id }]),
    ];
  });
  await applyByIntegration(ctx, await takeEarlyReceipts(ctx.db, names));
}

/**
 * Applies receipts that are still kept, and drops them: their call was cut off, or its result was written while they
 * were being kept. Returns whether there may be more.
 */
export async function applyExpiredReceipts(ctx: Ctx, limit: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - ctx.config.delivery.timeoutMs - graceMs);
  return transactWithRetry(ctx, async (tx) => {
    const rows = await takeExpiredReceipts(tx.db, before, limit);
    await applyByIntegration(tx, rows);
    return rows.length === limit;
  });
}

async function applyByIntegration(ctx: Ctx, rows: EarlyReceipt[]): Promise<void> {
  if (rows.length === 0) return;
  const byIntegration = Map.groupBy(rows, (row) => row.integration_id);
  for (const integration of await findIntegrationsOfBatch(ctx.db, [...byIntegration.keys()])) {
    await applyKeptReceipts(ctx, integration, byIntegration.get(integration.id)!.map(toKept));
  }
}

function toKept({ id, receipt }: EarlyReceipt): { id: string; receipt: Receipt } {
  const { date, ...kept } = receipt as unknown as Omit<Receipt, "date"> & { date?: string };
  return { id, receipt: date === undefined ? kept : { ...kept, date: new Date(date) } };
}
