// A page of imported subscriptions, of any number of topics. Topics that do not exist are created; subscribers have to
// exist.
import {
  type ImportError,
  subscriptionIdentifierLength,
  subscriptionsPerSubscriber,
  topicKeyRule,
} from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { findSubscribersByKeys, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import {
  countSubscriptionsIn,
  findSubscriptionsIn,
  insertSubscriptionsIn,
  type NewSubscriptionIn,
  renameSubscriptions,
} from "../../store/topics/subscription-imports.ts";
import { lockSubscribers, type SubscriptionRow } from "../../store/topics/topic-subscriptions.ts";
import { createTopics, findTopicsByKeys, type TopicRow } from "../../store/topics/topics.ts";
import { compileBody } from "../../validation.ts";
import { faultyLine, type Line, type PageInput, type PageOutput, readLines } from "./page.ts";

const checkTopicKey = compileBody({ type: "string", ...topicKeyRule });
const maxNameLength = 128;

type Wanted = { line: Line; topicKey: string; subscriber: RecipientRow; identifier: string; name: string | undefined };

export async function importSubscriptions(ctx: Ctx, page: PageInput): Promise<PageOutput> {
  const { environmentId, isDryRun } = page;
  const { lines, errors } = readLines(page);
  const keys = lines.flatMap(({ values }) => values.get("subscriberId") ?? []);
  const subscribers = isDryRun
    ? await findSubscribersByKeys(ctx.db, environmentId, keys)
    : await lockSubscribers(ctx.db, environmentId, keys);
  const byKey = new Map(subscribers.map((row) => [row.subscriber_id, row]));
  const wanted: Wanted[] = [];
  for (const line of lines) {
    const read = readSubscription(line, byKey);
    if ("error" in read) errors.push(read.error);
    else wanted.push(read);
  }
  // Only for lines without an error: a file full of mistakes creates no topics.
  const topics = await findTopics(ctx, page, wanted);
  const found = await loadExisting(ctx, environmentId, topics, wanted);
  const plan = planSubscriptions(ctx, topics, wanted, found);
  errors.push(...plan.errors);
  if (!isDryRun) {
    await insertSubscriptionsIn(ctx.db, environmentId, plan.created, ctx.now());
    await renameSubscriptions(ctx.db, environmentId, plan.renamed, ctx.now());
  }
  return { created: plan.created.length, updated: plan.renamed.length, unchanged: plan.unchanged, errors };
}

function readSubscription(line: Line, subscribers: Map<string, RecipientRow>): Wanted | { error: ImportError } {
  const { row, values } = line;
  const topicKey = values.get("topicKey") ?? "";
  const subscriberId = values.get("subscriberId") ?? "";
  const fault = (column: string, message: string) => ({ error: faultyLine(row, column, message) });
  if (topicKey === "") return fault("topicKey", "topicKey is empty: name the topic");
  if (!checkTopicKey(topicKey)) {
    return fault("topicKey", "topicKey has an invalid format: use up to 100 letters, digits and _ : . -");
  }
  if (subscriberId === "") return fault("subscriberId", "subscriberId is empty: name the subscriber");
  const subscriber = subscribers.get(subscriberId);
  if (!subscriber) return fault("subscriberId", "There is no subscriber with this id: import the subscribers first");
  const identifier = values.get("identifier") ?? `tk_${topicKey}:si_${subscriberId}`;
  if (identifier.length > subscriptionIdentifierLength) {
    return fault("identifier", `identifier is longer than ${subscriptionIdentifierLength} characters: shorten it`);
  }
  const name = values.get("name");
  if (name !== undefined && name.length > maxNameLength) {
    return fault("name", `name is longer than ${maxNameLength} characters: shorten it`);
  }
  return { line, topicKey, subscriber, identifier, name };
}

async function findTopics(ctx: Ctx, page: PageInput, wanted: Wanted[]): Promise<Map<string, TopicRow>> {
  const keys = [...new Set(wanted.map(({ topicKey }) => topicKey))];
  const rows = page.isDryRun
    ? await findTopicsByKeys(ctx.db, page.environmentId, keys)
    : await createTopics(
        ctx.db,
        page.environmentId,
        keys.map((key) => ({ id: ctx.newId(), key })),
        ctx.now(),
      );
  return new Map(rows.map((row) => [row.key, row]));
}

type Existing = { subscriptions: Map<string, SubscriptionRow>; counts: Map<string, number> };

const keyOf = (topicKey: string, name: string): string => `${topicKey} ${name}`;

async function loadExisting(
  ctx: Ctx,
  environmentId: string,
  topics: Map<string, TopicRow>,
  wanted: Wanted[],
): Promise<Existing> {
  const inTopics = wanted.flatMap(({ topicKey, identifier, subscriber }) => {
    const topic = topics.get(topicKey);
    return topic ? { topic_id: topic.id, identifier, subscriber_id: subscriber.id } : [];
  });
  const keyById = new Map([...topics.values()].map(({ id, key }) => [id, key]));
  const rows = await findSubscriptionsIn(ctx.db, environmentId, inTopics);
  const counts = await countSubscriptionsIn(ctx.db, environmentId, inTopics);
  return {
    subscriptions: new Map(rows.map((row) => [keyOf(keyById.get(row.topic_id)!, row.identifier), row])),
    counts: new Map(counts.map((row) => [keyOf(keyById.get(row.topic_id)!, row.subscriber_id), row.count])),
  };
}

function planSubscriptions(
  ctx: Ctx,
  topics: Map<string, TopicRow>,
  wanted: Wanted[],
  { subscriptions, counts }: Existing,
) {
  const created: NewSubscriptionIn[] = [];
  const renamed: { id: string; name: string }[] = [];
  const errors: ImportError[] = [];
  const taken = new Map([...subscriptions].map(([key, row]) => [key, row.subscriber_id]));
  let unchanged = 0;
  for (const { line, topicKey, subscriber, identifier, name } of wanted) {
    const key = keyOf(topicKey, identifier);
    const stored = subscriptions.get(key);
    const holder = taken.get(key);
    const countKey = keyOf(topicKey, subscriber.id);
    const count = counts.get(countKey) ?? 0;
    if (holder !== undefined && holder !== subscriber.id) {
      errors.push(
        faultyLine(line.row, "identifier", "identifier belongs to another subscriber of this topic: use another"),
      );
    } else if (stored && name !== undefined && name !== stored.name) renamed.push({ id: stored.id, name });
    else if (holder !== undefined) unchanged++;
    else if (count >= subscriptionsPerSubscriber) {
      const message = `The subscriber has ${subscriptionsPerSubscriber} subscriptions in this topic already: delete one first`;
      errors.push(faultyLine(line.row, "subscriberId", message));
    } else {
      counts.set(countKey, count + 1);
      taken.set(key, subscriber.id);
      const topic_id = topics.get(topicKey)?.id ?? "";
      created.push({ id: ctx.newId(), topic_id, subscriber_id: subscriber.id, identifier, name: name ?? null });
    }
  }
  return { created, renamed, unchanged, errors };
}
