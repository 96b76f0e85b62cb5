// Topic subscriptions: listed, read and changed. They are created and deleted in topic-subscription-entries.ts.
import type { Input, Output, TopicSubscription } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { findSubscriber, findSubscribersByIds } from "../../store/subscribers/subscribers.ts";
import {
  findSubscription,
  listSubscriptions,
  type SubscriptionFilters,
  type SubscriptionRow,
  updateSubscription,
} from "../../store/topics/topic-subscriptions.ts";
import { findTopic, findTopicsByIds } from "../../store/topics/topics.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { readContextKeys } from "../subscribers/contexts.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import { loadRulesView, readRules } from "./subscription-rules.ts";
import { toSubscriberRef, toSubscription } from "./subscription-view.ts";
import { requireTopic, toTopic } from "./topics.ts";

type ListQuery = Omit<Input<"topicSubscriptions.list">["query"], "subscriberId">;
type Scope = Pick<SubscriptionFilters, "topicId" | "subscriberId">;

/** An id that no row has: a filter that names an unknown topic or subscriber matches nothing, and is not an error. */
const noId = "00000000-0000-0000-0000-000000000000";

export async function list(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"topicSubscriptions.list">,
): Promise<Output<"topicSubscriptions.list">> {
  return listIn(ctx, caller, query, async () => {
    const topic = await requireTopic(ctx, caller, params.topicKey);
    if (!query.subscriberId) return { topicId: topic.id };
    const subscriber = await findSubscriber(ctx.db, caller.environmentId, query.subscriberId.trim());
    return { topicId: topic.id, subscriberId: subscriber?.id ?? noId };
  });
}

export async function listOfSubscriber(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.listSubscriptions">,
): Promise<Output<"subscribers.listSubscriptions">> {
  return listIn(ctx, caller, query, async () => {
    const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
    if (!query.key) return { subscriberId: subscriber.id };
    const topic = await findTopic(ctx.db, caller.environmentId, query.key);
    return { subscriberId: subscriber.id, topicId: topic?.id ?? noId };
  });
}

/** `findScope` runs after the query was checked, so that errors of the query are reported before a 404. */
async function listIn(ctx: Ctx, caller: Caller, query: ListQuery, findScope: () => Promise<Scope>) {
  const faults = faultCollector();
  const cursor = faults.attempt(() => readCursor(query));
  const contextKeys = faults.attempt(() => readContextKeys(query.contextKeys));
  faults.throwIfAny();
  const filters = { ...(await findScope()), contextKeys };
  const page = await listSubscriptions(ctx.db, caller.environmentId, {
    filters,
    orderBy: query.orderBy ?? "createdAt",
    request: cursor!,
  });
  const { topicOf, subscriberOf } = await loadTopicsAndSubscribers(ctx, caller, page.rows);
  // A topic or subscriber that was deleted between the two reads took its subscriptions with it.
  const rows = page.rows.filter((row) => topicOf(row) && subscriberOf(row));
  return toCursorList(
    { ...page, rows },
    (row): TopicSubscription => ({
      _id: row.id,
      identifier: row.identifier,
      createdAt: row.created_at.toISOString(),
      topic: toTopic(topicOf(row)!),
      subscriber: toSubscriberRef(subscriberOf(row)!),
      contextKeys: row.context_keys,
    }),
  );
}

/** The topics and subscribers of a page, each read once. */
async function loadTopicsAndSubscribers(ctx: Ctx, caller: Caller, rows: SubscriptionRow[]) {
  const distinct = (column: "topic_id" | "subscriber_id") => [...new Set(rows.map((row) => row[column]))];
  const topics = await findTopicsByIds(ctx.db, caller.environmentId, distinct("topic_id"));
  const subscribers = await findSubscribersByIds(ctx.db, caller.environmentId, distinct("subscriber_id"));
  const topicsById = new Map(topics.map((row) => [row.id, row]));
  const subscribersById = new Map(subscribers.map((row) => [row.id, row]));
  return {
    topicOf: (row: SubscriptionRow) => topicsById.get(row.topic_id),
    subscriberOf: (row: SubscriptionRow) => subscribersById.get(row.subscriber_id),
  };
}

type SubscriptionPath = Input<"topicSubscriptions.retrieve">["params"];

async function requireSubscription(ctx: Ctx, caller: Caller, { topicKey, identifier }: SubscriptionPath) {
  const topic = await requireTopic(ctx, caller, topicKey);
  const row = await findSubscription(ctx.db, caller.environmentId, topic.id, identifier);
  if (!row) throw failure("SUBSCRIPTION_NOT_FOUND", { identifier, topicKey });
  return { topic, row };
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"topicSubscriptions.retrieve">,
): Promise<Output<"topicSubscriptions.retrieve">> {
  const { row } = await requireSubscription(ctx, caller, params);
  const showRules = await loadRulesView(ctx, caller, [row]);
  return {
    id: row.id,
    identifier: row.identifier,
    name: row.name ?? undefined,
    preferences: showRules(row),
    rules: row.rules.length > 0 ? row.rules : undefined,
    contextKeys: row.context_keys,
  };
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"topicSubscriptions.update">,
): Promise<Output<"topicSubscriptions.update">> {
  const { topic, row } = await requireSubscription(ctx, caller, params);
  const changes = { name: body.name, rules: body.preferences && readRules(body.preferences) };
  const isChanged = changes.name !== undefined || changes.rules !== undefined;
  const { environmentId } = caller;
  const next = isChanged
    ? await updateSubscription(ctx.db, environmentId, { id: row.id, changes, now: ctx.now() })
    : row;
  const [subscriber] = await findSubscribersByIds(ctx.db, environmentId, [row.subscriber_id]);
  // The subscription or its subscriber was deleted since it was found.
  if (!next || !subscriber) throw failure("SUBSCRIPTION_NOT_FOUND", params);
  return toSubscription(next, topic, subscriber, await loadRulesView(ctx, caller, [next]));
}
