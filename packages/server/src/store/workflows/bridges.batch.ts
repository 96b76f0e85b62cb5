// The bridges that runs of several environments ask, with their keys. Their circuit breakers are changed in
// call-breakers.batch.ts.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

type BridgeRow = Selectable<Tables["bridges"]>;

/** A run that asks; `event_url`: the bridge that its event names. */
export type AskingRun = { environment_id: string; id: string; workflow_id: string; event_url: string | null };

/** `url` is null when the workflow no longer has a bridge, `secret` when the environment has no key. */
export type AskedBridge = { id: string; url: string | null; secret: string | null } & Partial<
  Pick<BridgeRow, "state" | "failures" | "probes" | "opened_at" | "next_probe_at">
>;

/** The bridge of each run, by the id of its notification. */
export async function findBridgesOfRuns(db: Db, runs: AskingRun[]): Promise<AskedBridge[]> {
  if (runs.length === 0) return [];
  const columns = { environment_id: "uuid", id: "uuid", workflow_id: "uuid", event_url: "text" };
  const { rows } = await sql<AskedBridge>`
    select r.id, u.url, b.state, b.failures, b.probes, b.opened_at, b.next_probe_at, (
      select k.secret from api_keys k where k.environment_id = r.environment_id and k.revoked_at is null
      order by coalesce(k.expires_at <= now(), false), k.id is distinct from b.api_key_id, k.scope <> 'full',
        k.created_at, k.id limit 1) as secret
    from ${rowsOf("r", columns, runs)}
    join workflows w on w.environment_id = r.environment_id and w.id = r.workflow_id
    cross join lateral (select coalesce(r.event_url, w.bridge_url) as url) u
    left join bridges b on b.environment_id = r.environment_id and b.url = u.url`.execute(db);
  return rows;
}
