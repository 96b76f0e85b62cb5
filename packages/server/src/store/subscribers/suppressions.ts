// Suppressed addresses: no message is sent to them. They are stored normalized, so that a lookup is an exact
// comparison; that of an erased person is stored as a keyed hash, which lookups compare too.
import type { SuppressedChannel, SuppressionReason } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import type { AddressHashes } from "../../lib/suppression-hash.ts";
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

/** An address as it may be stored. `hashesOf`: lib/suppression-hash.ts. */
const storedForms = (
  environmentId: string,
  { channel, address }: { channel: string; address: string },
  hashesOf: AddressHashes,
): string[] => {
  const normal = normalizeAddress(address);
  return [normal, ...hashesOf(environmentId, channel, normal)];
};

/** The suppressed ones among these normalized addresses, each as `<channel> <address>`. */
export async function findSuppressedAmong(
  db: Db,
  environmentId: string,
  addresses: string[],
  hashesOf: AddressHashes,
): Promise<Set<string>> {
  const forms = addresses.flatMap((address) =>
    ["email", "sms"].flatMap((channel) =>
      storedForms(environmentId, { channel, address }, hashesOf).map((stored) => ({ channel, address, stored })),
    ),
  );
  const { rows } = await sql<{ name: string }>`
    select r.channel || ' ' || r.address as name
    from ${rowsOf("r", { channel: "text", address: "text", stored: "text" }, forms)}
    join suppressions s on s.environment_id = ${environmentId} and s.channel = r.channel and s.address = r.stored
  `.execute(db);
  return new Set(rows.map((row) => row.name));
}

export async function findSuppression(
  db: Db,
  environmentId: string,
  { channel, address }: { channel: SuppressedChannel; address: string },
  hashesOf: AddressHashes,
): Promise<SuppressionRow | undefined> {
  return db
    .selectFrom("suppressions")
    .where("environment_id", "=", environmentId)
    .where("channel", "=", channel)
    .where("address", "in", storedForms(environmentId, { channel, address }, hashesOf))
    .selectAll()
    .executeTakeFirst();
}

/** `address`: as it may be stored, in all forms. */
export type SuppressionFilters = { channel?: SuppressedChannel; address?: string[]; reason?: SuppressionReason };

/** The forms in which an address may be stored, of either channel. */
export const allStoredForms = (environmentId: string, address: string, hashesOf: AddressHashes): string[] => [
  ...new Set(["email", "sms"].flatMap((channel) => storedForms(environmentId, { channel, address }, hashesOf))),
];

export function listSuppressions(
  db: Db,
  environmentId: string,
  filters: SuppressionFilters,
  request: CursorRequest,
): Promise<CursorPage<SuppressionRow>> {
  const conditions = [sql`r.environment_id = ${environmentId}`];
  if (filters.channel) conditions.push(sql`r.channel = ${filters.channel}`);
  if (filters.address !== undefined) conditions.push(sql`r.address = any(${filters.address}::text[])`);
  if (filters.reason) conditions.push(sql`r.reason = ${filters.reason}`);
  const from = sql`from suppressions r where ${sql.join(conditions, sql` and `)}`;
  const source = { columns: sql`r.*`, from, sort: sql`r.created_at`, id: sql`r.id` };
  return cursorPage<SuppressionRow>(db, source, request);
}

/** By id, or by the forms in which its address may be stored. */
export type SuppressionName = { id: string } | { address: string[] };

export const suppressionName = (
  environmentId: string,
  idOrAddress: string,
  hashesOf: AddressHashes,
): SuppressionName =>
  isUuid(idOrAddress) ? { id: idOrAddress } : { address: allStoredForms(environmentId, idOrAddress, hashesOf) };

const isNamed = (name: SuppressionName) =>
  "id" in name ? sql`id = ${name.id}` : sql`address = any(${name.address}::text[])`;

export async function findNamedSuppression(
  db: Db,
  environmentId: string,
  name: SuppressionName,
): Promise<SuppressionRow | undefined> {
  const { rows } = await sql<SuppressionRow>`
    select * from suppressions where environment_id = ${environmentId} and ${isNamed(name)} limit 1`.execute(db);
  return rows[0];
}

/** False when there is none. */
export async function deleteSuppression(db: Db, environmentId: string, name: SuppressionName): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from suppressions where environment_id = ${environmentId} and ${isNamed(name)}`.execute(db);
  return numAffectedRows > 0n;
}
