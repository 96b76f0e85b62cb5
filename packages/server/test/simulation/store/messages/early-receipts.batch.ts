import type { EarlyReceipt, ReceiptName } from "../../../../src/store/messages/early-receipts.batch.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/messages/early-receipts.batch.ts";

/** The providers of the simulation send no receipts. */
export const takeEarlyReceipts = rowsStatement(
  "takeEarlyReceipts",
  () => [],
  (_tx, _names: ReceiptName[]): EarlyReceipt[] => [],
);
