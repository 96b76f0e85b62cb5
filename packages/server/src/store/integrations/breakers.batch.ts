// Circuit breakers of integrations and what they did last, shared by all processes. An integration that was never
// called has no row.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { HealthRow } from "./integrations.ts";
/** Without a lock: the state may change at once, and a caller that acts on it has to check again. */
export async function findHealthOfBatch(db: Db, integrationIds: string[]): Promise<HealthRow[]> {
  if (integrationIds.length === 0) return [];
  return db.selectFrom("integration_health").where("integration_id", "in", integrationIds).selectAll().execute();
}

/** Locks the rows until the transaction ends; inserts missing ones first. */
export async function lockHealth(
  db: Db,
  integrations: { id: string; environment_id: string }[],
  now: Date,
): Promise<HealthRow[]> {
  if (integrations.length === 0) return [];
  await sql`
    insert into integration_health (integration_id, environment_id, state, failures, probes, updated_at)
    select r.id, r.environment_id, 'closed', 0, 0, ${now}
    from ${rowsOf("r", { id: "uuid", environment_id: "uuid" }, integrations)}
    where exists (select 1 from integrations i where i.id = r.id and i.deleted_at is null) order by r.id
    on conflict do nothing`.execute(db);
  const { rows } = await sql<HealthRow>`
    select * from integration_health where integration_id = any(${integrations.map((one) => one.id)})
    order by integration_id for update`.execute(db);
  return rows;
}

const changing = {
  integration_id: "uuid",
  state: "text",
  failures: "int",
  probes: "int",
  opened_at: "timestamptz",
  next_probe_at: "timestamptz",
  updated_at: "timestamptz",
  failing_since: "timestamptz",
  last_error: "text",
  last_error_class: "text",
  last_error_at: "timestamptz",
  last_success_at: "timestamptz",
};

/** The transaction must have locked the rows. */
export async function updateHealth(db: Db, rows: HealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update integration_health h set state = r.state, failures = r.failures, probes = r.probes, opened_at = r.opened_at,
      next_probe_at = r.next_probe_at, updated_at = r.updated_at, failing_since = r.failing_since,
      last_error = r.last_error, last_error_class = r.last_error_class, last_error_at = r.last_error_at,
      last_success_at = r.last_success_at
    from ${rowsOf("r", changing, rows)} where h.integration_id = r.integration_id`.execute(db);
}

/**
 * Claims the probe of open circuits until `until`: one caller at a time gets it. Returns the integrations that were
 * claimed; rows locked by another transaction are skipped.
 */
export async function claimProbes(db: Db, integrationIds: string[], now: Date, until: Date): Promise<Set<string>> {
  if (integrationIds.length === 0) return new Set();
  const { rows } = await sql<{ integration_id: string }>`
    update integration_health set state = 'half_open', next_probe_at = ${until}, updated_at = ${now}
    where integration_id in (
      select integration_id from integration_health
      where integration_id = any(${integrationIds}) and state <> 'closed'
        and (next_probe_at is null or next_probe_at <= ${now})
      for update skip locked)
    returning integration_id`.execute(db);
  return new Set(rows.map((row) => row.integration_id));
}

/** The next message through these integrations, if they are paused, is a probe at once. */
export async function hurryProbes(db: Db, integrationIds: string[], now: Date): Promise<void> {
  if (integrationIds.length === 0) return;
  await sql`
    update integration_health set next_probe_at = ${now}, updated_at = ${now}
    where integration_id in (
      select integration_id from integration_health
      where integration_id = any(${integrationIds}::uuid[]) and state = 'open' order by integration_id for update)`.execute(
    db,
  );
}
