// Audiences: recipients that an event does not name one by one. An audience is read in pages, in order of the
// subscriber's internal id, so memory use does not grow with its size. Each page begins after the last id of the page
// before, and an audience returns every subscriber at most once, so no subscriber is notified twice.
import type { Ctx } from "../../context.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import type { Db } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import {
  findLastSubscriberId,
  findSubscriberQuantiles,
  findSubscribersAfter,
  type RecipientRow,
} from "../../store/subscribers/subscribers.ts";
import type { Audience, PassedSubscription } from "../../store/tables.ts";
import { findTopicAudience, findTopicQuantiles } from "../../store/topics/topic-audience.ts";
import { findTopicsByKeys } from "../../store/topics/topics.ts";
import { excludedFromTopics, matchTopicMember } from "../rules/recipient-reasons.ts";
import { loadVersions } from "../run/versions.ts";
import { type FreezeTask, membersPerPage, type PageTask } from "../tasks.ts";

/**
 * A subscriber of an audience, and the topic subscriptions that let the event through; null for an audience without
 * topics.
 */
export type Member = { subscriber: RecipientRow; subscriptions: PassedSubscription[] | null };

type Range = { after: string | null; until: string; limit: number };

/** `lastId`: the next page begins after it; null at the end of the audience. */
type MemberPage = { members: Member[]; lastId: string | null };

async function readSubscribers(tx: Db, event: EventRow, range: Range): Promise<MemberPage> {
  const rows = await findSubscribersAfter(tx, event.environment_id, range);
  const members = rows.map((subscriber) => ({ subscriber, subscriptions: null }));
  return { members, lastId: rows.length < range.limit ? null : (rows.at(-1)?.id ?? null) };
}

type WalkedAudience = Exclude<Audience, { kind: "audiences" }>;
type Topics = Extract<Audience, { kind: "topics" }>;

/** All topics of the event are read together: a member of several topics is returned once, with every subscription. */
async function readTopicMembers(ctx: Ctx, event: EventRow, audience: Topics, range: Range): Promise<MemberPage> {
  const { after, until, limit } = range;
  const { environment_id: environmentId, context_keys: contextKeys, payload } = event;
  const found = await findTopicAudience(ctx.db, environmentId, {
    topicKeys: audience.topicKeys,
    contextKeys,
    afterRecipientRowId: after,
    limit,
  });
  const version = (await loadVersions(ctx, [event.workflow_version_id])).get(event.workflow_version_id)!;
  const excluded = excludedFromTopics(event, audience);
  const inRange = found.members.filter(({ subscriber }) => subscriber.id <= until);
  const matched = await mapWithPauses(inRange, (member): Member[] => {
    const match = matchTopicMember(member, { audience, excluded, version, payload });
    return match.kind === "topic" ? [{ subscriber: member.subscriber, subscriptions: match.subscriptions }] : [];
  });
  return { members: matched.flat(), lastId: found.next !== null && found.next < until ? found.next : null };
}

async function warnOfUnknownTopics(ctx: Ctx, event: EventRow, topicKeys: string[]): Promise<void> {
  const known = new Set((await findTopicsByKeys(ctx.db, event.environment_id, topicKeys)).map((topic) => topic.key));
  const unknown = topicKeys.filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  ctx.log.warn({ transactionId: event.transaction_id, topicKeys: unknown }, "event for topics that do not exist");
}

export const wholeAudience = (event: EventRow): PageTask => ({ eventId: event.id, after: null, until: null });

/** The task that begins to read the audience of an event. */
export const firstPage = (event: EventRow): PageTask | FreezeTask =>
  event.audience?.kind === "audiences" ? { eventId: event.id, isFreeze: true } : wholeAudience(event);

/**
 * An audience of more than one page is read by this many tasks at the same time: while one computes, another writes.
 */
const parallelWalks = 4;

/**
 * The members of one page and the tasks that follow it: several after the first page, then one each, none after the
 * last.
 */
export async function readPage(
  ctx: Ctx,
  event: EventRow,
  page: PageTask,
): Promise<{ members: Member[]; next: PageTask[] }> {
  const { audience } = event;
  if (audience?.kind === "topics" && page.after === null) await warnOfUnknownTopics(ctx, event, audience.topicKeys);
  const until = page.until ?? (await findLastSubscriberId(ctx.db, event.environment_id));
  // The people of audiences are fixed in their own pages (pipeline/broadcasts/).
  if (!audience || audience.kind === "audiences" || until === null) return { members: [], next: [] };
  const range = { after: page.after, until, limit: membersPerPage };
  const { members, lastId } =
    audience.kind === "topics"
      ? await readTopicMembers(ctx, event, audience, range)
      : await readSubscribers(ctx.db, event, range);
  if (lastId === null) return { members, next: [] };
  const rest = { ...page, after: lastId, until };
  return { members, next: page.until === null ? await splitRange(ctx.db, event, audience, rest) : [rest] };
}

/**
 * Cuts the rest of an audience into ranges with about the same number of subscribers, each of which is read on its own.
 */
async function splitRange(
  tx: Db,
  event: EventRow,
  audience: WalkedAudience,
  rest: PageTask & { after: string; until: string },
): Promise<PageTask[]> {
  const { environment_id: environmentId, context_keys: contextKeys } = event;
  const shares = Array.from({ length: parallelWalks - 1 }, (_, index) => (index + 1) / parallelWalks);
  const quantiles =
    audience.kind === "topics"
      ? await findTopicQuantiles(tx, environmentId, {
          topicKeys: audience.topicKeys,
          contextKeys,
          after: rest.after,
          fractions: shares,
        })
      : await findSubscriberQuantiles(tx, environmentId, rest.after, shares);
  // With few subscribers several quantiles are equal; the range between equal ones would be empty.
  const cuts = [...new Set(quantiles)].filter((id) => id < rest.until);
  return [...cuts, rest.until].map((until, index) => ({
    ...rest,
    after: index === 0 ? rest.after : cuts[index - 1]!,
    until,
  }));
}
