// How many messages a subscriber wants at most, by channel. The rules are app/attention/own-limits.ts.
import type { ChannelAttention, Input, Output, OwnLimitsPatch } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import { findBudgets } from "../../store/attention/budgets.ts";
import { findOwnLimits, mergeOwnLimits } from "../../store/attention/own-limits.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { acceptableLimits, readOwnLimits, viewOwnLimits } from "../attention/own-limits.ts";
import { requireSubscriber } from "./subscribers.ts";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscribers.retrieveAttention">,
): Promise<Output<"subscribers.retrieveAttention">> {
  return { channels: await viewAttention(ctx, await requireSubscriber(ctx, caller, params.subscriberId)) };
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.updateAttention">,
): Promise<Output<"subscribers.updateAttention">> {
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  return { channels: await updateAttention(ctx, subscriber, body.channels) };
}

export async function viewAttention(ctx: Ctx, { id, environment_id }: RecipientRow): Promise<ChannelAttention[]> {
  const budgets = await findBudgets(ctx.db, environment_id);
  return viewOwnLimits(budgets, await findOwnLimits(ctx.db, environment_id, id));
}

/** Merges limits into the stored ones; 422 where one is not lower than the budgets of the environment. */
export async function updateAttention(
  ctx: Ctx,
  subscriber: RecipientRow,
  given: OwnLimitsPatch,
): Promise<ChannelAttention[]> {
  const budgets = await findBudgets(ctx.db, subscriber.environment_id);
  await saveLimits(ctx, subscriber, readOwnLimits(budgets, given));
  return viewAttention(ctx, subscriber);
}

/** Stores limits that were checked, and sends them to webhooks. */
async function saveLimits(ctx: Ctx, subscriber: RecipientRow, changes: OwnLimitsPatch): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  const { id, environment_id: environmentId, subscriber_id: subscriberId } = subscriber;
  const limits = await mergeOwnLimits(ctx.db, environmentId, { subscriberId: id, changes, now: ctx.now() });
  await emit(ctx, { environmentId, type: "preference.updated", at: ctx.now() }, async () => [
    { object: { level: "attention", limits: limits ?? {} }, subscriberId },
  ]);
}

/** Stores what a form submitted, except limits that are not lower than the budgets. Returns whether it stored any. */
export async function saveSubmittedLimits(ctx: Ctx, subscriber: RecipientRow, given: OwnLimitsPatch): Promise<boolean> {
  if (Object.keys(given).length === 0) return false;
  const changes = acceptableLimits(await findBudgets(ctx.db, subscriber.environment_id), given);
  await saveLimits(ctx, subscriber, changes);
  return Object.keys(changes).length > 0;
}
