// Audiences: recipients that an event does not name one by one. They are walked in order of the subscriber's internal id,
// a page at a time, so memory stays the same however many there are, and nobody can come up twice: each page begins
// behind the last one, and an audience answers every subscriber at most once.
import type { Ctx } from "../context.ts";
import type { Db } from "../store/db.ts";
import type { EventRow } from "../store/events.ts";
import { findLastSubscriberId, findSubscribersAfter, type SubscriberRow } from "../store/subscribers.ts";
import type { Audience, PassedSubscription } from "../store/tables.ts";
import { findTopicAudience } from "../store/topic-audience.ts";
import { findTopicsByKeys } from "../store/topics.ts";
import { passingSubscriptions } from "./rules/topic-members.ts";
import { type PageTask, recipientsPerBatch } from "./tasks.ts";
import { loadVersions } from "./versions.ts";

/** Who an audience adds, and the topic subscriptions that led there; null for an audience without topics. */
export type Member = { subscriber: SubscriberRow; subscriptions: PassedSubscription[] | null };

type Range = { after: string | null; until: string; limit: number };

/** `reached` is the id behind which the next page begins; null at the end of the audience. */
type Walked = { members: Member[]; reached: string | null };

const everyone = async (tx: Db, event: EventRow, range: Range): Promise<Walked> => {
  const rows = await findSubscribersAfter(tx, event.environment_id, range);
  const members = rows.map((subscriber) => ({ subscriber, subscriptions: null }));
  return { members, reached: rows.length < range.limit ? null : rows.at(-1)!.id };
};

type Topics = Extract<Audience, { kind: "topics" }>;

/** All topics of the event in one walk: whoever is in several of them comes up once, with every subscription. */
async function ofTopics(ctx: Ctx, tx: Db, event: EventRow, audience: Topics, range: Range): Promise<Walked> {
  const { after, until, limit } = range;
  const { environment_id: environmentId, context_keys: contextKeys } = event;
  const found = await findTopicAudience(tx, environmentId, audience.topicKeys, contextKeys, after, limit);
  const version = (await loadVersions(ctx, tx, [event.workflow_version_id])).get(event.workflow_version_id)!;
  const left = new Set([...audience.exclude, ...event.recipients.map((recipient) => recipient.subscriberId)]);
  if (event.actor) left.add(event.actor.subscriberId);
  const members = found.members.flatMap(({ subscriber, subscriptions }): Member[] => {
    if (subscriber.id > until || left.has(subscriber.subscriber_id)) return [];
    const passed = passingSubscriptions(subscriptions, audience.topicKeys, version, event.payload, subscriber);
    return passed.length > 0 ? [{ subscriber, subscriptions: passed }] : [];
  });
  return { members, reached: found.next !== null && found.next < until ? found.next : null };
}

async function warnOfUnknownTopics(ctx: Ctx, tx: Db, event: EventRow, topicKeys: string[]): Promise<void> {
  const known = new Set((await findTopicsByKeys(tx, event.environment_id, topicKeys)).map((topic) => topic.key));
  const unknown = topicKeys.filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  ctx.log.warn({ transactionId: event.transaction_id, topicKeys: unknown }, "event for topics that do not exist");
}

export const firstPage = (event: EventRow): PageTask => ({ eventId: event.id, after: null, until: null });

/** `next` is null when this is the last page. */
export async function readPage(
  ctx: Ctx,
  tx: Db,
  event: EventRow,
  page: PageTask,
): Promise<{ members: Member[]; next: PageTask | null }> {
  const { audience } = event;
  if (audience?.kind === "topics" && page.after === null) await warnOfUnknownTopics(ctx, tx, event, audience.topicKeys);
  const until = page.until ?? (await findLastSubscriberId(tx, event.environment_id));
  if (!audience || until === null) return { members: [], next: null };
  const range = { after: page.after, until, limit: recipientsPerBatch };
  const { members, reached } =
    audience.kind === "topics" ? await ofTopics(ctx, tx, event, audience, range) : await everyone(tx, event, range);
  return { members, next: reached === null ? null : { ...page, after: reached, until } };
}
