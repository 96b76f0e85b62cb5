// When people last read or opened a message, for the rules of audiences. Only reads and reports of providers write it,
// never sending.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";

/** `subscriberId`: the internal one. */
export type Activity = { subscriberId: string; at: Date };

/** A stored time that is newer than this stays, so that a burst of reads writes one row once. */
const exactToMs = 60_000;

const columns = { read: sql.ref("last_read_at"), opened: sql.ref("last_opened_at") };

/** Stores the latest time of each person who exists; the stored one never moves back. */
export async function noteActivity(
  db: Db,
  environmentId: string,
  kind: keyof typeof columns,
  activities: Activity[],
): Promise<void> {
  if (activities.length === 0) return;
  const latest = new Map<string, Date>();
  for (const { subscriberId, at } of activities) {
    const known = latest.get(subscriberId);
    if (!known || known < at) latest.set(subscriberId, at);
  }
  const given = [...latest].map(([id, at]) => ({ id, at, known_until: new Date(at.getTime() - exactToMs) }));
  const column = columns[kind];
  // The lock leaves out people who are deleted at the same time. Its order prevents deadlocks between two requests.
  await sql`
    with people as (
      select s.id, r.at from ${rowsOf("r", { id: "uuid", at: "timestamptz", known_until: "timestamptz" }, given)}
      join subscribers s on s.environment_id = ${environmentId} and s.id = r.id
      where not exists (select 1 from subscriber_activity a where a.subscriber_id = r.id and a.${column} >= r.known_until)
      order by s.id for key share of s)
    insert into subscriber_activity as a (subscriber_id, environment_id, ${column})
    select id, ${environmentId}, at from people order by id
    on conflict (subscriber_id) do update set ${column} = excluded.${column}
      where a.${column} is null or a.${column} < excluded.${column}`.execute(db);
}
