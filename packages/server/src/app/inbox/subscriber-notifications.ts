// In-app messages as the inbox of a subscriber shows them. Snoozing hides one from the feed until a time, or until it is
// unsnoozed.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { readTime } from "../../pipeline/rules/waits.ts";
import { emitMessages } from "../../pipeline/webhooks/events.ts";
import { findInboxItem, type InboxItem, setSnooze } from "../../store/inbox/notifications.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { environmentClock } from "../environments/clock.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import { toInboxNotification } from "./notification-view.ts";

const shortestMinutes = 3;
/** For the time a request takes, and for a caller whose clock is behind: three minutes from its own now are accepted. */
const toleranceMs = 60_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

export async function snooze(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscriberNotifications.snooze">,
): Promise<Output<"subscriberNotifications.snooze">> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const until = readUntil(body.snoozeUntil, now, ctx.config.maxSnoozeDays);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const { id } = await requireItem(ctx, caller, subscriber, params.notificationId);
  const snoozed = detail("snoozed", now, { raw: { until: until.toISOString() } });
  const isChanged = await setSnooze(ctx.db, environmentId, subscriber.id, { id, until, detail: snoozed, now });
  if (isChanged) {
    await enqueueTimed({ ...ctx, clock }, "unsnooze", [{ environmentId, data: { messageId: id }, at: until }]);
    await emitMessages(ctx, [{ environmentId, messageId: id, type: "message.snoozed", at: now }]);
  }
  return toInboxNotification(await requireItem(ctx, caller, subscriber, id), subscriber, now);
}

export async function unsnooze(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscriberNotifications.unsnooze">,
): Promise<Output<"subscriberNotifications.unsnooze">> {
  const { environmentId } = caller;
  const now = (await environmentClock(ctx, caller)).now(environmentId);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const { id } = await requireItem(ctx, caller, subscriber, params.notificationId);
  const change = { id, until: null, detail: detail("unsnoozed", now), now };
  if (await setSnooze(ctx.db, environmentId, subscriber.id, change)) {
    await emitMessages(ctx, [{ environmentId, messageId: id, type: "message.unsnoozed", at: now }]);
  }
  return toInboxNotification(await requireItem(ctx, caller, subscriber, id), subscriber, now);
}

function readUntil(text: string, now: Date, maxDays: number): Date {
  const refuse = (message: string) => invalid({ snoozeUntil: { messages: [`snoozeUntil ${message}`], value: text } });
  const until = readTime(text);
  if (!until) throw refuse("must be an ISO time, such as 2026-01-31T09:00:00Z");
  const aheadMs = until.getTime() - now.getTime();
  if (aheadMs < shortestMinutes * minuteMs - toleranceMs)
    throw refuse(`must be at least ${shortestMinutes} minutes ahead`);
  if (aheadMs > maxDays * dayMs) throw refuse(`must be at most ${maxDays} days ahead`);
  return until;
}

async function requireItem(
  ctx: Ctx,
  caller: Caller,
  subscriber: SubscriberRow,
  notificationId: string,
): Promise<InboxItem> {
  const row = await findInboxItem(ctx.db, caller.environmentId, subscriber.id, notificationId);
  if (!row) throw failure("NOTIFICATION_NOT_FOUND", { notificationId });
  return row;
}
