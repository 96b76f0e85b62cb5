// Topics: named groups of subscribers that can be notified as one.
import type { Input, Output, Topic } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { type AlternateSuccess, alternateSuccess } from "../../response.ts";
import { hasSubscription } from "../../store/topics/topic-subscriptions.ts";
import {
  deleteTopic,
  findOrCreateTopic,
  findTopic,
  listTopics,
  renameTopic,
  type TopicRow,
} from "../../store/topics/topics.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";

export const toTopic = (row: TopicRow): Topic => ({
  _id: row.id,
  key: row.key,
  name: row.name ?? undefined,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The topic named in a path, or 404. */
export async function requireTopic(ctx: Ctx, caller: Caller, topicKey: string): Promise<TopicRow> {
  const row = await findTopic(ctx.db, caller.environmentId, topicKey);
  if (!row) throw failure("TOPIC_NOT_FOUND", { topicKey });
  return row;
}

export async function list(ctx: Ctx, caller: Caller, { query }: Input<"topics.list">): Promise<Output<"topics.list">> {
  const { key, name, orderBy = "createdAt" } = query;
  const page = await listTopics(ctx.db, caller.environmentId, {
    filters: { key, name },
    orderBy,
    request: readCursor(query),
  });
  return toCursorList(page, toTopic);
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body: { key, name }, query }: Input<"topics.create">,
): Promise<Output<"topics.create"> | AlternateSuccess<Output<"topics.create">>> {
  const now = ctx.now();
  const { row, isNew } = await findOrCreateTopic(ctx.db, caller.environmentId, { id: ctx.newId(), key, name }, now);
  if (isNew) return toTopic(row);
  // Existing clients read the record from the 409 body, so its fields are added to those of the error.
  if (query.failIfExists) throw failure("TOPIC_EXISTS", { topicKey: key }, { body: toTopic(row) });
  const renamed = name === undefined ? row : await renameTopic(ctx.db, caller.environmentId, { key, name, now });
  return alternateSuccess(toTopic(renamed!));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"topics.retrieve">,
): Promise<Output<"topics.retrieve">> {
  return toTopic(await requireTopic(ctx, caller, params.topicKey));
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params: { topicKey }, body }: Input<"topics.update">,
): Promise<Output<"topics.update">> {
  const row = await renameTopic(ctx.db, caller.environmentId, { key: topicKey, name: body.name, now: ctx.now() });
  if (!row) throw failure("TOPIC_NOT_FOUND", { topicKey });
  return toTopic(row);
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { topicKey } }: Input<"topics.delete">,
): Promise<Output<"topics.delete">> {
  if (!(await deleteTopic(ctx.db, caller.environmentId, topicKey))) throw failure("TOPIC_NOT_FOUND", { topicKey });
  return { acknowledged: true };
}

export async function retrieveSubscriber(
  ctx: Ctx,
  caller: Caller,
  { params: { topicKey, externalSubscriberId } }: Input<"topics.retrieveSubscriber">,
): Promise<Output<"topics.retrieveSubscriber">> {
  const topic = await requireTopic(ctx, caller, topicKey);
  const subscriber = await requireSubscriber(ctx, caller, externalSubscriberId);
  if (!(await hasSubscription(ctx.db, caller.environmentId, topic.id, subscriber.id))) {
    const message = `Subscription of subscriber '${externalSubscriberId}' not found`;
    throw failure("SUBSCRIPTION_NOT_FOUND", { identifier: externalSubscriberId, topicKey }, { message });
  }
  return {
    _organizationId: caller.organizationId,
    _environmentId: caller.environmentId,
    _subscriberId: subscriber.id,
    _topicId: topic.id,
    topicKey: topic.key,
    externalSubscriberId: subscriber.subscriber_id,
  };
}
