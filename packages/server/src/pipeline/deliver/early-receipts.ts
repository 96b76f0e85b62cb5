// A provider may report on a message before it has answered the call that brings it. Such a report waits until the result
// of the call is written, whatever that is: then it takes its effect like any other. Where it is known by the provider's
// id alone, nobody can say whose it is until then, and one that is nobody's waits in vain for a few minutes.
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { findIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import {
  type EarlyReceipt,
  takeEarlyReceipts,
  takeExpiredReceipts,
} from "../../store/messages/early-receipts.batch.ts";
import { transactAgain } from "../batch.ts";
import { applyKept } from "./receipts.ts";
import type { Settled } from "./settle.ts";

/** After a call a worker may need this long to write its result; after a crash, another one to notice. */
const graceMs = 120_000;

/** To be called last in the transaction that writes the results. */
export async function applyEarlyReceipts(ctx: Ctx, group: Settled[]): Promise<void> {
  const names = group.flatMap(({ message, integration, outcome }) => {
    const theirs = outcome?.kind === "accepted" ? outcome.providerMessageId : undefined;
    return [
      { name: message.id, integration_id: null },
      ...(theirs === undefined ? [] : [{ name: theirs, integration_id: integration.id }]),
    ];
  });
  await apply(ctx, await takeEarlyReceipts(ctx.db, names));
}

/**
 * The last chance of those that nobody asked for: their call was cut off, or its result was written in the same moment in
 * which they were kept. Answers whether there may be more.
 */
export async function applyOldReceipts(ctx: Ctx, limit: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - ctx.config.delivery.timeoutMs - graceMs);
  return transactAgain(ctx, async (tx) => {
    const rows = await takeExpiredReceipts(tx.db, before, limit);
    await apply(tx, rows);
    return rows.length === limit;
  });
}

async function apply(ctx: Ctx, rows: EarlyReceipt[]): Promise<void> {
  if (rows.length === 0) return;
  const byIntegration = Map.groupBy(rows, (row) => row.integration_id);
  for (const integration of await findIntegrationsOfBatch(ctx.db, [...byIntegration.keys()])) {
    await applyKept(ctx, integration, byIntegration.get(integration.id)!.map(toReceipt));
  }
}

function toReceipt({ receipt }: EarlyReceipt): Receipt {
  const { date, ...kept } = receipt as unknown as Omit<Receipt, "date"> & { date?: string };
  return date === undefined ? kept : { ...kept, date: new Date(date) };
}
