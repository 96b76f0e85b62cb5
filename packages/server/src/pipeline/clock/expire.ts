// The end of in-app messages that expire. They left their inboxes when their time came: every query of an inbox checks
// it. Here their rows are deleted, and live inboxes are read again, which drops the messages from open pages.
import type { Ctx } from "../../context.ts";
import { deleteExpiredMessages, takeExpired } from "../../store/installation/expired-messages.ts";
import { transactWithRetry } from "../batch.ts";
import { detail } from "../rules/details.ts";

/** Deletes up to `limit` messages. Returns whether there may be more. */
export async function deleteExpired(ctx: Ctx, limit: number): Promise<boolean> {
  return transactWithRetry(ctx, async (tx) => {
    const expired = await takeExpired(tx.db, { now: ctx.now(), limit });
    const noted = expired.map(({ now, ...key }) => ({ ...key, at: now, detail: detail("expired", now) }));
    for (const subscriberId of await deleteExpiredMessages(tx.db, noted, ctx.now())) tx.hints.add(subscriberId);
    return expired.length === limit;
  });
}
