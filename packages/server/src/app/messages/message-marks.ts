// Marks of messages: seen, read, and pressed buttons, as the inbox of a subscriber reports them.
import { type Input, messageActions, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { wakeWatchers } from "../../pipeline/run/arrivals.ts";
import { toMessage } from "../../pipeline/views.ts";
import { emitMessages, type MessageChange } from "../../pipeline/webhooks/events.ts";
import {
  countFeed,
  type MessageSelection,
  markAction,
  type StoredMark,
  selectFeed,
  selectMessages,
  writeMark,
} from "../../store/messages/message-marks.ts";
import { type ListedMessage, listMessagesByIds } from "../../store/messages/messages.ts";
import { noteActivity } from "../../store/subscribers/activity.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { environmentNow } from "../environments/clock.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";

export async function markMessages(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markMessages">,
): Promise<Output<"subscribers.markMessages">> {
  const ids = [...new Set([body.messageId].flat())];
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const now = await environmentNow(ctx, caller);
  const before = await requireMessages(ctx, caller, subscriber, ids);
  if (body.markAs !== "seen") refuseSnoozed(before, now);
  await markSelected(ctx, caller, { mark: body.markAs, at: now }, selectMessages(subscriber.id, ids));
  ctx.hints.add(subscriber.id);
  const byId = new Map((await requireMessages(ctx, caller, subscriber, ids)).map((row) => [row.id, row]));
  return ids.map((id) => toMessage(ctx.secrets, caller, byId.get(id)!));
}

export async function markAllMessages(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markAllMessages">,
): Promise<Output<"subscribers.markAllMessages">> {
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  // Messages belong to no named feed, so `feedIdentifier` matches none.
  if (body.feedIdentifier !== undefined) return 0;
  const now = await environmentNow(ctx, caller);
  const selection = selectFeed(caller.environmentId, subscriber.id, now);
  const changed = await markSelected(ctx, caller, { mark: body.markAs, at: now }, selection);
  ctx.hints.add(subscriber.id);
  return changed.length;
}

export async function markMessageAction(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.markMessageAction">,
): Promise<Output<"subscribers.markMessageAction">> {
  const { messageId } = params;
  const type = readAction("type", params.type);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const [before] = await requireMessages(ctx, caller, subscriber, [messageId]);
  if (!before!.cta?.[`${type}Action`]) throw failure("ACTION_NOT_FOUND", { messageId, type });
  const { status, payload } = body;
  const now = await environmentNow(ctx, caller);
  await markAction(ctx.db, caller.environmentId, messageId, { type, status, payload }, now);
  ctx.hints.add(subscriber.id);
  const [after] = await requireMessages(ctx, caller, subscriber, [messageId]);
  return toMessage(ctx.secrets, caller, after!);
}

export async function countUnseen(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.countUnseen">,
): Promise<Output<"subscribers.countUnseen">> {
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const filter = { seen: query.seen ?? false, limit: query.limit ?? 100 };
  const now = await environmentNow(ctx, caller);
  return { count: await countFeed(ctx.db, caller.environmentId, subscriber.id, filter, now) };
}

/** The action of a path; 422 with the name of its field. */
export function readAction(field: string, value: string): (typeof messageActions)[number] {
  const type = messageActions.find((action) => action === value);
  if (!type) throw invalid({ [field]: { messages: [`${field} must be one of: ${messageActions.join(", ")}`], value } });
  return type;
}

/** `unseen` has no event: messages that were read are reported as unread. */
const eventTypes = {
  seen: "message.seen",
  read: "message.read",
  unread: "message.unread",
  unseen: null,
  archived: "message.archived",
  unarchived: "message.unarchived",
} as const;

/** A mark with its own event that is written before this one. */
const impliedMarks: Partial<Record<StoredMark, StoredMark>> = {
  unseen: "unread",
  unread: "unarchived",
  archived: "read",
};

/** The mark after those that it implies. */
function withImplied(mark: StoredMark): StoredMark[] {
  const implied = impliedMarks[mark];
  return implied ? [...withImplied(implied), mark] : [mark];
}

export type Mark = { mark: StoredMark; at: Date };

/** Writes a mark and sends its event to webhooks. Returns the ids of the messages that it changed. */
export async function markSelected(
  ctx: Ctx,
  { environmentId }: Caller,
  { mark, at }: Mark,
  selection: MessageSelection,
): Promise<string[]> {
  const changes: MessageChange[] = [];
  let changed: string[] = [];
  for (const one of withImplied(mark)) {
    const note = one === "seen" || one === "read" ? detail(one, at) : null;
    const marked = await writeMark(ctx.db, environmentId, selection, { mark: one, detail: note, now: at });
    changed = marked.map(({ id }) => id);
    if (one === "read") {
      const read = marked.filter(({ channel }) => channel === "in_app");
      const readers = read.map(({ subscriber_id: subscriberId }) => ({ subscriberId, at }));
      await noteActivity(ctx.db, environmentId, "read", readers);
    }
    const type = eventTypes[one];
    if (note) await wakeWatchers(ctx, environmentId, { messageIds: changed, name: one, at });
    if (type) changes.push(...changed.map((messageId) => ({ environmentId, messageId, type, at })));
  }
  await emitMessages(ctx, changes);
  return changed;
}

/** 409 when a message is snoozed: it is hidden, and cannot be marked as read or unread. */
export function refuseSnoozed(rows: Pick<ListedMessage, "id" | "snoozed_until">[], now: Date): void {
  const snoozed = rows.find((row) => row.snoozed_until && row.snoozed_until > now);
  if (!snoozed) return;
  const snoozedUntil = snoozed.snoozed_until!.toISOString();
  throw failure("NOTIFICATION_SNOOZED", { notificationId: snoozed.id, snoozedUntil });
}

/** 404 with the ids that are not messages of the subscriber. */
async function requireMessages(
  ctx: Ctx,
  caller: Caller,
  subscriber: RecipientRow,
  ids: string[],
): Promise<ListedMessage[]> {
  const rows = await listMessagesByIds(ctx.db, caller.environmentId, subscriber.id, ids);
  const found = new Set(rows.map((row) => row.id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw failure("MESSAGE_NOT_FOUND", { messageId: missing.join(", ") });
  return rows;
}
