// Tenants: the customers of the caller that events are about. Created and updated by the events that name them.
import { type Selectable, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
export type TenantRow = Selectable<Tables["tenants"]>;

/** Absent fields are not changed. */
export type TenantEntry = { identifier: string; name?: string; data?: JsonObject };

/** The given identifiers that exist. */
export async function findTenantIdentifiers(
  db: Db,
  environmentId: string,
  identifiers: string[],
): Promise<Set<string>> {
  if (identifiers.length === 0) return new Set();
  const { rows } = await sql<{ identifier: string }>`
    select identifier from tenants
    where environment_id = ${environmentId} and identifier = any(${identifiers})`.execute(db);
  return new Set(rows.map((row) => row.identifier));
}

export async function findTenants(db: Db, environmentId: string, identifiers: string[]): Promise<TenantRow[]> {
  if (identifiers.length === 0) return [];
  const { rows } = await sql<TenantRow>`
    select * from tenants where environment_id = ${environmentId} and identifier = any(${identifiers})`.execute(db);
  return rows;
}

/**
 * Creates or updates. No identifier may be given twice. Rows are locked in the order of their key, so that two requests
 * with the same tenants cannot deadlock.
 */
export async function upsertTenants(db: Db, environmentId: string, entries: TenantEntry[], now: Date): Promise<void> {
  if (entries.length === 0) return;
  const columns = { identifier: "text", name: "text", data: "jsonb" };
  await sql`
    with given as materialized (select * from ${rowsOf("r", columns, entries)})
    insert into tenants as t (environment_id, identifier, name, data, created_at, updated_at)
    select ${environmentId}, identifier, name, coalesce(data, '{}'), ${now}, ${now}
    from given order by identifier collate "C"
    on conflict (environment_id, identifier) do update set
      name = coalesce(excluded.name, t.name),
      data = coalesce((select g.data from given g where g.identifier = excluded.identifier), t.data),
      updated_at = excluded.updated_at`.execute(db);
}
