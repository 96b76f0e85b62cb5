// Audiences: recipients that an event does not name one by one. They are walked in order of the subscriber's internal id,
// a page at a time, so memory stays the same however many there are, and nobody can come up twice: each page begins
// behind the last one, and an audience answers every subscriber at most once.
import type { Ctx } from "../../context.ts";
import { mapWithPauses } from "../../lib/pauses.ts";
import type { Db } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import {
  findLastSubscriberId,
  findSubscriberQuantiles,
  findSubscribersAfter,
  type SubscriberRow,
} from "../../store/subscribers/subscribers.ts";
import type { Audience, PassedSubscription } from "../../store/tables.ts";
import { findTopicAudience, findTopicQuantiles } from "../../store/topics/topic-audience.ts";
import { findTopicsByKeys } from "../../store/topics/topics.ts";
import { judgeMember, leftOutBy } from "../rules/reach.ts";
import { loadVersions } from "../run/versions.ts";
import { membersPerPage, type PageTask } from "../tasks.ts";

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
async function ofTopics(ctx: Ctx, event: EventRow, audience: Topics, range: Range): Promise<Walked> {
  const { after, until, limit } = range;
  const { environment_id: environmentId, context_keys: contextKeys } = event;
  const found = await findTopicAudience(ctx.db, environmentId, audience.topicKeys, contextKeys, after, limit);
  const version = (await loadVersions(ctx, [event.workflow_version_id])).get(event.workflow_version_id)!;
  const left = leftOutBy(event, audience);
  const inside = found.members.filter(({ subscriber }) => subscriber.id <= until);
  const judged = await mapWithPauses(inside, (member): Member[] => {
    const verdict = judgeMember(member, left, audience, version, event.payload);
    return verdict.kind === "topic" ? [{ subscriber: member.subscriber, subscriptions: verdict.subscriptions }] : [];
  });
  return { members: judged.flat(), reached: found.next !== null && found.next < until ? found.next : null };
}

async function warnOfUnknownTopics(ctx: Ctx, event: EventRow, topicKeys: string[]): Promise<void> {
  const known = new Set((await findTopicsByKeys(ctx.db, event.environment_id, topicKeys)).map((topic) => topic.key));
  const unknown = topicKeys.filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  ctx.log.warn({ transactionId: event.transaction_id, topicKeys: unknown }, "event for topics that do not exist");
}

export const firstPage = (event: EventRow): PageTask => ({ eventId: event.id, after: null, until: null });

/** How many walks share an audience of more than one page: while one of them computes, another one writes. */
const walks = 4;

/** Where each of the walks goes on: one task in general, several behind the first page, none behind the last. */
export async function readPage(
  ctx: Ctx,
  event: EventRow,
  page: PageTask,
): Promise<{ members: Member[]; next: PageTask[] }> {
  const { audience } = event;
  if (audience?.kind === "topics" && page.after === null) await warnOfUnknownTopics(ctx, event, audience.topicKeys);
  const until = page.until ?? (await findLastSubscriberId(ctx.db, event.environment_id));
  if (!audience || until === null) return { members: [], next: [] };
  const range = { after: page.after, until, limit: membersPerPage };
  const { members, reached } =
    audience.kind === "topics" ? await ofTopics(ctx, event, audience, range) : await everyone(ctx.db, event, range);
  if (reached === null) return { members, next: [] };
  const rest = { ...page, after: reached, until };
  return { members, next: page.until === null ? await share(ctx.db, event, audience, rest) : [rest] };
}

/** Cuts the rest of an audience into ranges of about the same number of people, each of which is walked on its own. */
async function share(tx: Db, event: EventRow, audience: Audience, rest: PageTask): Promise<PageTask[]> {
  const { environment_id: environmentId, context_keys: contextKeys } = event;
  const cuts = Array.from({ length: walks - 1 }, (_, index) => (index + 1) / walks);
  const points =
    audience.kind === "topics"
      ? await findTopicQuantiles(tx, environmentId, audience.topicKeys, contextKeys, rest.after!, cuts)
      : await findSubscriberQuantiles(tx, environmentId, rest.after!, cuts);
  // Few people have the same point more than once; nobody is in an empty range.
  const inside = [...new Set(points)].filter((point) => point < rest.until!);
  return [...inside, rest.until!].map((until, index) => ({
    ...rest,
    after: index === 0 ? rest.after : inside[index - 1]!,
    until,
  }));
}
