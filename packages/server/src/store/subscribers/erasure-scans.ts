// Erasures read the tables of an environment page by page, in the order of their keys: a page finds its rows with
// something personal in them, locks them, and writes them back or deletes them. Which tables, and what happens to
// their rows: pipeline/erasure/tables.ts.
import { type RawBuilder, sql } from "kysely";
import type { SearchPatterns } from "../../lib/personal/personal-texts.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";

type ScannedType = "text" | "text[]" | "jsonb" | "json";

/**
 * What connects a row with the person: its message, event or notification is one of theirs, or its column
 * `subscriber_id` names them.
 */
type Ownership = "message" | "event" | "notification" | "subscriberKey" | "subscriber";

/** The column that leads to the event of a row: events about the person are about them for other recipients too. */
type EventColumn = "event_id" | "message_id" | "notification_id";

export type ScannedTable = {
  table: string;
  /** The columns of the key behind the environment, with their types. */
  key: Readonly<Record<string, string>>;
  columns: Readonly<Record<string, ScannedType>>;
  /** Columns that a rewrite reads and does not change. */
  reads?: readonly string[];
  own?: Ownership;
  about?: EventColumn;
  /** Encrypted columns: rows that have them are read whatever they hold. */
  sealed?: readonly string[];
  rowsPerPage?: number;
};

/** The values of a key as texts. */
export type ScanKey = Record<string, string>;

export type Owner = { subscriberId: string; ids: string[]; pseudonym: string; patterns: SearchPatterns };

/**
 * `at`: its key. `is_own`: of the person, by the ownership of the table. `is_about`: its event was for the person too,
 * or had them as its actor.
 */
export type ScannedRow = { at: ScanKey; is_own: boolean; is_about: boolean } & Record<string, unknown>;

const keyList = ({ key }: ScannedTable): RawBuilder<unknown> =>
  sql`(${sql.join(Object.keys(key).map((column) => sql.ref(`t.${column}`)))})`;

const keyValue = ({ key }: ScannedTable, at: ScanKey): RawBuilder<unknown> =>
  sql`(${sql.join(Object.entries(key).map(([column, type]) => sql`${at[column]}::${sql.raw(type)}`))})`;

const keyObject = ({ key }: ScannedTable): RawBuilder<ScanKey> =>
  sql`jsonb_build_object(${sql.join(
    Object.keys(key).flatMap((column) => [sql.lit(column), sql`${sql.ref(`t.${column}`)}::text`]),
  )})`;

const isBehind = (table: ScannedTable, after: ScanKey | null): RawBuilder<unknown> =>
  after ? sql`${keyList(table)} > ${keyValue(table, after)}` : sql`true`;

/** The end of the page behind `after`, and how many rows it has; null when there is none. */
export async function findPageEnd(
  db: Db,
  environmentId: string,
  { table, after, limit }: { table: ScannedTable; after: ScanKey | null; limit: number },
): Promise<{ last: ScanKey; count: number } | null> {
  const order = sql.join(Object.keys(table.key).map((column) => sql.ref(`t.${column}`)));
  const { rows } = await sql<{ key: ScanKey }>`
    select ${keyObject(table)} as key from ${sql.table(table.table)} t
    where t.environment_id = ${environmentId} and ${isBehind(table, after)}
    order by ${order} limit ${limit}`.execute(db);
  return rows.length === 0 ? null : { last: rows.at(-1)!.key, count: rows.length };
}

function ownedBy(environmentId: string, ownership: Ownership, { ids, subscriberId }: Owner): RawBuilder<boolean> {
  if (ownership === "subscriberKey") return sql`t.subscriber_id = ${subscriberId}`;
  if (ownership === "subscriber") return sql`t.subscriber_id = any(${ids}::uuid[])`;
  if (ownership === "event")
    return sql`exists (select 1 from notifications n
      where n.event_id = t.id and n.environment_id = ${environmentId} and n.subscriber_id = any(${ids}::uuid[]))`;
  const [table, column] = ownership === "message" ? ["messages", "message_id"] : ["notifications", "notification_id"];
  return sql`exists (select 1 from ${sql.table(table!)} o
    where o.environment_id = ${environmentId} and o.id = ${sql.ref(`t.${column}`)}
      and o.subscriber_id = any(${ids}::uuid[]))`;
}

type Named = Pick<Owner, "ids" | "pseudonym">;

/** Whether the event was for the person, or had them as its actor; events are rewritten before other tables. */
const isEventAbout = (environmentId: string, eventId: RawBuilder<unknown>, { ids, pseudonym }: Named) => sql<boolean>`(
  exists (select 1 from notifications n where n.event_id = ${eventId} and n.environment_id = ${environmentId}
    and n.subscriber_id = any(${ids}::uuid[]))
  or exists (select 1 from events e where e.environment_id = ${environmentId} and e.id = ${eventId}
    and (e.actor->>'subscriberId' = ${pseudonym}
      or e.recipients @> ${JSON.stringify([{ subscriberId: pseudonym }])}::jsonb)))`;

function eventOf(environmentId: string, column: EventColumn): RawBuilder<unknown> {
  if (column === "event_id") return sql`t.event_id`;
  const table = column === "message_id" ? "messages" : "notifications";
  return sql`(select o.event_id from ${sql.table(table)} o
    where o.environment_id = ${environmentId} and o.id = ${sql.ref(`t.${column}`)})`;
}

/** Those of these messages whose event was for the person too. */
export async function findMessagesAbout(
  db: Db,
  environmentId: string,
  messageIds: string[],
  person: Named,
): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select m.id from messages m where m.environment_id = ${environmentId} and m.id = any(${messageIds}::uuid[])
      and ${isEventAbout(environmentId, sql`m.event_id`, person)}`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Rows of the page that are the person's, mention them, or have encrypted parts; locked in the order of their keys. */
export async function lockPersonalRows(
  db: Db,
  environmentId: string,
  { table, after, last, owner }: { table: ScannedTable; after: ScanKey | null; last: ScanKey; owner: Owner },
): Promise<ScannedRow[]> {
  const { anyCase, exact } = owner.patterns;
  const { columns, reads = [], sealed = [] } = table;
  const isOwn = table.own ? ownedBy(environmentId, table.own, owner) : sql<boolean>`false`;
  const isAbout = table.about
    ? isEventAbout(environmentId, eventOf(environmentId, table.about), owner)
    : sql<boolean>`false`;
  const text = sql`concat_ws(' ', ${sql.join(Object.keys(columns).map((column) => sql`${sql.ref(`t.${column}`)}::text`))})`;
  const found = [
    sql`f.is_own`,
    sql`f.is_about`,
    sql`f.text ~* ${anyCase}`,
    sql`f.text ~ ${exact}`,
    ...sealed.map((column) => sql`${sql.ref(`t.${column}`)} is not null`),
  ];
  const list = sql.join([...Object.keys(columns), ...reads].map((column) => sql.ref(`t.${column}`)));
  const { rows } = await sql<ScannedRow>`
    select ${keyObject(table)} as at, f.is_own, f.is_about, ${list} from ${sql.table(table.table)} t
    cross join lateral (select ${isOwn} as is_own, ${isAbout} as is_about, ${text} as text offset 0) as f
    where t.environment_id = ${environmentId} and ${isBehind(table, after)} and ${keyList(table)} <= ${keyValue(table, last)}
      and (${sql.join(found, sql` or `)})
    order by ${sql.join(Object.keys(table.key).map((column) => sql.ref(`t.${column}`)))}
    for no key update of t`.execute(db);
  return rows;
}

const oldKey = (table: ScannedTable): Record<string, string> =>
  Object.fromEntries(Object.entries(table.key).map(([column, type]) => [`old_${column}`, type]));

const withOldKey = (table: ScannedTable, key: ScanKey): ScanKey =>
  Object.fromEntries(Object.keys(table.key).map((column) => [`old_${column}`, key[column]!]));

const hasOldKey = (table: ScannedTable): RawBuilder<unknown> =>
  sql.join(
    Object.keys(table.key).map((column) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`r.old_${column}`)}`),
    sql` and `,
  );

/** Writes the scanned columns back; the key may be among them. */
export async function writePersonalRows(
  db: Db,
  environmentId: string,
  table: ScannedTable,
  rows: ScannedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(table.columns);
  const assign = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`r.${column}`)}`);
  const given = rows.map((row) => ({
    ...withOldKey(table, row.at),
    ...Object.fromEntries(columns.map((column) => [column, row[column]])),
  }));
  await sql`
    update ${sql.table(table.table)} t set ${sql.join(assign)}
    from ${rowsOf("r", { ...oldKey(table), ...table.columns }, given)}
    where t.environment_id = ${environmentId} and ${hasOldKey(table)}`.execute(db);
}

export async function deletePersonalRows(
  db: Db,
  environmentId: string,
  table: ScannedTable,
  keys: ScanKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const given = keys.map((key) => withOldKey(table, key));
  await sql`
    delete from ${sql.table(table.table)} t using ${rowsOf("r", oldKey(table), given)}
    where t.environment_id = ${environmentId} and ${hasOldKey(table)}`.execute(db);
}

/** How many rows of a table that erasures leave unchanged mention the person. */
export async function countMentions(
  db: Db,
  environmentId: string,
  { table, columns }: { table: string; columns: readonly string[] },
  { anyCase, exact }: SearchPatterns,
): Promise<number> {
  const text = sql`concat_ws(' ', ${sql.join(columns.map((column) => sql`${sql.ref(`t.${column}`)}::text`))})`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} t
    where t.environment_id = ${environmentId} and (${text} ~* ${anyCase} or ${text} ~ ${exact})`.execute(db);
  return rows[0]!.count;
}
