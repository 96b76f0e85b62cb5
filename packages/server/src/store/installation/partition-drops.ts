// Dropping the partitions of months whose retention has passed. A partition is detached `concurrently`, which keeps
// nobody waiting, and then dropped. What was begun is remembered, so that the next run ends what a crash interrupted.
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import { isLiveJob, isNeededMessage, isOpenBroadcast, isReadByLiveDigest } from "../environments/needed-rows.ts";
import { estimateRows } from "../paging.ts";
import { readInstallationValue, writeInstallationValue } from "./installation.ts";
import { type Month, monthAt, type PartitionedTable, partitionedTables } from "./partitions.ts";

export type Partition = {
  table: PartitionedTable;
  name: string;
  /** When it was interrupted while it was detached. */
  isPending: boolean;
  bytes: number;
};

/** A month with those of its partitions that exist. */
export type StoredMonth = Month & { start: Date; end: Date; partitions: Map<PartitionedTable, Partition> };

type PartitionRow = { parent: PartitionedTable; name: string; is_pending: boolean; bytes: number };

/** The stored months, oldest first. */
export async function listMonths(db: Db): Promise<StoredMonth[]> {
  const { rows } = await sql<PartitionRow>`
    select p.relname as parent, c.relname as name, i.inhdetachpending as is_pending,
      pg_total_relation_size(c.oid) as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(partitionedTables)}) and p.relkind = 'p' order by c.relname`.execute(db);
  const months = new Map<string, StoredMonth>();
  for (const { parent: table, name, is_pending: isPending, bytes } of rows) {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
    if (year === undefined) continue;
    const start = new Date(Date.UTC(Number(year), Number(month) - 1, 1));
    const end = new Date(Date.UTC(Number(year), Number(month), 1));
    const bounds = monthAt(start);
    const stored = months.get(bounds.name) ?? { ...bounds, start, end, partitions: new Map() };
    stored.partitions.set(table, { table, name, isPending, bytes });
    months.set(bounds.name, stored);
  }
  return [...months.values()].toSorted((a, b) => a.start.getTime() - b.start.getTime());
}

/** Scanning a month may take this long. */
const scanMs = 600_000;
/** A detach waits for transactions that use the table. One that takes longer is finished by the next run. */
const detachMs = 30_000;

/** Runs `work` on the connection with another timeout of statements. */
async function withStatementTimeout<T>(connection: Db, ms: number, work: () => Promise<T>): Promise<T> {
  await sql.raw(`set statement_timeout = ${ms}`).execute(connection);
  try {
    return await work();
  } finally {
    await sql`reset statement_timeout`.execute(connection);
  }
}

type Limits = { before: Date; now: Date };

const isLiving = (alias: string) =>
  sql`exists (select 1 from environments o where o.id = ${sql.ref(`${alias}.environment_id`)} and o.deleted_at is null)`;

/** Whether a run that began in the month is needed. Rows of deleted environments are not. */
export function hasLiveRuns(connection: Db, month: StoredMonth, { before, now }: Limits): Promise<boolean> {
  return withStatementTimeout(connection, scanMs, async () => {
    const [jobs, notifications] = [month.partitions.get("jobs"), month.partitions.get("notifications")];
    if (jobs) {
      const { rows } = await sql`select 1 from ${sql.table(jobs.name)} j
        where ${isLiveJob("j", sql`${before}`, now)} and ${isLiving("j")} limit 1`.execute(connection);
      if (rows.length > 0) return true;
    }
    if (!notifications) return false;
    const { rows } = await sql`select 1 from ${sql.table(notifications.name)} t
      where ${isReadByLiveDigest("t", sql`${before}`, now)} and ${isLiving("t")} limit 1`.execute(connection);
    return rows.length > 0;
  });
}

/** Whether a message of the month is needed. */
export function hasNeededMessages(connection: Db, month: StoredMonth, { before, now }: Limits): Promise<boolean> {
  return withStatementTimeout(connection, scanMs, async () => {
    const messages = month.partitions.get("messages");
    if (!messages) return false;
    const { rows } = await sql`select 1 from ${sql.table(messages.name)} t
      where ${isNeededMessage("t", sql`${before}`, now)} and ${isLiving("t")} limit 1`.execute(connection);
    return rows.length > 0;
  });
}

/** Whether a notification of a later month belongs to an event of this month: they were created around midnight. */
export async function hasLaterNotifications(connection: Db, month: StoredMonth): Promise<boolean> {
  const { rows } = await sql`select 1 from notifications t
    where t.event_id >= ${month.from} and t.event_id < ${month.to} and t.id >= ${month.to} and ${isLiving("t")}
    limit 1`.execute(connection);
  return rows.length > 0;
}

/** Whether people of events of the month wait for their turn, or are to be fixed: as hasWaitingPeople, for a month. */
export async function hasWaitingEvents(connection: Db, month: StoredMonth): Promise<boolean> {
  const isOfMonth = sql`t.event_id >= ${month.from} and t.event_id < ${month.to} and ${isLiving("t")}`;
  const { rows } = await sql`
    select 1 from event_pages t join events e on e.environment_id = t.environment_id and e.id = t.event_id
    where ${isOfMonth} and t.state = 'waiting' and e.canceled_at is null
    union all
    select 1 from broadcasts t where ${isOfMonth} and ${isOpenBroadcast("t")}
    limit 1`.execute(connection);
  return rows.length > 0;
}

/** Pages of a table that one statement reads: about 16 MB. */
const chunkPages = 2_000;

/** Calls `work` for one part of a table after the other, so that each transaction is short. */
async function inChunks(connection: Db, name: string, work: (range: ReturnType<typeof sql>) => Promise<number>) {
  const { rows } = await sql<{ pages: number }>`
    select (pg_relation_size(${name}::regclass) / current_setting('block_size')::int)::int as pages`.execute(
    connection,
  );
  let total = 0;
  for (let page = 0; page < rows[0]!.pages; page += chunkPages) {
    total += await work(sql`ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + chunkPages},0)`}::tid`);
  }
  return total;
}

/** Deletes the transaction ids of the month's events; they have no other trace of their age. */
export async function deleteTransactionIds(connection: Db, { name }: Partition): Promise<void> {
  await inChunks(connection, name, async (range) => {
    const { numAffectedRows = 0n } = await sql`
      delete from transaction_ids t using (
        select environment_id, transaction_id, id from ${sql.table(name)}
        where ${range} and transaction_id <> 'txn_' || replace(id::text, '-', '')) as e
      where t.environment_id = e.environment_id and t.transaction_id = e.transaction_id and t.event_id = e.id`.execute(
      connection,
    );
    return Number(numAffectedRows);
  });
}

/**
 * Deletes the messages of all channels but in-app from the month, whose in-app messages are kept. Those of runs that
 * began in a later month, or are needed, stay. Returns how many.
 */
export const deleteOtherMessages = (
  connection: Db,
  { name }: Partition,
  { to }: Month,
  { before, now }: Limits,
): Promise<number> =>
  inChunks(connection, name, async (range) => {
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(name)} t
      where ${range} and t.channel <> 'in_app' and t.notification_id < ${to}
        and not ${isNeededMessage("t", sql`${before}`, now)}`.execute(connection);
    return Number(numAffectedRows);
  });

/** Rows are counted up to this size of a table, and estimated beyond it. */
const countedBytes = 64 * 1024 * 1024;

/** Rows of the partition for which the condition is true. */
export async function countPartition(
  connection: Db,
  { name, bytes }: Partition,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  const from = sql`from ${sql.table(name)} t where ${condition}`;
  if (bytes > countedBytes) return estimateRows(connection, sql`select 1 ${from}`);
  const { rows } = await sql<{ count: number }>`select count(*) as count ${from}`.execute(connection);
  return rows[0]!.count;
}

/** Rows of a partition of messages, by the class that they belong to. */
export async function countMessages(
  connection: Db,
  partition: Partition,
): Promise<{ inApp: number; messages: number }> {
  const inApp = await countPartition(connection, partition, sql`t.channel = 'in_app'`);
  return { inApp, messages: (await countPartition(connection, partition)) - inApp };
}

/** The partition that is being dropped, if any: only such a table is dropped once it is detached. */
const droppingValue = "retention.dropping";

/**
 * Ends what an earlier run began: detaches that were interrupted (including those of operators), and the drop of what
 * it had detached. Returns the names of the dropped tables.
 */
export async function finishDrops(connection: Db): Promise<string[]> {
  for (const month of await listMonths(connection)) {
    for (const { table, name, isPending } of month.partitions.values()) {
      if (isPending) await detach(connection, table, name, "finalize");
    }
  }
  const name = await readInstallationValue(connection, droppingValue);
  if (!name) return [];
  const { rows } = await sql<{ is_attached: boolean }>`
    select c.relispartition as is_attached from pg_class c where c.oid = to_regclass(${name})`.execute(connection);
  const isDetached = rows[0]?.is_attached === false;
  if (isDetached) await sql`drop table ${sql.table(name)}`.execute(connection);
  await writeInstallationValue(connection, droppingValue, "");
  return isDetached ? [name] : [];
}

export async function dropPartition(connection: Db, { table, name }: Partition): Promise<void> {
  await writeInstallationValue(connection, droppingValue, name);
  await detach(connection, table, name, "concurrently");
  await sql`drop table ${sql.table(name)}`.execute(connection);
  await writeInstallationValue(connection, droppingValue, "");
}

/** Outside a transaction, as `concurrently` needs it. Names are read from the catalogue and contain no input. */
const detach = (connection: Db, table: string, name: string, how: "concurrently" | "finalize") =>
  withStatementTimeout(connection, detachMs, () =>
    sql`alter table ${sql.table(table)} detach partition ${sql.table(name)} ${sql.raw(how)}`.execute(connection),
  );
