// Subscribers: the people (or systems) that can be notified, with their profile.
import { errorMessage, type Input, type Output, SubscriberIn } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { definedMembers, type JsonObject } from "../../lib/json.ts";
import { audienceCondition } from "../../pipeline/audiences/condition.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { toSubscriber } from "../../pipeline/views.ts";
import { findAudiencesByKeys } from "../../store/audiences/audiences.ts";
import { cancelWaitingJobs } from "../../store/events/jobs.ts";
import { eraseSubscriberFromAuditLog } from "../../store/members/audit-log.ts";
import { cancelPendingMessages } from "../../store/messages/messages.ts";
import {
  deleteSubscriber,
  findSubscriber,
  listSubscribers,
  type SubscriberFilters,
  type SubscriberRow,
  type SubscriberUpsert,
  setOnline,
  updateSubscriber,
  upsertSubscribers,
} from "../../store/subscribers/subscribers.ts";
import { checkShape } from "../../validation.ts";
import { environmentNow, peekNow } from "../environments/clock.ts";
import { readCursor, toCursorList } from "../paging.ts";

/** The subscriber named in a path, or 404. */
export async function requireSubscriber(ctx: Ctx, caller: Caller, subscriberId: string): Promise<SubscriberRow> {
  const row = await findSubscriber(ctx.db, caller.environmentId, subscriberId.trim());
  if (!row) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return row;
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body, query }: Input<"subscribers.create">,
): Promise<Output<"subscribers.create">> {
  const subscriberId = body.subscriberId.trim();
  const entry = { id: ctx.newId(), subscriberId, fields: readProfile(body) };
  const keepExisting = query.failIfExists ?? false;
  const [row] = await upsertSubscribers(ctx.db, caller.environmentId, {
    entries: [entry],
    now: ctx.now(),
    options: { keepExisting },
  });
  if (!row) throw failure("SUBSCRIBER_BEING_ERASED", { subscriberId });
  const subscriber = toSubscriber(ctx.secrets, row, caller.organizationId);
  // Existing clients read the record from the 409 body, so its fields are added to those of the error.
  if (keepExisting && !row.is_new) throw failure("SUBSCRIBER_EXISTS", { subscriberId }, { body: subscriber });
  return subscriber;
}

/** Only fields of the profile are stored: a body may have unknown members. */
export function readProfile(fields: JsonObject): SubscriberUpsert["fields"] {
  const { firstName, lastName, email, phone, avatar, locale, timezone, data } = fields as SubscriberUpsert["fields"];
  return { firstName, lastName, email, phone, avatar, locale, timezone, data };
}

const checkEntry = checkShape(SubscriberIn);

export async function createBulk(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"subscribers.createBulk">,
): Promise<Output<"subscribers.createBulk">> {
  const failed: Output<"subscribers.createBulk">["failed"] = [];
  const entries = new Map<string, SubscriberUpsert>();
  const subscriberIds: string[] = [];
  for (const given of body.subscribers) {
    const entry =
      typeof given.subscriberId === "string" ? { ...given, subscriberId: given.subscriberId.trim() } : given;
    const faults = checkEntry(entry);
    if (faults.length > 0) {
      const subscriberId = typeof entry.subscriberId === "string" ? entry.subscriberId : undefined;
      failed.push({ subscriberId, message: faults.join("; ") });
      continue;
    }
    const { subscriberId, ...fields } = entry as { subscriberId: string };
    subscriberIds.push(subscriberId);
    const before = entries.get(subscriberId);
    const merged = { ...before?.fields, ...definedMembers(readProfile(fields)) };
    entries.set(subscriberId, { id: before?.id ?? ctx.newId(), subscriberId, fields: merged });
  }
  const rows = await upsertSubscribers(ctx.db, caller.environmentId, {
    entries: [...entries.values()],
    now: ctx.now(),
  });
  const isNew = new Set(rows.flatMap((row) => (row.is_new ? row.subscriber_id : [])));
  const stored = new Set(rows.map((row) => row.subscriber_id));
  for (const subscriberId of entries.keys()) {
    if (!stored.has(subscriberId))
      failed.push({ subscriberId, message: errorMessage("SUBSCRIBER_BEING_ERASED", { subscriberId }) });
  }
  // Every valid entry is reported: the first one of a new subscriber as created, its later ones as updated.
  const isCreated = (subscriberId: string, index: number) =>
    isNew.has(subscriberId) && subscriberIds.indexOf(subscriberId) === index;
  const toKey = (subscriberId: string) => ({ subscriberId });
  return {
    created: subscriberIds.filter(isCreated).map(toKey),
    updated: subscriberIds.filter((id, index) => stored.has(id) && !isCreated(id, index)).map(toKey),
    failed,
  };
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"subscribers.list">,
): Promise<Output<"subscribers.list">> {
  const { subscriberId, email, phone, name, search } = query;
  const audience = query.audienceId === undefined ? undefined : await peopleOf(ctx, caller, query.audienceId);
  const filters = { subscriberId, email, phone, name, search, audience };
  const page = await listSubscribers(ctx.db, caller.environmentId, {
    filters,
    orderBy: query.orderBy ?? "createdAt",
    request: readCursor(query),
  });
  return toCursorList(page, (row) => toSubscriber(ctx.secrets, row, caller.organizationId));
}

/** The people of an audience, as a condition; 404 for an unknown one. */
export async function peopleOf(ctx: Ctx, caller: Caller, audienceId: string): Promise<SubscriberFilters["audience"]> {
  const { environmentId } = caller;
  const [row] = await findAudiencesByKeys(ctx.db, environmentId, [audienceId]);
  if (!row) throw failure("AUDIENCE_NOT_FOUND", { audienceId });
  return audienceCondition(ctx.db, environmentId, [row.audience_id], await peekNow(ctx, caller));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscribers.retrieve">,
): Promise<Output<"subscribers.retrieve">> {
  return toSubscriber(ctx.secrets, await requireSubscriber(ctx, caller, params.subscriberId), caller.organizationId);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.update">,
): Promise<Output<"subscribers.update">> {
  const subscriberId = params.subscriberId.trim();
  const row = await updateSubscriber(ctx.db, caller.environmentId, {
    subscriberId,
    fields: readProfile(body),
    now: ctx.now(),
  });
  if (!row) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return toSubscriber(ctx.secrets, row, caller.organizationId);
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscribers.delete">,
): Promise<Output<"subscribers.delete">> {
  const row = await requireSubscriber(ctx, caller, params.subscriberId);
  const now = await environmentNow(ctx, caller);
  const target = { subscriberId: row.id };
  const reason = "the subscriber was deleted";
  await cancelPendingMessages(ctx.db, caller.environmentId, target, reason, now);
  const canceled = detail("step_canceled", now, { raw: { reason } });
  await cancelWaitingJobs(ctx.db, caller.environmentId, target, canceled, now);
  await deleteSubscriber(ctx.db, caller.environmentId, row.id);
  await eraseSubscriberFromAuditLog(ctx.db, caller.environmentId, row.subscriber_id);
  // Ends its live connections.
  ctx.hints.add(row.id);
  return { acknowledged: true, status: "success" };
}

export async function updateOnlineStatus(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.updateOnlineStatus">,
): Promise<Output<"subscribers.updateOnlineStatus">> {
  const { subscriberId } = params;
  const row = await setOnline(ctx.db, caller.environmentId, {
    subscriberId: subscriberId.trim(),
    isOnline: body.isOnline,
    now: await environmentNow(ctx, caller),
  });
  if (!row) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return toSubscriber(ctx.secrets, row, caller.organizationId);
}
