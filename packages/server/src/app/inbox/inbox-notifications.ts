// The inbox of the subscriber whose token the request has.
import type { Input, Output } from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
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
  undoMarks,
} from "./notifications.ts";
import { snoozeNotification, unsnoozeNotification } from "./snooze.ts";

const inboxOf = (caller: InboxCaller): Inbox => ({
  caller,
  subscriber: caller.subscriber,
  contextKeys: caller.contextKeys,
});

export async function list(
  ctx: Ctx,
  caller: InboxCaller,
  { query }: Input<"inbox.listNotifications">,
): Promise<Output<"inbox.listNotifications">> {
  return listNotifications(ctx, inboxOf(caller), query);
}

export async function count(
  ctx: Ctx,
  caller: InboxCaller,
  { query }: Input<"inbox.countNotifications">,
): Promise<Output<"inbox.countNotifications">> {
  return { data: await countNotifications(ctx, inboxOf(caller), query.filters) };
}

export async function read(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.readNotification">,
): Promise<Output<"inbox.readNotification">> {
  return { data: await markNotification(ctx, inboxOf(caller), params.notificationId, "read") };
}

export async function unread(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.unreadNotification">,
): Promise<Output<"inbox.unreadNotification">> {
  return { data: await markNotification(ctx, inboxOf(caller), params.notificationId, "unread") };
}

export async function archive(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.archiveNotification">,
): Promise<Output<"inbox.archiveNotification">> {
  return { data: await markNotification(ctx, inboxOf(caller), params.notificationId, "archived") };
}

export async function unarchive(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.unarchiveNotification">,
): Promise<Output<"inbox.unarchiveNotification">> {
  return { data: await markNotification(ctx, inboxOf(caller), params.notificationId, "unarchived") };
}

export async function snooze(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.snoozeNotification">,
): Promise<Output<"inbox.snoozeNotification">> {
  return { data: await snoozeNotification(ctx, inboxOf(caller), params.notificationId, body.snoozeUntil) };
}

export async function unsnooze(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.unsnoozeNotification">,
): Promise<Output<"inbox.unsnoozeNotification">> {
  return { data: await unsnoozeNotification(ctx, inboxOf(caller), params.notificationId) };
}

export async function completeAction(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.completeAction">,
): Promise<Output<"inbox.completeAction">> {
  return { data: await setAction(ctx, inboxOf(caller), { ...params, ...body, status: "done" }) };
}

export async function revertAction(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.revertAction">,
): Promise<Output<"inbox.revertAction">> {
  return { data: await setAction(ctx, inboxOf(caller), { ...params, ...body, status: "pending" }) };
}

export async function remove(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.deleteNotification">,
): Promise<Output<"inbox.deleteNotification">> {
  return deleteNotification(ctx, inboxOf(caller), params.notificationId);
}

export async function markSeen(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.seeNotifications">,
): Promise<Output<"inbox.seeNotifications">> {
  return markNotificationsSeen(ctx, inboxOf(caller), body);
}

export async function readAll(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.readAllNotifications">,
): Promise<Output<"inbox.readAllNotifications">> {
  await markAllNotifications(ctx, inboxOf(caller), "read", body);
}

export async function archiveAll(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.archiveAllNotifications">,
): Promise<Output<"inbox.archiveAllNotifications">> {
  await markAllNotifications(ctx, inboxOf(caller), "archived", body);
}

export async function archiveRead(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.archiveReadNotifications">,
): Promise<Output<"inbox.archiveReadNotifications">> {
  await markAllNotifications(ctx, inboxOf(caller), "archived", body, { read: true });
}

export async function markMany(
  ctx: Ctx,
  caller: InboxCaller,
  { body: { mark, only, ...selection } }: Input<"inbox.markNotifications">,
): Promise<Output<"inbox.markNotifications">> {
  const filter = only ? { read: true } : {};
  return { data: await markAllNotifications(ctx, inboxOf(caller), mark, selection, filter) };
}

export async function undoMark(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.undoMark">,
): Promise<Output<"inbox.undoMark">> {
  return undoMarks(ctx, inboxOf(caller), body.markedAt);
}

export async function removeAll(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.deleteAllNotifications">,
): Promise<Output<"inbox.deleteAllNotifications">> {
  return deleteNotifications(ctx, inboxOf(caller), body);
}
