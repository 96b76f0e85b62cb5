// The people of an event to audiences, fixed when it starts: pages of up to 500 people, each with its time. Which of
// them have been started is part of the page, so that a walk that is interrupted skips and repeats no one.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import { findSubscribersByIds, type RecipientRow } from "../subscribers/subscribers.ts";
import type { Tables } from "../tables.ts";

export type EventPageRow = Selectable<Tables["event_pages"]>;

/** A time zone as subscribers have it, and when its people are due. */
type ZoneTime = { timezone: string; due_at: Date };

export type Freeze = {
  eventId: string;
  /** Over `subscribers s`. */
  isMember: RawBuilder<boolean>;
  /** Subscriber ids that are left out. */
  excluded: string[];
  pageSize: number;
  /** When people without one of the `zones` are due. */
  dueAt: Date;
  zones: ZoneTime[];
};

/**
 * A broadcast that is paused and resumed while its people are fixed has two tasks that fix them. The second waits for
 * the first until the transaction ends, for as long as a statement may take.
 */
export async function takeTurnToFreeze(db: Db, environmentId: string, eventId: string): Promise<void> {
  const { rows } = await sql<{ before: string }>`select current_setting('lock_timeout') as before`.execute(db);
  await sql`select set_config('lock_timeout', '0', true)`.execute(db);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`freeze ${environmentId} ${eventId}`}, 0))`.execute(db);
  await sql`select set_config('lock_timeout', ${rows[0]!.before}, true)`.execute(db);
}

const membersOf = (environmentId: string, { isMember, excluded }: Members) => sql`
  from subscribers s where s.environment_id = ${environmentId} and s.subscriber_id <> all(${excluded}::text[])
    and (${isMember})`;

/** One statement: everyone in the audience at its moment. Pages are numbered in the order of their time, from 0. */
export async function freezePeople(db: Db, environmentId: string, freeze: Freeze): Promise<number> {
  const { eventId, pageSize, dueAt, zones } = freeze;
  const zoned = zones.map(({ timezone, due_at }) => ({ timezone, due_at: due_at.toISOString() }));
  const { rows } = await sql<{ people: number }>`
    with zones as (select * from ${rowsOf("z", { timezone: "text", due_at: "timestamptz" }, zoned)}),
    people as (
      select m.id, coalesce(z.due_at, ${dueAt}::timestamptz) as due_at
      from (select s.id, s.timezone ${membersOf(environmentId, freeze)}) as m
      left join zones z on z.timezone = m.timezone
    ),
    numbered as (
      select id, due_at, (row_number() over (partition by due_at order by id) - 1) / ${pageSize}::int as chunk from people
    ),
    pages as (
      select due_at, chunk, array_agg(id order by id) as ids from numbered group by due_at, chunk
    ),
    stored as (
      insert into event_pages (environment_id, event_id, page, subscriber_ids, people, due_at)
      select ${environmentId}::uuid, ${eventId}::uuid, row_number() over (order by due_at, chunk) - 1, ids,
        cardinality(ids), due_at
      from pages returning people
    )
    select coalesce(sum(people), 0)::int as people from stored`.execute(db);
  return rows[0]!.people;
}

type Members = Pick<Freeze, "isMember" | "excluded">;

/** The first members, by id. */
export async function findMembers(
  db: Db,
  environmentId: string,
  members: Members,
  limit: number,
): Promise<RecipientRow[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id ${membersOf(environmentId, members)} order by s.id limit ${limit}`.execute(db);
  const found = await findSubscribersByIds(
    db,
    environmentId,
    rows.map(({ id }) => id),
  );
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Counted up to the cap of lists. */
export const countMembersToCap = (db: Db, environmentId: string, members: Members): Promise<number> =>
  cappedCount(db, membersOf(environmentId, members));

export async function countMembers(db: Db, environmentId: string, members: Members): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count ${membersOf(environmentId, members)}`.execute(db);
  return rows[0]!.count;
}

/** The time zones of members; there are a few hundred, and subscribers may have names that are not zones. */
export async function listZones(db: Db, environmentId: string, members: Members): Promise<string[]> {
  const { rows } = await sql<{ timezone: string }>`
    select distinct z.timezone from (select s.timezone ${membersOf(environmentId, members)}) as z
    where z.timezone is not null limit 5000`.execute(db);
  return rows.map(({ timezone }) => timezone);
}

export async function deletePages(db: Db, environmentId: string, eventId: string): Promise<void> {
  await sql`delete from event_pages where environment_id = ${environmentId} and event_id = ${eventId}`.execute(db);
}

export type PageTime = Pick<EventPageRow, "page" | "people" | "due_at">;

/** Pages that wait, in order. */
export async function listWaitingPages(db: Db, environmentId: string, eventId: string): Promise<PageTime[]> {
  const { rows } = await sql<PageTime>`
    select page, people, due_at from event_pages
    where environment_id = ${environmentId} and event_id = ${eventId} and state = 'waiting' order by page`.execute(db);
  return rows;
}

export async function setPageTimes(
  db: Db,
  environmentId: string,
  eventId: string,
  times: { page: number; due_at: Date }[],
): Promise<void> {
  if (times.length === 0) return;
  await sql`
    update event_pages p set due_at = t.due_at from ${rowsOf("t", { page: "integer", due_at: "timestamptz" }, times)}
    where p.environment_id = ${environmentId} and p.event_id = ${eventId} and p.page = t.page`.execute(db);
}

/** Locked until the transaction ends. */
export async function lockPage(
  db: Db,
  environmentId: string,
  eventId: string,
  page: number,
): Promise<EventPageRow | undefined> {
  const { rows } = await sql<EventPageRow>`
    select * from event_pages
    where environment_id = ${environmentId} and event_id = ${eventId} and page = ${page} for update`.execute(db);
  return rows[0];
}

export async function endPage(
  db: Db,
  environmentId: string,
  eventId: string,
  { page, state, gone, now }: { page: number; state: "done" | "expired" | "failed"; gone: number; now: Date },
): Promise<void> {
  await sql`
    update event_pages set state = ${state}, gone = ${gone}, done_at = ${now}
    where environment_id = ${environmentId} and event_id = ${eventId} and page = ${page}`.execute(db);
}

/** A page that failed waits again. */
export async function reopenPage(db: Db, environmentId: string, eventId: string, page: number): Promise<void> {
  await sql`
    update event_pages set state = 'waiting', done_at = null
    where environment_id = ${environmentId} and event_id = ${eventId} and page = ${page} and state = 'failed'`.execute(
    db,
  );
}

/** The next page of one of several walks, which take every `lanes`th page. A page that was started waits no longer. */
export async function findNextPage(
  db: Db,
  environmentId: string,
  eventId: string,
  { lane, lanes, but = [] }: { lane: number; lanes: number; but?: number[] },
): Promise<PageTime | undefined> {
  const { rows } = await sql<PageTime>`
    select page, people, due_at from event_pages
    where environment_id = ${environmentId} and event_id = ${eventId} and state = 'waiting'
      and page % ${lanes} = ${lane} and page <> all(${but}::int[])
    order by due_at, page limit 1`.execute(db);
  return rows[0];
}

/** Moves the second half of a page to a new page at the end, and returns its number; null for a page of one person. */
export async function splitPage(db: Db, environmentId: string, eventId: string, page: number): Promise<number | null> {
  const { rows } = await sql<{ page: number }>`
    with half as (
      update event_pages set subscriber_ids = subscriber_ids[:people / 2], people = people / 2
      where environment_id = ${environmentId} and event_id = ${eventId} and page = ${page} and people > 1
      returning page
    )
    insert into event_pages (environment_id, event_id, page, subscriber_ids, people, due_at)
    select p.environment_id, p.event_id,
      1 + (select max(l.page) from event_pages l where l.environment_id = ${environmentId} and l.event_id = ${eventId}),
      p.subscriber_ids[p.people / 2 + 1:], p.people - p.people / 2, p.due_at
    from event_pages p join half h on h.page = p.page
    where p.environment_id = ${environmentId} and p.event_id = ${eventId}
    returning page`.execute(db);
  return rows[0]?.page ?? null;
}

export type PageProgress = {
  event_id: string;
  started: number;
  gone: number;
  expired: number;
  failed: number;
  last_minute: number;
  next_at: Date | null;
  last_at: Date | null;
};

/** How far events are, by their pages. */
export async function findPageProgress(
  db: Db,
  environmentId: string,
  eventIds: string[],
  now: Date,
): Promise<Map<string, PageProgress>> {
  if (eventIds.length === 0) return new Map();
  const { rows } = await sql<PageProgress>`
    select event_id,
      coalesce(sum(people - gone) filter (where state = 'done'), 0)::int as started,
      coalesce(sum(gone), 0)::int as gone,
      coalesce(sum(people) filter (where state = 'expired'), 0)::int as expired,
      coalesce(sum(people) filter (where state = 'failed'), 0)::int as failed,
      coalesce(sum(people - gone) filter (where state = 'done' and done_at > ${now}::timestamptz - interval '1 minute'), 0)::int
        as last_minute,
      min(due_at) filter (where state = 'waiting') as next_at,
      max(due_at) filter (where state = 'waiting') as last_at
    from event_pages where environment_id = ${environmentId} and event_id = any(${eventIds}::uuid[])
    group by event_id`.execute(db);
  return new Map(rows.map((row) => [row.event_id, row]));
}

/**
 * Marks the event as expanded when no page waits. Its row is locked first: a page in progress holds a share lock, and
 * is counted when it has ended. Returns whether this call was the one that marked it.
 */
export async function expandIfDone(db: Db, environmentId: string, eventId: string, now: Date): Promise<boolean> {
  await sql`select 1 from events where environment_id = ${environmentId} and id = ${eventId} for update`.execute(db);
  const { rows } = await sql`
    update events e set expanded_at = ${now}
    where e.environment_id = ${environmentId} and e.id = ${eventId} and e.expanded_at is null and e.canceled_at is null
      and not exists (select 1 from event_pages p where p.environment_id = e.environment_id and p.event_id = e.id
        and p.state = 'waiting')
    returning 1`.execute(db);
  return rows.length > 0;
}
