// Text search of the events list: a part of a subscriber's id or email address, or of a transaction id. Every part of the
// search reads a bounded number of rows, however many an environment has.
import { sql } from "kysely";
import type { Db } from "../db.ts";

/** People that a search may find, and the newest notifications of each that it looks at. */
export const maxPeople = 200;
const notificationsPerPerson = 500;
/** The newest notifications whose transaction ids are searched for a part; a whole id is found by its index. */
export const recentNotifications = 20_000;
/** Subscribers that are read one by one where no index helps: for texts of one or two characters, and without pg_trgm. */
const scannedSubscribers = 20_000;

type Window = { after: Date; before: Date };

/** `people` says how many subscribers match, counted up to one more than the search takes; then `ids` is empty. */
export type Searched = { ids: string[]; people: number };

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

export async function searchNotifications(
  db: Db,
  environmentId: string,
  text: string,
  { after, before }: Window,
): Promise<Searched> {
  const people = await findPeople(db, environmentId, text);
  if (people.length > maxPeople) return { ids: [], people: people.length };
  const { rows } = await sql<{ id: string }>`
    with recent as (
      select id, event_id from notifications where environment_id = ${environmentId}
        and created_at > ${after} and created_at < ${before} order by id desc limit ${recentNotifications})
    select n.id from unnest(${people}::uuid[]) as p(id) cross join lateral (
      select f.id from notifications f where f.subscriber_id = p.id and f.environment_id = ${environmentId}
        and f.created_at > ${after} and f.created_at < ${before}
      order by f.id desc limit ${notificationsPerPerson}) as n
    union
    select n.id from notifications n where n.environment_id = ${environmentId} and n.event_id in (
      select id from events where environment_id = ${environmentId} and transaction_id = ${text})
    union
    select r.id from recent r join events e on e.id = r.event_id where position(${text} in e.transaction_id) > 0`.execute(
    db,
  );
  return { ids: rows.map((row) => row.id), people: people.length };
}

async function findPeople(db: Db, environmentId: string, text: string): Promise<string[]> {
  const pattern = `%${escapeLike(text)}%`;
  const isIndexed = text.length >= 3 && (await hasSearchIndex(db));
  const source = isIndexed
    ? sql`subscribers`
    : sql`(select * from subscribers where environment_id = ${environmentId} order by id desc limit ${scannedSubscribers})`;
  const { rows } = await sql<{ id: string }>`
    select s.id from ${source} s where s.environment_id = ${environmentId}
      and (s.subscriber_id like ${pattern} or s.email like ${pattern})
    limit ${maxPeople + 1}`.execute(db);
  return rows.map((row) => row.id);
}

/** A server on which the extension cannot be created has no such index. */
async function hasSearchIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('subscribers_search') is not null as exists`.execute(db);
  return rows[0]!.exists;
}
