// Text search of the events list: a part of a subscriber's id or email address, or of a transaction id, in upper or
// lower case. Every part of the search reads a bounded number of rows, however many an environment has.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { eventIdsOfTransactions } from "./events.ts";
/** Subscribers that a search may match, and the newest notifications of each that it reads. */
export const maxSubscribers = 200;
const notificationsPerSubscriber = 500;
/** The newest notifications whose transaction ids are searched for a part; a whole id is found by its index. */
const recentNotifications = 20_000;
/** Subscribers that are scanned where no index helps: for texts of one or two characters, and without pg_trgm. */
const scannedSubscribers = 20_000;

type Window = { after: Date; before: Date };

/** `subscribers`: how many match, counted up to `maxSubscribers` + 1; `ids` is empty when that is exceeded. */
export type SearchResult = { ids: string[]; subscribers: number };

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

export async function searchNotifications(
  db: Db,
  environmentId: string,
  text: string,
  { after, before }: Window,
): Promise<SearchResult> {
  const subscriberIds = await findSubscriberIds(db, environmentId, text);
  if (subscriberIds.length > maxSubscribers) return { ids: [], subscribers: subscriberIds.length };
  const { rows } = await sql<{ id: string }>`
    with recent as (
      select id, event_id from notifications where environment_id = ${environmentId}
        and created_at > ${after} and created_at < ${before} order by id desc limit ${recentNotifications})
    select n.id from unnest(${subscriberIds}::uuid[]) as p(id) cross join lateral (
      select f.id from notifications f where f.subscriber_id = p.id and f.environment_id = ${environmentId}
        and f.created_at > ${after} and f.created_at < ${before}
      order by f.id desc limit ${notificationsPerSubscriber}) as n
    union
    select n.id from notifications n where n.environment_id = ${environmentId} and n.event_id in (
      ${eventIdsOfTransactions(environmentId, [text])})
    union
    select r.id from recent r join events e on e.environment_id = ${environmentId} and e.id = r.event_id
    where position(lower(${text}) in lower(e.transaction_id)) > 0`.execute(db);
  return { ids: rows.map((row) => row.id), subscribers: subscriberIds.length };
}

/** Internal ids; one more than `maxSubscribers` at the most. */
export async function findSubscriberIds(db: Db, environmentId: string, text: string): Promise<string[]> {
  const pattern = `%${escapeLike(text)}%`;
  const isIndexed = text.length >= 3 && (await hasSearchIndex(db));
  const source = isIndexed
    ? sql`subscribers`
    : sql`(select * from subscribers where environment_id = ${environmentId} order by id desc limit ${scannedSubscribers})`;
  const { rows } = await sql<{ id: string }>`
    select s.id from ${source} s where s.environment_id = ${environmentId}
      and (s.subscriber_id ilike ${pattern} or s.email ilike ${pattern})
    limit ${maxSubscribers + 1}`.execute(db);
  return rows.map((row) => row.id);
}

/** The index is missing on a server that does not allow creating the extension pg_trgm. */
async function hasSearchIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('subscribers_search') is not null as exists`.execute(db);
  return rows[0]!.exists;
}
