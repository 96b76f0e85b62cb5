// Snoozing hides a message from the inbox until a time, or until it is unsnoozed.
import type { SubscriberNotification } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { readTime } from "../../pipeline/rules/waits.ts";
import { emitMessages } from "../../pipeline/webhooks/events.ts";
import { setSnooze } from "../../store/inbox/inbox-messages.ts";
import { environmentClock } from "../environments/clock.ts";
import { type Inbox, requireInboxMessage, showInboxMessage } from "./inbox-messages.ts";

const minMinutes = 3;
/**
 * For the time a request takes, and for a caller whose clock is behind: three minutes from its own now are accepted.
 */
const toleranceMs = 60_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

export async function snooze(
  ctx: Ctx,
  inbox: Inbox,
  messageId: string,
  snoozeUntil: string,
): Promise<SubscriberNotification> {
  const { caller, subscriber } = inbox;
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const until = readUntil(snoozeUntil, now, ctx.config.maxSnoozeDays);
  const { id } = await requireInboxMessage(ctx, inbox, messageId, now);
  const snoozed = detail("snoozed", now, { raw: { until: until.toISOString() } });
  const isChanged = await setSnooze(ctx.db, environmentId, subscriber.id, { id, until, detail: snoozed, now });
  if (isChanged) {
    ctx.hints.add(subscriber.id);
    await enqueueTimed({ ...ctx, clock }, "unsnooze", [{ environmentId, data: { messageId: id }, at: until }]);
    await emitMessages(ctx, [{ environmentId, messageId: id, type: "message.snoozed", at: now }]);
  }
  return showInboxMessage(ctx, inbox, id, now);
}

export async function unsnooze(ctx: Ctx, inbox: Inbox, messageId: string): Promise<SubscriberNotification> {
  const { caller, subscriber } = inbox;
  const { environmentId } = caller;
  const now = (await environmentClock(ctx, caller)).now(environmentId);
  const { id } = await requireInboxMessage(ctx, inbox, messageId, now);
  const change = { id, until: null, detail: detail("unsnoozed", now), now };
  if (await setSnooze(ctx.db, environmentId, subscriber.id, change)) {
    ctx.hints.add(subscriber.id);
    await emitMessages(ctx, [{ environmentId, messageId: id, type: "message.unsnoozed", at: now }]);
  }
  return showInboxMessage(ctx, inbox, id, now);
}

function readUntil(text: string, now: Date, maxDays: number): Date {
  const refuse = (message: string) => invalid({ snoozeUntil: { messages: [`snoozeUntil ${message}`], value: text } });
  const until = readTime(text);
  if (!until) throw refuse("must be an ISO time, such as 2026-01-31T09:00:00Z");
  const aheadMs = until.getTime() - now.getTime();
  if (aheadMs < minMinutes * minuteMs - toleranceMs) throw refuse(`must be at least ${minMinutes} minutes ahead`);
  if (aheadMs > maxDays * dayMs) throw refuse(`must be at most ${maxDays} days ahead`);
  return until;
}
