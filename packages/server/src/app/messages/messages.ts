// Messages and the in-app feed.
import { type FeedItem, type Input, inAppProviderId, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isObject } from "../../lib/json.ts";
import { cancelDeletedMessages } from "../../pipeline/deliver/cancel.ts";
import { maskOverrides } from "../../pipeline/rules/overrides.ts";
import { toCta, toMessage } from "../../pipeline/views.ts";
import { emitDeleted } from "../../pipeline/webhooks/events.ts";
import {
  deleteMessage,
  deleteMessagesOfTransaction,
  type ListedMessage,
  listFeed as listFeedRows,
  listMessages,
} from "../../store/messages/messages.ts";
import { unstorableTexts } from "../../validation.ts";
import { environmentClock, environmentNow } from "../environments/clock.ts";
import { pageRange, toPage } from "../paging.ts";
import { readContextKeys } from "../subscribers/context-keys.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import { noteInboxConnected } from "./inbox.ts";

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

export async function listFeed(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.listFeed">,
): Promise<Output<"subscribers.listFeed">> {
  const payload = query.payload === undefined ? undefined : readPayloadFilter(query.payload);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  await noteInboxConnected(ctx, caller.environmentId);
  const { rows, totalCount } = await listFeedRows(
    ctx.db,
    caller.environmentId,
    subscriber.id,
    { read: query.read, seen: query.seen, payload },
    pageRange(query),
    await environmentNow(ctx, caller),
  );
  return { totalCount, ...toPage(rows, query, (row) => toFeedItem(ctx, caller, row)) };
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"messages.delete">,
): Promise<Output<"messages.delete">> {
  const deleted = await deleteMessage(ctx.db, caller.environmentId, params.messageId);
  if (deleted.length === 0) throw failure("MESSAGE_NOT_FOUND", { messageId: params.messageId });
  await afterDeletion(ctx, caller, deleted);
  return { acknowledged: true, status: "deleted" };
}

/** A broadcast has as many messages as there are subscribers: they go in rounds. */
const deletedPerRound = 1_000;

export async function removeByTransaction(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"messages.deleteByTransaction">,
): Promise<Output<"messages.deleteByTransaction">> {
  const { environmentId } = caller;
  const { transactionId } = params;
  const takeSome = () =>
    deleteMessagesOfTransaction(ctx.db, environmentId, transactionId, query.channel, deletedPerRound);
  let deleted = await takeSome();
  if (deleted.length === 0) {
    const message = `No message of transaction ${transactionId} found`;
    throw failure("MESSAGE_NOT_FOUND", { messageId: transactionId }, { message });
  }
  await afterDeletion(ctx, caller, deleted);
  while (deleted.length === deletedPerRound) {
    deleted = await takeSome();
    await afterDeletion(ctx, caller, deleted);
  }
}

/** Reports deleted messages to webhooks and cancels those that waited for their provider. */
async function afterDeletion(ctx: Ctx, caller: Caller, deleted: ListedMessage[]): Promise<void> {
  const { environmentId, organizationId } = caller;
  const clock = await environmentClock(ctx, caller);
  await emitDeleted(ctx, deleted, { environmentId, organizationId, at: clock.now(environmentId) });
  const waiting = deleted.filter((message) => message.status === "pending");
  await cancelDeletedMessages({ ...ctx, clock }, environmentId, waiting);
}

/** The standard or the URL alphabet, with or without padding. Decoding alone would skip what does not belong. */
const isBase64 = /^[a-zA-Z0-9+/_-]+={0,2}$/;

function readPayloadFilter(text: string): Record<string, unknown> {
  // A plus sign that nobody escaped arrives as a space.
  const base64 = text.replaceAll(" ", "+");
  try {
    if (isBase64.test(base64)) {
      const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
      if (isObject(value) && Object.keys(unstorableTexts(value)).length === 0) return value;
    }
  } catch {
    // Falls through to the same answer as a value that is no object, or one that no stored payload can hold.
  }
  throw invalid({ payload: { messages: ["payload must be a base64-encoded JSON object"], value: text } });
}

const toFeedItem = ({ secrets }: Ctx, caller: Caller, row: ListedMessage): FeedItem => ({
  _id: row.id,
  _templateId: row.workflow_id,
  _environmentId: row.environment_id,
  _organizationId: caller.organizationId,
  _notificationId: row.notification_id,
  _subscriberId: row.subscriber_id,
  _jobId: row.job_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  actor: (row.actor as FeedItem["actor"] | null) ?? { type: "none", data: null },
  subscriber: row.subscriber
    ? {
        _id: row.subscriber.id,
        subscriberId: row.subscriber.subscriber_id,
        firstName: row.subscriber.first_name ?? undefined,
        lastName: row.subscriber.last_name ?? undefined,
        avatar: row.subscriber.avatar ?? undefined,
      }
    : undefined,
  transactionId: row.transaction_id,
  templateIdentifier: row.workflow_identifier ?? undefined,
  providerId: inAppProviderId,
  content: row.content ?? "",
  subject: row.subject,
  channel: "in_app",
  read: row.read_at !== null,
  seen: row.seen_at !== null,
  archived: row.archived_at !== null,
  cta: toCta(row.cta),
  status: row.status as FeedItem["status"],
  payload: row.payload,
  data: row.data,
  overrides: maskOverrides(secrets, row.overrides),
  tags: row.tags,
});
