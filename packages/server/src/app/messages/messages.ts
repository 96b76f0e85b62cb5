// Messages of all channels: listed and deleted. The in-app feed of a subscriber is feed.ts.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { cancelDeletedMessages } from "../../pipeline/deliver/cancel.ts";
import { toMessage } from "../../pipeline/views.ts";
import { emitDeleted } from "../../pipeline/webhooks/events.ts";
import {
  deleteMessages,
  deleteMessagesOfTransaction,
  type ListedMessage,
  listMessages,
} from "../../store/messages/messages.ts";
import { environmentClock } from "../environments/clock.ts";
import { pageRange, toPage } from "../paging.ts";
import { readContextKeys } from "../subscribers/contexts.ts";

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"messages.list">,
): Promise<Output<"messages.list">> {
  const { rows, totalCount } = await listMessages(
    ctx.db,
    caller.environmentId,
    {
      channel: query.channel,
      subscriberId: query.subscriberId,
      transactionIds: query.transactionId,
      contextKeys: readContextKeys(query.contextKeys),
    },
    pageRange(query),
  );
  return { totalCount, ...toPage(rows, query, (row) => toMessage(ctx.secrets, caller, row)) };
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"messages.delete">,
): Promise<Output<"messages.delete">> {
  const deleted = await deleteMessages(ctx.db, caller.environmentId, [params.messageId], ctx.now());
  if (deleted.length === 0) throw failure("MESSAGE_NOT_FOUND", { messageId: params.messageId });
  await finishDeletion(ctx, caller, deleted);
  return { acknowledged: true, status: "deleted" };
}

/** Messages of one DELETE statement. A broadcast has as many messages as the environment has subscribers. */
export const deletedAtOnce = 1_000;

export async function removeByTransaction(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"messages.deleteByTransaction">,
): Promise<Output<"messages.deleteByTransaction">> {
  const { environmentId } = caller;
  const { transactionId } = params;
  const deleteSome = () =>
    deleteMessagesOfTransaction(ctx.db, environmentId, transactionId, {
      channel: query.channel,
      limit: deletedAtOnce,
      now: ctx.now(),
    });
  let deleted = await deleteSome();
  if (deleted.length === 0) {
    const message = `No message of transaction ${transactionId} found`;
    throw failure("MESSAGE_NOT_FOUND", { messageId: transactionId }, { message });
  }
  await finishDeletion(ctx, caller, deleted);
  while (deleted.length === deletedAtOnce) {
    deleted = await deleteSome();
    await finishDeletion(ctx, caller, deleted);
  }
}

/** Reports the deletion to webhooks, and lets runs continue whose message was waiting for its provider. */
export async function finishDeletion(ctx: Ctx, caller: Caller, deleted: ListedMessage[]): Promise<void> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  await emitDeleted(ctx, deleted, { environmentId, at: clock.now(environmentId) });
  const waiting = deleted.filter((message) => message.status === "pending");
  await cancelDeletedMessages({ ...ctx, clock }, environmentId, waiting);
  for (const message of deleted) if (message.channel === "in_app") ctx.hints.add(message.subscriber_id);
}
