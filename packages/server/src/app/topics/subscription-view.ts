// A topic subscription as the API shows it.
import type { DeletedSubscription, SubscriberRef, Subscription } from "@tidings/contract";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { SubscriptionRow } from "../../store/topics/topic-subscriptions.ts";
import type { TopicRow } from "../../store/topics/topics.ts";
import type { ShowRules } from "./subscription-rules.ts";

export const toSubscriberRef = (row: RecipientRow): SubscriberRef => ({
  _id: row.id,
  subscriberId: row.subscriber_id,
  avatar: row.avatar ?? undefined,
  firstName: row.first_name ?? undefined,
  lastName: row.last_name ?? undefined,
  email: row.email ?? undefined,
});

/** The members that a subscription has even in the response to its deletion. */
export const toDeletedSubscription = (
  row: SubscriptionRow,
  topic: TopicRow,
  subscriber: RecipientRow,
): DeletedSubscription => ({
  _id: row.id,
  identifier: row.identifier,
  topic: { _id: topic.id, key: topic.key, name: topic.name ?? undefined },
  subscriber: toSubscriberRef(subscriber),
  contextKeys: row.context_keys,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const toSubscription = (
  row: SubscriptionRow,
  topic: TopicRow,
  subscriber: RecipientRow,
  showRules: ShowRules,
): Subscription => ({
  ...toDeletedSubscription(row, topic, subscriber),
  name: row.name ?? undefined,
  preferences: showRules(row),
});
