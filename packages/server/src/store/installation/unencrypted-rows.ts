// Rows of older versions with values in clear text that are encrypted today: read table by table, in pages by id, and
// written back with these values encrypted.
import { type RawBuilder, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, type RowKey } from "../keys.ts";

/**
 * `key`: the columns by which the table is read in pages; their index has them in this order. `lockOrder`: the order in
 * which all other statements lock several rows of the table.
 */
type UnencryptedTable = {
  key: readonly ("environment_id" | "id")[];
  columns: Record<string, string>;
  isClear: RawBuilder<unknown>;
  lockOrder: RawBuilder<unknown>;
};

const isPrivate = sql`t.channel in ('push', 'chat')`;
const hasObject = (column: string, path: string) =>
  sql`jsonb_path_exists(${sql.ref(`t.${column}`)}, ${sql.lit(`${path} ? (@.type() == "object")`)})`;

export const unencryptedTables = {
  subscribers: {
    key: ["id"],
    columns: { channels: "jsonb" },
    isClear: hasObject("channels", "$[*].credentials"),
    lockOrder: sql`t.environment_id, t.subscriber_id`,
  },
  channel_endpoints: {
    key: ["id"],
    columns: { endpoint: "jsonb" },
    isClear: sql`jsonb_typeof(t.endpoint) = 'object'`,
    lockOrder: sql`t.id`,
  },
  events: {
    key: ["environment_id", "id"],
    columns: { overrides: "jsonb", recipients: "jsonb", actor: "jsonb" },
    // The path unpacks a list, so that channels count that are still a list of objects.
    isClear: sql`(jsonb_typeof(t.overrides) = 'object' or ${hasObject("recipients", "$[*].channels")}
      or ${hasObject("actor", "$.channels")})`,
    lockOrder: sql`t.id`,
  },
  messages: {
    key: ["environment_id", "id"],
    columns: { channel: "text", address: "text", outgoing: "jsonb" },
    isClear: sql`(${isPrivate} and (not starts_with(t.address, 'sealed:') or jsonb_typeof(t.outgoing) = 'object')
      or ${hasObject("outgoing", "$.passthrough")} or ${hasObject("outgoing", "$.perProvider.*.passthrough")})`,
    lockOrder: sql`t.id`,
  },
  captured_messages: {
    key: ["id"],
    columns: { channel: "text", content: "jsonb" },
    isClear: sql`(${isPrivate} and jsonb_typeof(t.content -> 'to') = 'array')`,
    lockOrder: sql`t.id`,
  },
  webhook_events: {
    key: ["id"],
    columns: { body: "text" },
    isClear: sql`not starts_with(t.body, 'sealed:')`,
    lockOrder: sql`t.id`,
  },
} satisfies Record<string, UnencryptedTable>;

export type UnencryptedTableName = keyof typeof unencryptedTables;
export type UnencryptedRow = RowKey & Record<string, unknown>;

/** Before the first key of a table. */
export const noKey: RowKey = {
  environment_id: "00000000-0000-0000-0000-000000000000",
  id: "00000000-0000-0000-0000-000000000000",
};

/** The keys behind `after`, in order: a page, whatever its rows hold. */
export async function findKeysAfter(
  db: Db,
  name: UnencryptedTableName,
  after: RowKey,
  limit: number,
): Promise<RowKey[]> {
  const { key }: UnencryptedTable = unencryptedTables[name];
  const columns = sql.raw(key.join(", "));
  const { rows } = await sql<RowKey>`
    select environment_id, id from ${sql.table(name)}
    where (${columns}) > (${sql.join(key.map((column) => sql`${after[column]}::uuid`))})
    order by ${columns} limit ${limit}`.execute(db);
  return rows;
}

/** Those of the rows that hold something in clear, locked. */
export async function lockUnencryptedRows(
  db: Db,
  name: UnencryptedTableName,
  keys: RowKey[],
): Promise<UnencryptedRow[]> {
  const { columns, isClear, lockOrder }: UnencryptedTable = unencryptedTables[name];
  const list = sql.join(["environment_id", "id", ...Object.keys(columns)].map((column) => sql.ref(`t.${column}`)));
  const { rows } = await sql<UnencryptedRow>`
    select ${list} from ${sql.table(name)} t join ${rowsOf("r", { environment_id: "uuid", id: "uuid" }, keys)}
      on ${hasKeyOf("t", "id", keys)}
    where ${isClear} order by ${lockOrder} for no key update of t`.execute(db);
  return rows;
}

export async function writeEncryptedRows(db: Db, name: UnencryptedTableName, rows: UnencryptedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { columns }: UnencryptedTable = unencryptedTables[name];
  const assign = sql.raw(
    Object.keys(columns)
      .map((column) => `${column} = r.${column}`)
      .join(", "),
  );
  await sql`
    update ${sql.table(name)} t set ${assign}
    from ${rowsOf("r", { environment_id: "uuid", id: "uuid", ...columns }, rows)}
    where ${hasKeyOf("t", "id", rows)}`.execute(db);
}
