import type { CapturedMessage, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { type CapturedRow, listCaptured } from "../store/captured.ts";
import { readCursor, toCursorList } from "./paging.ts";

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"captured.list">,
): Promise<Output<"captured.list">> {
  const { channel, transactionId, subscriberId } = query;
  const filters = { channel, transactionId, subscriberId };
  return toCursorList(await listCaptured(ctx.db, caller.environmentId, filters, readCursor(query)), toCaptured);
}

const toCaptured = (row: CapturedRow): CapturedMessage => ({
  ...(row.content as Pick<CapturedMessage, "to" | "subject" | "html" | "text" | "from" | "headers">),
  id: row.id,
  messageId: row.message_id,
  channel: row.channel,
  providerId: row.provider_id,
  integrationIdentifier: row.integration_identifier,
  transactionId: row.transaction_id,
  subscriberId: row.subscriber_id,
  createdAt: row.created_at.toISOString(),
});
