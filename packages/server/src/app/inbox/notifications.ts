// The inbox of one subscriber: listed, counted, marked and deleted. The customer's server (subscriber-notifications.ts) and the
// subscriber's own browser (inbox-notifications.ts) use the same functions.
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
  findInboxItem,
  type InboxFilter,
  type InboxItem,
  listInbox,
  markInbox,
} from "../../store/inbox/notifications.ts";
import { markAction, type StoredMark } from "../../store/messages/message-marks.ts";
import { deleteMessages } from "../../store/messages/messages.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { environmentNow } from "../environments/clock.ts";
import { recordInboxConnected } from "../messages/feed.ts";
import { markAs, readAction, refuseSnoozed } from "../messages/message-marks.ts";
import { deletedAtOnce, finishDeletion } from "../messages/messages.ts";
import { readFilter, readFilters, readSelection } from "./filters.ts";
import { toInboxNotification } from "./notification-view.ts";

/** Whose inbox: a subscriber of the caller's environment, and for a session with contexts only messages of these. */
export type Inbox = { caller: Caller; subscriber: RecipientRow; contextKeys?: string[] };

/** A session with contexts sees nothing else, whatever a request asks for. */
const within = ({ contextKeys }: Inbox, filter: InboxFilter): InboxFilter =>
  contextKeys ? { ...filter, contextKeys } : filter;

type ListQuery = Input<"subscriberNotifications.list">["query"];

export async function listNotifications(
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
    data: rows.slice(0, limit).map((row) => toInboxNotification(row, subscriber, now)),
    hasMore: rows.length > limit,
    filter: definedMembers({ ...given, data: filter.data }),
  };
}

export async function countNotifications(
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

export async function requireItem(ctx: Ctx, inbox: Inbox, notificationId: string): Promise<InboxItem> {
  const { caller, subscriber, contextKeys } = inbox;
  const row = await findInboxItem(ctx.db, caller.environmentId, subscriber.id, notificationId);
  const isVisible = row && (!contextKeys || contextKeys.join() === row.context_keys.join());
  if (!isVisible) throw failure("NOTIFICATION_NOT_FOUND", { notificationId });
  return row;
}

export const showItem = async (ctx: Ctx, inbox: Inbox, id: string, now: Date): Promise<SubscriberNotification> =>
  toInboxNotification(await requireItem(ctx, inbox, id), inbox.subscriber, now);

export async function markNotification(
  ctx: Ctx,
  inbox: Inbox,
  notificationId: string,
  mark: StoredMark,
): Promise<SubscriberNotification> {
  const now = await environmentNow(ctx, inbox.caller);
  const row = await requireItem(ctx, inbox, notificationId);
  if (mark !== "unarchived") refuseSnoozed([row], now);
  await markMatching(ctx, inbox, mark, { ids: [row.id], archived: "any", snoozed: "any" }, now);
  return showItem(ctx, inbox, row.id, now);
}

async function markMatching(
  ctx: Ctx,
  inbox: Inbox,
  mark: StoredMark,
  filter: InboxFilter,
  now: Date,
): Promise<string[]> {
  const { caller, subscriber } = inbox;
  const changed = await markAs(ctx, caller, mark, now, (marking) =>
    markInbox(ctx.db, caller.environmentId, subscriber.id, within(inbox, filter), marking),
  );
  ctx.hints.add(subscriber.id);
  return changed;
}

/** Marks all notifications that match. Archived ones are read already, and snoozed ones stay as they are. */
export async function markAllNotifications(
  ctx: Ctx,
  inbox: Inbox,
  mark: StoredMark,
  selection: NotificationSelection,
  only: InboxFilter = {},
): Promise<{ markedAt: string; count: number }> {
  const filter = { ...readSelection(selection), ...only };
  const now = await environmentNow(ctx, inbox.caller);
  const changed = await markMatching(ctx, inbox, mark, filter, now);
  return { markedAt: now.toISOString(), count: changed.length };
}

/** Takes back what `markAllNotifications` did at a time: the rows that it changed have this time, and no others. */
export async function undoMarks(ctx: Ctx, inbox: Inbox, markedAt: string): Promise<undefined> {
  const at = readTime(markedAt);
  if (!at) {
    const message = "markedAt must be an ISO time, as the answer to the mark has it";
    throw invalid({ markedAt: { messages: [message], value: markedAt } });
  }
  const now = await environmentNow(ctx, inbox.caller);
  await markMatching(ctx, inbox, "unarchived", { archived: true, archivedAt: at }, now);
  // Those that were read before have another time.
  await markMatching(ctx, inbox, "unread", { readAt: at }, now);
}

export async function markNotificationsSeen(
  ctx: Ctx,
  inbox: Inbox,
  { notificationIds, ...selection }: Input<"subscriberNotifications.markSeen">["body"],
): Promise<undefined> {
  const only: InboxFilter = notificationIds ? { ids: notificationIds, archived: "any", snoozed: "any" } : {};
  await markAllNotifications(ctx, inbox, "seen", selection, only);
}

export async function setAction(
  ctx: Ctx,
  inbox: Inbox,
  action: { notificationId: string; actionType: string; status: "done" | "pending" },
): Promise<SubscriberNotification> {
  const type = readAction("actionType", action.actionType);
  const now = await environmentNow(ctx, inbox.caller);
  const row = await requireItem(ctx, inbox, action.notificationId);
  if (!row.cta?.[`${type}Action`]) throw failure("ACTION_NOT_FOUND", { messageId: row.id, type });
  await markAction(ctx.db, inbox.caller.environmentId, row.id, { type, status: action.status }, now);
  ctx.hints.add(inbox.subscriber.id);
  return showItem(ctx, inbox, row.id, now);
}

export async function deleteNotification(ctx: Ctx, inbox: Inbox, notificationId: string): Promise<undefined> {
  const { id } = await requireItem(ctx, inbox, notificationId);
  await finishDeletion(ctx, inbox.caller, await deleteMessages(ctx.db, inbox.caller.environmentId, [id], ctx.now()));
}

export async function deleteNotifications(
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
