// The inbox of a subscriber named in the path, for the customer's server.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import {
  countNotifications,
  deleteNotification,
  deleteNotifications,
  type Inbox,
  listNotifications,
  markAllNotifications,
  markNotification,
  markNotificationsSeen,
  setAction,
} from "./notifications.ts";
import { snoozeNotification, unsnoozeNotification } from "./snooze.ts";

/** The inbox of the subscriber that the path names, or 404. */
const inboxOf = async (ctx: Ctx, caller: Caller, { subscriberId }: { subscriberId: string }): Promise<Inbox> => ({
  caller,
  subscriber: await requireSubscriber(ctx, caller, subscriberId),
});

export async function list(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscriberNotifications.list">,
): Promise<Output<"subscriberNotifications.list">> {
  return listNotifications(ctx, await inboxOf(ctx, caller, params), query);
}

export async function count(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscriberNotifications.count">,
): Promise<Output<"subscriberNotifications.count">> {
  return countNotifications(ctx, await inboxOf(ctx, caller, params), query.filters);
}

export async function markRead(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.markRead">,
): Promise<Output<"subscriberNotifications.markRead">> {
  return markNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId, "read");
}

export async function markUnread(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.markUnread">,
): Promise<Output<"subscriberNotifications.markUnread">> {
  return markNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId, "unread");
}

export async function archive(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.archive">,
): Promise<Output<"subscriberNotifications.archive">> {
  return markNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId, "archived");
}

export async function unarchive(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.unarchive">,
): Promise<Output<"subscriberNotifications.unarchive">> {
  return markNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId, "unarchived");
}

export async function snooze(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.snooze">,
): Promise<Output<"subscriberNotifications.snooze">> {
  return snoozeNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId, body.snoozeUntil);
}

export async function unsnooze(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.unsnooze">,
): Promise<Output<"subscriberNotifications.unsnooze">> {
  return unsnoozeNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId);
}

export async function completeAction(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.completeAction">,
): Promise<Output<"subscriberNotifications.completeAction">> {
  return setAction(ctx, await inboxOf(ctx, caller, params), { ...params, status: "done" });
}

export async function revertAction(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.revertAction">,
): Promise<Output<"subscriberNotifications.revertAction">> {
  return setAction(ctx, await inboxOf(ctx, caller, params), { ...params, status: "pending" });
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.delete">,
): Promise<Output<"subscriberNotifications.delete">> {
  return deleteNotification(ctx, await inboxOf(ctx, caller, params), params.notificationId);
}

export async function markSeen(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.markSeen">,
): Promise<Output<"subscriberNotifications.markSeen">> {
  return markNotificationsSeen(ctx, await inboxOf(ctx, caller, params), body);
}

export async function markAllRead(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.markAllRead">,
): Promise<Output<"subscriberNotifications.markAllRead">> {
  await markAllNotifications(ctx, await inboxOf(ctx, caller, params), "read", body);
}

export async function archiveAll(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.archiveAll">,
): Promise<Output<"subscriberNotifications.archiveAll">> {
  await markAllNotifications(ctx, await inboxOf(ctx, caller, params), "archived", body);
}

export async function archiveAllRead(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.archiveAllRead">,
): Promise<Output<"subscriberNotifications.archiveAllRead">> {
  await markAllNotifications(ctx, await inboxOf(ctx, caller, params), "archived", body, { read: true });
}

export async function removeAll(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.deleteAll">,
): Promise<Output<"subscriberNotifications.deleteAll">> {
  return deleteNotifications(ctx, await inboxOf(ctx, caller, params), body);
}
