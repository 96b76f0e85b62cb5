// Seen, read, pressed: what a subscriber's own software reports about the messages it shows.
import { type Input, messageActions, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { failure, invalid } from "../failure.ts";
import { countFeed, markAction, markFeed, markMessages as writeMarks } from "../store/message-marks.ts";
import { type ListedMessage, listMessagesByIds } from "../store/messages.ts";
import type { SubscriberRow } from "../store/subscribers.ts";
import { toMessage } from "./messages.ts";
import { requireSubscriber } from "./subscribers.ts";

export async function markMessages(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markMessages">,
): Promise<Output<"subscribers.markMessages">> {
  const ids = [...new Set([body.messageId].flat())];
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  await requireMessages(ctx, caller, subscriber, ids);
  await writeMarks(ctx.db, caller.environmentId, subscriber.id, ids, body.markAs, ctx.now());
  const byId = new Map((await requireMessages(ctx, caller, subscriber, ids)).map((row) => [row.id, row]));
  return ids.map((id) => toMessage(caller, byId.get(id)!));
}

export async function markAllMessages(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markAllMessages">,
): Promise<Output<"subscribers.markAllMessages">> {
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  // Messages belong to no feed, so none is in the feeds that were asked for.
  if (body.feedIdentifier !== undefined) return 0;
  return markFeed(ctx.db, caller.environmentId, subscriber.id, body.markAs, ctx.now());
}

export async function markMessageAction(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markMessageAction">,
): Promise<Output<"subscribers.markMessageAction">> {
  const { messageId } = params;
  const type = messageActions.find((action) => action === params.type);
  if (!type) {
    throw invalid({ type: { messages: [`type must be one of: ${messageActions.join(", ")}`], value: params.type } });
  }
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const [before] = await requireMessages(ctx, caller, subscriber, [messageId]);
  if (!before!.cta?.[`${type}Action`]) throw failure("ACTION_NOT_FOUND", { messageId, type });
  const { status, payload } = body;
  await markAction(ctx.db, caller.environmentId, messageId, { type, status, payload }, ctx.now());
  const [after] = await requireMessages(ctx, caller, subscriber, [messageId]);
  return toMessage(caller, after!);
}

export async function countUnseen(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.countUnseen">,
): Promise<Output<"subscribers.countUnseen">> {
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const filter = { seen: query.seen ?? false, limit: query.limit ?? 100 };
  return { count: await countFeed(ctx.db, caller.environmentId, subscriber.id, filter, ctx.now()) };
}

/** All of them, or 404 with the ids that are not the subscriber's. */
async function requireMessages(
  ctx: Ctx,
  caller: Caller,
  subscriber: SubscriberRow,
  ids: string[],
): Promise<ListedMessage[]> {
  const rows = await listMessagesByIds(ctx.db, caller.environmentId, subscriber.id, ids);
  const found = new Set(rows.map((row) => row.id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw failure("MESSAGE_NOT_FOUND", { messageId: missing.join(", ") });
  return rows;
}
