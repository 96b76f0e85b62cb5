// The messages of one subscriber's inbox: listed, counted, marked and deleted. On the wire they are called
// notifications.
import {
  type Input,
  maxNotificationCount,
  type NotificationSelection,
  type Output,
  type SubscriberNotification,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { definedMembers } from "../../lib/json.ts";
import { readTime } from "../../pipeline/rules/waits.ts";
import {
  countInbox,
  findInboxIds,
  findInboxMessage,
  type InboxFilter,
  type InboxMessage,
  listInbox,
  selectInbox,
} from "../../store/inbox/inbox-messages.ts";
import { markAction, type StoredMark } from "../../store/messages/message-marks.ts";
import { deleteMessages } from "../../store/messages/messages.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { environmentNow } from "../environments/clock.ts";
import { recordInboxConnected } from "../messages/feed.ts";
import { type Mark, markSelected, readAction, refuseSnoozed } from "../messages/message-marks.ts";
import { deletedAtOnce, finishDeletion } from "../messages/messages.ts";
import { readFilter, readFilters, readSelection } from "./filters.ts";
import { toInboxMessage } from "./inbox-message-view.ts";

/** Whose inbox: a subscriber of the caller's environment, and for a session with contexts only messages of these. */
export type Inbox = { caller: Caller; subscriber: RecipientRow; contextKeys?: string[] };

/** A session with contexts sees nothing else, whatever a request asks for. */
const within = ({ contextKeys }: Inbox, filter: InboxFilter): InboxFilter =>
  contextKeys ? { ...filter, contextKeys } : filter;

type ListQuery = Input<"subscriberNotifications.list">["query"];

export async function listInboxMessages(
  ctx: Ctx,
  inbox: Inbox,
  { limit = 10, after, offset = 0, ...given }: ListQuery,
): Promise<Output<"subscriberNotifications.list">> {
  const { caller, subscriber } = inbox;
  const filter = within(inbox, readFilter(given));
  if (after !== undefined && !isUuid(after)) {
    throw invalid({ after: { messages: ["after must be the id of a notification"], value: after } });
  }
  await recordInboxConnected(ctx, caller.environmentId);
  const now = await environmentNow(ctx, caller);
  const page = { after, offset, limit };
  const rows = await listInbox(ctx.db, caller.environmentId, subscriber.id, filter, page, now);
  return {
    data: rows.slice(0, limit).map((row) => toInboxMessage(row, subscriber, now)),
    hasMore: rows.length > limit,
    filter: definedMembers({ ...given, data: filter.data }),
  };
}

export async function countInboxMessages(
  ctx: Ctx,
  inbox: Inbox,
  text: string,
): Promise<Output<"subscriberNotifications.count">> {
  const filters = readFilters(text);
  const counts = await countFilters(
    ctx,
    inbox,
    filters.map(({ filter }) => filter),
  );
  return filters.map(({ given }, index) => ({ count: counts[index]!, filter: given }));
}

export async function countFilters(ctx: Ctx, inbox: Inbox, filters: InboxFilter[]): Promise<number[]> {
  const { caller, subscriber } = inbox;
  const now = await environmentNow(ctx, caller);
  const scoped = filters.map((filter) => within(inbox, filter));
  return countInbox(ctx.db, caller.environmentId, subscriber.id, scoped, maxNotificationCount, now);
}

/** `now`: the time of the environment; an expired message is not found. */
export async function requireInboxMessage(ctx: Ctx, inbox: Inbox, messageId: string, now: Date): Promise<InboxMessage> {
  const { caller, subscriber, contextKeys } = inbox;
  const row = await findInboxMessage(ctx.db, caller.environmentId, subscriber.id, { id: messageId, now });
  const isVisible = row && (!contextKeys || contextKeys.join() === row.context_keys.join());
  if (!isVisible) throw failure("NOTIFICATION_NOT_FOUND", { notificationId: messageId });
  return row;
}

export const showInboxMessage = async (
  ctx: Ctx,
  inbox: Inbox,
  id: string,
  now: Date,
): Promise<SubscriberNotification> =>
  toInboxMessage(await requireInboxMessage(ctx, inbox, id, now), inbox.subscriber, now);

export async function markInboxMessage(
  ctx: Ctx,
  inbox: Inbox,
  messageId: string,
  mark: StoredMark,
): Promise<SubscriberNotification> {
  const now = await environmentNow(ctx, inbox.caller);
  const row = await requireInboxMessage(ctx, inbox, messageId, now);
  if (mark !== "unarchived") refuseSnoozed([row], now);
  await markMatching(ctx, inbox, { mark, at: now }, { ids: [row.id], archived: "any", snoozed: "any" });
  return showInboxMessage(ctx, inbox, row.id, now);
}

async function markMatching(ctx: Ctx, inbox: Inbox, mark: Mark, filter: InboxFilter): Promise<string[]> {
  const { caller, subscriber } = inbox;
  const selection = selectInbox(caller.environmentId, subscriber.id, within(inbox, filter), mark.at);
  const changed = await markSelected(ctx, caller, mark, selection);
  ctx.hints.add(subscriber.id);
  return changed;
}

type MarkAll = { mark: StoredMark; selection: NotificationSelection; only?: InboxFilter };

/** Marks all messages that match. Archived ones are read already, and snoozed ones are left unchanged. */
export async function markAllInboxMessages(
  ctx: Ctx,
  inbox: Inbox,
  { mark, selection, only }: MarkAll,
): Promise<{ markedAt: string; count: number }> {
  const filter = { ...readSelection(selection), ...only };
  const now = await environmentNow(ctx, inbox.caller);
  const changed = await markMatching(ctx, inbox, { mark, at: now }, filter);
  return { markedAt: now.toISOString(), count: changed.length };
}

/** Undoes what `markAllInboxMessages` did at a time: the rows that it changed have this time, and no others. */
export async function undoMarks(ctx: Ctx, inbox: Inbox, markedAt: string): Promise<undefined> {
  const at = readTime(markedAt);
  if (!at) {
    const message = "markedAt must be an ISO time, as in the response to the mark";
    throw invalid({ markedAt: { messages: [message], value: markedAt } });
  }
  const now = await environmentNow(ctx, inbox.caller);
  await markMatching(ctx, inbox, { mark: "unarchived", at: now }, { archived: true, archivedAt: at });
  // Those that were read before have another time.
  await markMatching(ctx, inbox, { mark: "unread", at: now }, { readAt: at });
}

export async function markInboxMessagesSeen(
  ctx: Ctx,
  inbox: Inbox,
  { notificationIds, ...selection }: Input<"subscriberNotifications.markSeen">["body"],
): Promise<undefined> {
  const only: InboxFilter = notificationIds ? { ids: notificationIds, archived: "any", snoozed: "any" } : {};
  await markAllInboxMessages(ctx, inbox, { mark: "seen", selection, only });
}

export async function setAction(
  ctx: Ctx,
  inbox: Inbox,
  messageId: string,
  action: { type: string; status: "done" | "pending" },
): Promise<SubscriberNotification> {
  const type = readAction("actionType", action.type);
  const now = await environmentNow(ctx, inbox.caller);
  const row = await requireInboxMessage(ctx, inbox, messageId, now);
  if (!row.cta?.[`${type}Action`]) throw failure("ACTION_NOT_FOUND", { messageId: row.id, type });
  await markAction(ctx.db, inbox.caller.environmentId, row.id, { type, status: action.status }, now);
  ctx.hints.add(inbox.subscriber.id);
  return showInboxMessage(ctx, inbox, row.id, now);
}

export async function deleteInboxMessage(ctx: Ctx, inbox: Inbox, messageId: string): Promise<undefined> {
  const { id } = await requireInboxMessage(ctx, inbox, messageId, await environmentNow(ctx, inbox.caller));
  await finishDeletion(ctx, inbox.caller, await deleteMessages(ctx.db, inbox.caller.environmentId, [id], ctx.now()));
}

export async function deleteInboxMessages(
  ctx: Ctx,
  inbox: Inbox,
  selection: NotificationSelection,
): Promise<undefined> {
  const { caller, subscriber } = inbox;
  const filter = within(inbox, { ...readSelection(selection), archived: "any", snoozed: "any" });
  const now = await environmentNow(ctx, caller);
  let found: string[];
  do {
    found = await findInboxIds(ctx.db, caller.environmentId, subscriber.id, filter, deletedAtOnce, now);
    await finishDeletion(ctx, caller, await deleteMessages(ctx.db, caller.environmentId, found, ctx.now()));
  } while (found.length === deletedAtOnce);
}
