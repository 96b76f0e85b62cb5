// Suppressed addresses: no message is sent to them. They are stored normalized, so that a lookup is an exact
// comparison.
import type { SuppressedChannel, SuppressionReason } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type SuppressionRow = Selectable<Tables["suppressions"]>;

const shape = {
  id: "uuid",
  channel: "text",
  address: "text",
  reason: "text",
  message_id: "uuid",
};

export type NewSuppression = Omit<SuppressionRow, "environment_id" | "created_at">;

/** Existing suppressions are not changed. Returns the new ones. */
export async function insertSuppressions(
  db: Db,
  environmentId: string,
  rows: NewSuppression[],
  now: Date,
): Promise<SuppressionRow[]> {
  if (rows.length === 0) return [];
  const given = rows.map((row) => ({ ...row, address: normalizeAddress(row.address) }));
  const { rows: inserted } = await sql<SuppressionRow>`
    insert into suppressions (id, environment_id, channel, address, reason, message_id, created_at)
    select id, ${environmentId}, channel, address, reason, message_id, ${now}
    from ${rowsOf("r", shape, given)} order by channel, address
    on conflict (environment_id, channel, address) do nothing returning *`.execute(db);
  return inserted;
}

/** The suppressed ones among these normalized addresses, each as `<channel> <address>`. */
export async function findSuppressedAmong(db: Db, environmentId: string, addresses: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select channel || ' ' || address as name from suppressions
    where environment_id = ${environmentId} and channel = any('{email,sms}') and address = any(${addresses}::text[])`.execute(
    db,
  );
  return new Set(rows.map((row) => row.name));
}

export async function findSuppression(
  db: Db,
  environmentId: string,
  channel: SuppressedChannel,
  address: string,
): Promise<SuppressionRow | undefined> {
  return db
    .selectFrom("suppressions")
    .where("environment_id", "=", environmentId)
    .where("channel", "=", channel)
    .where("address", "=", normalizeAddress(address))
    .selectAll()
    .executeTakeFirst();
}

export type SuppressionFilters = { channel?: SuppressedChannel; address?: string; reason?: SuppressionReason };

export function listSuppressions(
  db: Db,
  environmentId: string,
  filters: SuppressionFilters,
  request: CursorRequest,
): Promise<CursorPage<SuppressionRow>> {
  const conditions = [sql`r.environment_id = ${environmentId}`];
  if (filters.channel) conditions.push(sql`r.channel = ${filters.channel}`);
  if (filters.address !== undefined) conditions.push(sql`r.address = ${normalizeAddress(filters.address)}`);
  if (filters.reason) conditions.push(sql`r.reason = ${filters.reason}`);
  const from = sql`from suppressions r where ${sql.join(conditions, sql` and `)}`;
  const source = { columns: sql`r.*`, from, sort: sql`r.created_at`, id: sql`r.id` };
  return cursorPage<SuppressionRow>(db, source, request);
}

/** By id or by address. */
const isNamed = (idOrAddress: string) =>
  isUuid(idOrAddress) ? sql`id = ${idOrAddress}` : sql`address = ${normalizeAddress(idOrAddress)}`;

export async function findNamedSuppression(
  db: Db,
  environmentId: string,
  idOrAddress: string,
): Promise<SuppressionRow | undefined> {
  const { rows } = await sql<SuppressionRow>`
    select * from suppressions where environment_id = ${environmentId} and ${isNamed(idOrAddress)} limit 1`.execute(db);
  return rows[0];
}

/** False when there is none. */
export async function deleteSuppression(db: Db, environmentId: string, idOrAddress: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from suppressions where environment_id = ${environmentId} and ${isNamed(idOrAddress)}`.execute(db);
  return numAffectedRows > 0n;
}
