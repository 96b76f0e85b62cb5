// What was lost or doubled: every accepted event has its notification, and every notification its one message.

import type { Db } from "@tidings/server/source/store/db";
import { sql } from "kysely";

export type Losses = {
  events: number;
  notifications: number;
  /** Accepted events without a row. */
  lostEvents: number;
  /** Events without exactly one notification. */
  wrongNotifications: number;
  /** Notifications without exactly one message, or with one although another notification has taken over. */
  wrongMessages: number;
  /** Messages that no provider has accepted, and in-app messages that are in no feed. */
  unsent: number;
};

type Options = { numbers: number; unknown: number[] };

/** `numbers`: of events that were sent; those of `unknown` may or may not have been accepted. */
export async function findLosses(db: Db, { numbers, unknown }: Options): Promise<Losses> {
  const { rows: lost } = await sql<{ count: number }>`
    select count(*) as count from (
      select generate_series(0, ${numbers - 1}::bigint) as n except select (payload->>'n')::bigint from events) as lost
    where n <> all(${unknown}::bigint[])`.execute(db);
  const { rows } = await sql<Omit<Losses, "lostEvents">>`
    with notified as (
      select e.id, count(n.id) as notifications from events e left join notifications n on n.event_id = e.id
      group by e.id),
    messaged as (
      select n.id, n.digested_into is not null as is_merged, count(m.id) as messages,
        count(m.id) filter (where m.status <> 'sent') as unsent
      from notifications n left join messages m on m.notification_id = n.id group by n.environment_id, n.id)
    select (select count(*) from notified) as "events",
      (select count(*) from messaged) as "notifications",
      (select count(*) from notified where notifications <> 1) as "wrongNotifications",
      (select count(*) from messaged where messages <> case when is_merged then 0 else 1 end) as "wrongMessages",
      (select sum(unsent) from messaged)::float8 as "unsent"`.execute(db);
  return { lostEvents: lost[0]!.count, ...rows[0]! };
}

/** The in-app messages of these subscribers that have not arrived in their live inboxes. */
export async function countMissingLive(db: Db, subscriberIds: string[], arrived: Set<string>): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select m.id from messages m join subscribers s on s.id = m.subscriber_id
    where m.channel = 'in_app' and s.subscriber_id = any(${subscriberIds}::text[])`.execute(db);
  return rows.filter(({ id }) => !arrived.has(id)).length;
}
