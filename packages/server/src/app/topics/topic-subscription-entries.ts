// Creating and deleting many topic subscriptions at once. Each entry of a request succeeds or fails on its own, and
// both are reported; the number of statements does not depend on the number of entries.
import {
  type Input,
  maxSubscriptionEntries,
  type Output,
  type SubscriptionError,
  subscriptionIdentifierLength,
  subscriptionsPerSubscriber,
  topicKeyRule,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { contextKeysOf } from "../../pipeline/trigger/contexts.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { findSubscribersByIds, findSubscribersByKeys, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import {
  countSubscriptions,
  type DeletionTarget,
  deleteSubscriptions,
  findSubscriptionsByIdentifiers,
  insertSubscriptions,
  lockSubscribers,
  type NewSubscription,
  type SubscriptionRow,
} from "../../store/topics/topic-subscriptions.ts";
import { findOrCreateTopic, renameTopic, type TopicRow } from "../../store/topics/topics.ts";
import { compileBody, faultsOf } from "../../validation.ts";
import { readContext } from "../subscribers/contexts.ts";
import { loadRulesView, readRules } from "./subscription-rules.ts";
import { toDeletedSubscription, toSubscription } from "./subscription-view.ts";
import { requireTopic } from "./topics.ts";

const checkTopicKey = compileBody({ type: "object", properties: { topicKey: { type: "string", ...topicKeyRule } } });

export async function create(
  ctx: Ctx,
  caller: Caller,
  { params: { topicKey }, body }: Input<"topicSubscriptions.create">,
): Promise<Output<"topicSubscriptions.create">> {
  if (!checkTopicKey({ topicKey })) throw invalid(faultsOf(checkTopicKey.errors ?? []));
  const { environmentId } = caller;
  const now = ctx.now();
  const contexts = readContext(body.context);
  const terms = { contextKeys: contextKeysOf(contexts), rules: readRules(body.preferences) };
  const entries = readEntries(topicKey, body, terms.contextKeys);

  await resolveContexts(ctx.db, environmentId, contexts, now);
  const topic = await findOrRenameTopic(ctx, caller, topicKey, body.name, now);
  const existing = await loadExisting(ctx, caller, topic, entries);
  const { planned, faults } = planEntries(ctx, topic, entries, existing);
  const inserted = await insertSubscriptions(ctx.db, environmentId, {
    topicId: topic.id,
    entries: planned,
    terms,
    now,
  });
  // Another request may have taken an identifier since it was looked up.
  const lost = inserted.length < planned.length ? planned.map(({ identifier }) => identifier) : [];
  const late = await findSubscriptionsByIdentifiers(ctx.db, environmentId, topic.id, lost);
  const rows = new Map([...existing.subscriptions, ...late, ...inserted].map((row) => [row.identifier, row]));

  const stored: { row: SubscriptionRow; subscriber: RecipientRow }[] = [];
  const errors: SubscriptionError[] = [];
  for (const [index, entry] of entries.entries()) {
    const row = rows.get(entry.identifier);
    const subscriber = existing.subscribers.get(entry.subscriberId);
    const error = faults[index];
    if (error) errors.push(error);
    else if (row && subscriber && row.subscriber_id === subscriber.id) stored.push({ row, subscriber });
    else if (row) errors.push(identifierTaken(entry));
    else {
      ctx.log.error({ topicKey, subscriberId: entry.subscriberId }, "subscription could not be created");
      errors.push(entryError(entry, "SUBSCRIPTION_CREATE_FAILED", "Subscription could not be created"));
    }
  }
  const showRules = await loadRulesView(
    ctx,
    caller,
    stored.map(({ row }) => row),
  );
  const data = stored.map(({ row, subscriber }) => toSubscription(row, topic, subscriber, showRules));
  return { data, ...summary(entries.length, errors) };
}

/**
 * `subscriptions` and the older `subscriberIds` as one list. An id that both have, or the older one twice, is one
 * entry.
 */
function mergeLists<Item extends object>(
  subscriptions: (string | Item)[] | undefined,
  subscriberIds: string[] = [],
): (string | Item)[] {
  if (!subscriptions) return subscriberIds;
  const named = new Set(subscriptions.map((item) => (typeof item === "string" ? item.trim() : item)));
  const added = new Set(subscriberIds.map((id) => id.trim()).filter((id) => !named.has(id)));
  const items = [...subscriptions, ...added];
  if (items.length > maxSubscriptionEntries) {
    const message = `subscriptions and subscriberIds must contain no more than ${maxSubscriptionEntries} elements together`;
    throw invalid({ subscriptions: { messages: [message] } });
  }
  return items;
}

type Entry = { subscriberId: string; identifier: string; isGiven: boolean; name: string | null };

function readEntries(
  topicKey: string,
  { subscriptions, subscriberIds }: Input<"topicSubscriptions.create">["body"],
  contextKeys: string[],
): Entry[] {
  const context = contextKeys.length > 0 ? `:ctx_${contextKeys.join(",")}` : "";
  return mergeLists(subscriptions, subscriberIds).map((item) => {
    const given = typeof item === "string" ? { subscriberId: item } : item;
    const subscriberId = given.subscriberId.trim();
    const identifier = given.identifier ?? `tk_${topicKey}:si_${subscriberId}${context}`;
    return { subscriberId, identifier, isGiven: given.identifier !== undefined, name: given.name ?? null };
  });
}

/** Creates the topic when it does not exist. A name that is given replaces the stored one. */
async function findOrRenameTopic(ctx: Ctx, caller: Caller, key: string, name: string | undefined, now: Date) {
  const { environmentId } = caller;
  const { row, isNew } = await findOrCreateTopic(ctx.db, environmentId, { id: ctx.newId(), key, name }, now);
  if (isNew || name === undefined || name === row.name) return row;
  return (await renameTopic(ctx.db, environmentId, { key, name, now }))!;
}

/** What exists already: the subscribers, the subscriptions with these identifiers, and how many each subscriber has. */
type Existing = {
  subscribers: Map<string, RecipientRow>;
  subscriptions: SubscriptionRow[];
  counts: Map<string, number>;
};

async function loadExisting(ctx: Ctx, caller: Caller, topic: TopicRow, entries: Entry[]): Promise<Existing> {
  const { environmentId } = caller;
  const keys = [...new Set(entries.map((entry) => entry.subscriberId))];
  const subscribers = await lockSubscribers(ctx.db, environmentId, keys);
  const identifiers = [...new Set(entries.map((entry) => entry.identifier))];
  return {
    subscribers: new Map(subscribers.map((row) => [row.subscriber_id, row])),
    subscriptions: await findSubscriptionsByIdentifiers(ctx.db, environmentId, topic.id, identifiers),
    counts: await countSubscriptions(
      ctx.db,
      environmentId,
      topic.id,
      subscribers.map((row) => row.id),
    ),
  };
}

/** The subscriptions to insert, and for each entry its error, or null. */
function planEntries(ctx: Ctx, topic: TopicRow, entries: Entry[], { subscribers, subscriptions, counts }: Existing) {
  const holders = new Map(subscriptions.map((row) => [row.identifier, row.subscriber_id]));
  const planned: NewSubscription[] = [];
  const planEntry = (entry: Entry): SubscriptionError | null => {
    const { subscriberId, identifier, name } = entry;
    if (entry.isGiven && !isIdentifier(identifier)) {
      const message = `Subscription identifier must have 1 to ${subscriptionIdentifierLength} characters`;
      return entryError(entry, "INVALID_SUBSCRIPTION_IDENTIFIER", message);
    }
    const subscriber = subscribers.get(subscriberId);
    if (!subscriber) return subscriberNotFound(subscriberId);
    const holder = holders.get(identifier);
    if (holder) return holder === subscriber.id ? null : identifierTaken(entry);
    const count = counts.get(subscriber.id) ?? 0;
    if (count >= subscriptionsPerSubscriber) {
      const which = `${subscriptionsPerSubscriber} subscriptions in topic '${topic.key}'`;
      return entryError(entry, "SUBSCRIPTION_LIMIT_EXCEEDED", `Subscriber '${subscriberId}' already has ${which}`);
    }
    // Later entries of the request count this one as stored.
    counts.set(subscriber.id, count + 1);
    holders.set(identifier, subscriber.id);
    planned.push({ id: ctx.newId(), subscriber_id: subscriber.id, identifier, name });
    return null;
  };
  return { faults: entries.map(planEntry), planned };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this pattern refuses
const controlCharacter = /[\u0000-\u001f\u007f]/;

const isIdentifier = (text: string): boolean =>
  text !== "" && [...text].length <= subscriptionIdentifierLength && !controlCharacter.test(text);

const entryError = ({ subscriberId }: { subscriberId: string }, code: string, message: string): SubscriptionError => ({
  subscriberId,
  code,
  message,
});

const subscriberNotFound = (subscriberId: string): SubscriptionError =>
  entryError({ subscriberId }, "SUBSCRIBER_NOT_FOUND", `Subscriber with ID '${subscriberId}' could not be found`);

function identifierTaken(entry: Entry): SubscriptionError {
  const message = `Subscription identifier '${entry.identifier}' belongs to another subscriber of this topic`;
  return entryError(entry, "SUBSCRIPTION_IDENTIFIER_TAKEN", message);
}

const summary = (totalCount: number, errors: SubscriptionError[]) => ({
  meta: { totalCount, successful: totalCount - errors.length, failed: errors.length },
  errors: errors.length > 0 ? errors : undefined,
});

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"topicSubscriptions.delete">,
): Promise<Output<"topicSubscriptions.delete">> {
  const { environmentId } = caller;
  const items = mergeLists(body.subscriptions, body.subscriberIds);
  const topic = await requireTopic(ctx, caller, params.topicKey);
  const entries = items.map((item) => {
    const { subscriberId, identifier } = typeof item === "string" ? { subscriberId: item } : item;
    return { subscriberId: subscriberId?.trim(), identifier };
  });
  const keys = [...new Set(entries.flatMap((entry) => entry.subscriberId ?? []))];
  const subscribers = new Map(
    (await findSubscribersByKeys(ctx.db, environmentId, keys)).map((row) => [row.subscriber_id, row]),
  );
  const targets = entries.flatMap(({ subscriberId, identifier = null }): DeletionTarget[] => {
    if (subscriberId === undefined) return identifier === null ? [] : [{ subscriber_id: null, identifier }];
    const subscriber = subscribers.get(subscriberId);
    return subscriber ? [{ subscriber_id: subscriber.id, identifier }] : [];
  });
  const deleted = await deleteSubscriptions(ctx.db, environmentId, topic.id, targets);

  const errors = entries.flatMap(({ subscriberId, identifier }) => {
    const named = { subscriberId: subscriberId ?? "unknown" };
    if (subscriberId === undefined && identifier === undefined) {
      return entryError(named, "INVALID_REQUEST", "An entry needs subscriberId or identifier");
    }
    const subscriber = subscriberId === undefined ? undefined : subscribers.get(subscriberId);
    if (subscriberId !== undefined && !subscriber) return subscriberNotFound(subscriberId);
    const isMatch = (row: SubscriptionRow) =>
      (!subscriber || row.subscriber_id === subscriber.id) &&
      (identifier === undefined || row.identifier === identifier);
    if (deleted.some(isMatch)) return [];
    const which = identifier === undefined ? `of subscriber '${subscriberId}'` : `with identifier '${identifier}'`;
    return entryError(named, "SUBSCRIPTION_NOT_FOUND", `Subscription ${which} not found`);
  });
  const owners = await findSubscribersByIds(ctx.db, environmentId, [
    ...new Set(deleted.map((row) => row.subscriber_id)),
  ]);
  const byId = new Map(owners.map((row) => [row.id, row]));
  // A subscriber that was deleted meanwhile cannot be shown; its subscriptions are left out.
  const data = deleted.flatMap((row) => {
    const owner = byId.get(row.subscriber_id);
    return owner ? [toDeletedSubscription(row, topic, owner)] : [];
  });
  return { data, ...summary(entries.length, errors) };
}
