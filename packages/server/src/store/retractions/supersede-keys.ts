// Supersede keys: which run of a subscriber is the newest with its key, and which ones it replaces.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";

export type KeyedRun = { subscriber_id: string; supersede_key: string; event_id: string; notification_id: string };

/** Runs that one row remembers: the newest of those whose messages may still be shown. */
const maxEarlier = 20;

/**
 * Makes each of these runs the newest of its key, unless the run of a later event is. The row of the key is locked:
 * if events come at the same time, the one that was accepted last wins. Returns the rows that changed; a run without
 * a row is superseded already. Every key at most once.
 */
export async function claimSupersedeKeys(
  db: Db,
  environmentId: string,
  runs: KeyedRun[],
): Promise<(KeyedRun & { earlier: string[] })[]> {
  const columns = { subscriber_id: "uuid", supersede_key: "text", event_id: "uuid", notification_id: "uuid" };
  const { rows } = await sql<KeyedRun & { earlier: string[] }>`
    insert into supersede_keys as k (environment_id, subscriber_id, supersede_key, event_id, notification_id)
    select ${environmentId}::uuid, subscriber_id, supersede_key, event_id, notification_id
    from ${rowsOf("r", columns, runs)} order by subscriber_id, supersede_key
    on conflict (environment_id, subscriber_id, supersede_key) do update set event_id = excluded.event_id,
      notification_id = excluded.notification_id,
      earlier = (k.notification_id || k.earlier)[1:${sql.lit(maxEarlier)}]
    where k.event_id < excluded.event_id
    returning subscriber_id, supersede_key, event_id, notification_id, earlier`.execute(db);
  return rows;
}

/** The earlier runs that these replace. A run that is no longer the newest of its key replaces none. */
export async function findEarlierRuns(
  db: Db,
  environmentId: string,
  runs: KeyedRun[],
): Promise<Pick<KeyedRun & { earlier: string[] }, "notification_id" | "subscriber_id" | "earlier">[]> {
  const columns = { subscriber_id: "uuid", supersede_key: "text", notification_id: "uuid" };
  const { rows } = await sql<KeyedRun & { earlier: string[] }>`
    select k.notification_id, k.subscriber_id, k.earlier
    from ${rowsOf("r", columns, runs)} join supersede_keys k on k.environment_id = ${environmentId}
      and k.subscriber_id = r.subscriber_id and k.supersede_key = r.supersede_key
      and k.notification_id = r.notification_id`.execute(db);
  return rows;
}

export async function findRunsByIds(db: Db, environmentId: string, ids: string[]): Promise<SupersededRun[]> {
  if (ids.length === 0) return [];
  const keys = ids.map((id) => ({ environment_id: environmentId, id }));
  const { rows } = await sql<SupersededRun>`
    select n.id, n.event_id, n.subscriber_id, n.workflow_version_id
    from ${rowsByKey("notifications", "n", "id", keys)} order by n.id`.execute(db);
  return rows;
}

export type SupersededRun = {
  id: string;
  event_id: string;
  subscriber_id: string;
  workflow_version_id: string;
};

/** The newest run of the subscriber with this key. */
export async function findSupersedingRun(
  db: Db,
  environmentId: string,
  { subscriberId, supersedeKey }: { subscriberId: string; supersedeKey: string },
): Promise<(SupersededRun & { transaction_id: string }) | undefined> {
  const { rows } = await sql<SupersededRun & { transaction_id: string }>`
    select n.id, n.event_id, n.subscriber_id, n.workflow_version_id, e.transaction_id
    from supersede_keys k
    join notifications n on n.environment_id = k.environment_id and n.id = k.notification_id
    join events e on e.environment_id = n.environment_id and e.id = n.event_id
    where k.environment_id = ${environmentId} and k.subscriber_id = ${subscriberId}
      and k.supersede_key = ${supersedeKey}`.execute(db);
  return rows[0];
}
