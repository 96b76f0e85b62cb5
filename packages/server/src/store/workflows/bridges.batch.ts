// The bridges that runs of several environments ask, with their keys and circuit breakers.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type BridgeRow = Selectable<Tables["bridges"]>;
export type BridgeKey = Pick<BridgeRow, "environment_id" | "url">;

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
      order by k.id is distinct from b.api_key_id, k.created_at, k.id limit 1) as secret
    from ${rowsOf("r", columns, runs)}
    join workflows w on w.environment_id = r.environment_id and w.id = r.workflow_id
    cross join lateral (select coalesce(r.event_url, w.bridge_url) as url) u
    left join bridges b on b.environment_id = r.environment_id and b.url = u.url`.execute(db);
  return rows;
}

/**
 * Claims the probe of open circuits until `until`: one caller at a time gets it. Returns the bridges that were claimed.
 */
export async function claimBridgeProbes(db: Db, keys: BridgeKey[], now: Date, until: Date): Promise<BridgeKey[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<BridgeKey>`
    update bridges b set state = 'half_open', next_probe_at = ${until}, updated_at = ${now}
    where (b.environment_id, b.url) in (
      select c.environment_id, c.url from bridges c
      join ${rowsOf("r", { environment_id: "uuid", url: "text" }, keys)} on c.environment_id = r.environment_id and c.url = r.url
      where c.state <> 'closed' and (c.next_probe_at is null or c.next_probe_at <= ${now})
      for update of c skip locked)
    returning b.environment_id, b.url`.execute(db);
  return rows;
}

/** Locked until the transaction ends. A bridge that only events name has no row, and no circuit breaker. */
export async function lockBridges(db: Db, keys: BridgeKey[]): Promise<BridgeRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<BridgeRow>`
    select b.* from bridges b
    join ${rowsOf("r", { environment_id: "uuid", url: "text" }, keys)} on b.environment_id = r.environment_id and b.url = r.url
    order by b.environment_id, b.url for update of b`.execute(db);
  return rows;
}

const changing = {
  environment_id: "uuid",
  url: "text",
  state: "text",
  failures: "int",
  probes: "int",
  opened_at: "timestamptz",
  next_probe_at: "timestamptz",
  updated_at: "timestamptz",
};

/** The transaction must have locked the rows. */
export async function updateBridges(db: Db, rows: BridgeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update bridges b set state = r.state, failures = r.failures, probes = r.probes, opened_at = r.opened_at,
      next_probe_at = r.next_probe_at, updated_at = r.updated_at
    from ${rowsOf("r", changing, rows)} where b.environment_id = r.environment_id and b.url = r.url`.execute(db);
}
