// The health of integrations, shared by all processes: rows exist for those that had trouble since their last success.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type HealthRow = Selectable<Tables["integration_health"]>;

/** Without a lock: what is read may be overtaken, and whoever acts on it asks again. */
export async function findHealth(db: Db, integrationIds: string[]): Promise<HealthRow[]> {
  if (integrationIds.length === 0) return [];
  return db.selectFrom("integration_health").where("integration_id", "in", integrationIds).selectAll().execute();
}

export const listHealth = (db: Db, environmentId: string): Promise<HealthRow[]> =>
  db.selectFrom("integration_health").where("environment_id", "=", environmentId).selectAll().execute();

/** Open circuits by provider, for the metrics. */
export async function countOpenCircuits(db: Db): Promise<{ provider_id: string; count: number }[]> {
  const { rows } = await sql<{ provider_id: string; count: number }>`
    select i.provider_id, count(*) as count from integration_health h join integrations i on i.id = h.integration_id
    where h.state <> 'closed' and i.active and i.deleted_at is null group by i.provider_id`.execute(db);
  return rows;
}

/** Keeps others from changing these until the transaction ends; integrations without a row have to be made one first. */
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
};

/** Of rows that the transaction has locked. */
export async function updateHealth(db: Db, rows: HealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update integration_health h set state = r.state, failures = r.failures, probes = r.probes, opened_at = r.opened_at,
      next_probe_at = r.next_probe_at, updated_at = r.updated_at
    from ${rowsOf("r", changing, rows)} where h.integration_id = r.integration_id`.execute(db);
}

/**
 * Who asks first may send the probe, until `until`. Answers the integrations that were granted; one whose row somebody
 * holds is about to change and is not waited for.
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

/** The integration was changed: what happened before says nothing about it any more. */
export async function forgetHealth(db: Db, environmentId: string, integrationId: string): Promise<void> {
  await db
    .deleteFrom("integration_health")
    .where("environment_id", "=", environmentId)
    .where("integration_id", "=", integrationId)
    .execute();
}
