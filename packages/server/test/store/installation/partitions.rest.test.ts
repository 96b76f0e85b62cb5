import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { firstIdAt, newId } from "../../../src/lib/ids.ts";
import { type Db, openDb } from "../../../src/store/db.ts";
import { migrate } from "../../../src/store/installation/migrate.ts";
import { ensurePartitions, monthsAround, partitionedTables } from "../../../src/store/installation/partitions.ts";
import { openQueue } from "../../../src/store/queue/queue.ts";

async function open(context: TestContext, pools = 1): Promise<[Db, ...Db[]]> {
  const database = await createTestDatabase({ isEmpty: true });
  const openOne = () => openDb({ url: database.url, poolSize: 2, onError: () => {} });
  const all: [Db, ...Db[]] = [openOne(), ...Array.from({ length: pools - 1 }, openOne)];
  context.after(async () => {
    await Promise.all(all.map((db) => db.destroy()));
    await database.drop();
  });
  await migrate(all[0]);
  return all;
}

const partitionsOf = async (db: Db): Promise<string[]> =>
  (
    await sql<{ name: string }>`select c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where p.relkind = 'p' order by 1`.execute(db)
  ).rows.map((row) => row.name);

test("the months around a time have no gaps, also at the end of a year", () => {
  const months = monthsAround(new Date("2025-12-31T23:59:59.999Z"));
  assert.deepEqual(
    months.map((month) => month.name),
    ["2025_11", "2025_12", "2026_01", "2026_02"],
  );
  for (const [index, month] of months.entries()) {
    assert.ok(month.from < month.to);
    if (index > 0) assert.equal(month.from, months[index - 1]!.to);
  }
  assert.equal(months[2]!.from, firstIdAt(new Date("2026-01-01T00:00:00Z")));
});

test("partitions are created once, also by several processes at the same time", async (context) => {
  const pools = await open(context, 5);
  const now = new Date("2025-11-15T00:00:00Z");
  const made = await Promise.all(pools.map((db) => ensurePartitions(db, now)));
  const expected = partitionedTables
    .flatMap((table) => monthsAround(now).map((month) => `${table}_${month.name}`))
    .toSorted();
  assert.deepEqual(await partitionsOf(pools[0]), expected);
  assert.deepEqual(made.flat().toSorted(), expected, "each was made by one of them");
  assert.deepEqual(await ensurePartitions(pools[1]!, now), []);
});

test("a month later only the new month is created, and the old ones stay", async (context) => {
  const [db] = await open(context);
  const before = await ensurePartitions(db, new Date("2025-11-15T00:00:00Z"));
  const made = await ensurePartitions(db, new Date("2025-12-01T00:00:00Z"));
  assert.deepEqual(
    made,
    partitionedTables.map((table) => `${table}_2026_02`),
  );
  assert.deepEqual(await partitionsOf(db), [...before, ...made].toSorted());
});

/** The column whose month decides the partition. */
const partitionColumn = (table: string): string =>
  table === "jobs" || table === "exposures" ? "notification_id" : "id";

/** A row of each table with its required columns only. */
async function insertRow(db: Db, table: string, id: string): Promise<string> {
  const { rows: columns } = await sql<{ name: string; type: string }>`
    select column_name as name, udt_name as type from information_schema.columns
    where table_name = ${table} and is_nullable = 'NO' and column_default is null order by ordinal_position`.execute(
    db,
  );
  const values: Record<string, string> = {
    uuid: `'${newId()}'`,
    text: "'x'",
    jsonb: "'[]'",
    timestamptz: "now()",
    bool: "true",
  };
  const list = columns.map(({ name, type }) => (name === partitionColumn(table) ? `'${id}'` : (values[type] ?? "1")));
  const { rows } = await sql<{ partition: string }>`${sql.raw(
    `insert into ${table} (${columns.map((column) => column.name).join(", ")}) values (${list.join(", ")})
     returning tableoid::regclass::text as partition`,
  )}`.execute(db);
  return rows[0]!.partition;
}

test("every table accepts rows of every month, and the bound between two months is exact", async (context) => {
  const [db] = await open(context);
  await ensurePartitions(db, new Date("2025-12-10T00:00:00Z"));
  const border = new Date("2026-01-01T00:00:00.000Z");
  // The largest id of the last millisecond, and the smallest of the first.
  const last = firstIdAt(new Date(border.getTime() - 1)).replace(/0000-0000-0{12}$/, "7fff-bfff-ffffffffffff");
  const first = firstIdAt(border).replace(/0000-0000-0{12}$/, "7000-8000-000000000000");
  for (const table of partitionedTables) {
    assert.equal(await insertRow(db, table, last), `${table}_2025_12`);
    assert.equal(await insertRow(db, table, first), `${table}_2026_01`);
    assert.equal(await insertRow(db, table, firstIdAt(new Date("2025-11-01T00:00:00Z"))), `${table}_2025_11`);
    assert.equal(await insertRow(db, table, firstIdAt(new Date("2026-02-28T23:59:59Z"))), `${table}_2026_02`);
    await assert.rejects(() => insertRow(db, table, firstIdAt(new Date("2026-03-01T00:00:00Z"))), /no partition/);
  }
});

test("a partition has the indexes of its table, each once, and joined to them", async (context) => {
  const [db] = await open(context);
  await ensurePartitions(db, new Date("2025-12-10T00:00:00Z"));
  const { rows } = await sql<{ partition: string; own: number; joined: number; wanted: number }>`
    select c.relname as partition,
      (select count(*) from pg_index x where x.indrelid = c.oid) as own,
      (select count(*) from pg_index x join pg_inherits h on h.inhrelid = x.indexrelid where x.indrelid = c.oid) as joined,
      (select count(*) from pg_index x where x.indrelid = i.inhparent) as wanted
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`.execute(db);
  assert.equal(rows.length, partitionedTables.length * 4);
  for (const { partition, own, joined, wanted } of rows) {
    assert.ok(wanted > 0);
    assert.deepEqual([own, joined], [wanted, wanted], partition);
  }
});

test("a running service has the coming months, and its housekeeping creates missing ones", async () => {
  const { db, database } = await startTestService();
  const ahead = monthsAround(new Date()).at(-1)!.name;
  assert.ok((await partitionsOf(db)).includes(`messages_${ahead}`));
  await sql`drop table ${sql.table(`messages_${ahead}`)}`.execute(db);
  const queue = await openQueue({ url: database.url, onError: () => {} });
  try {
    await queue.enqueue(db, "housekeeping", [{ data: { name: "partitions" } }]);
    await eventually(async () => (await partitionsOf(db)).includes(`messages_${ahead}`), "the partition to be made");
    // Each chore waits for its next time, once, whatever else was enqueued.
    const chores = async () =>
      (
        await sql<{ name: string }>`select data->>'name' as name from queue.job
          where name = 'housekeeping' and state <= 'active' order by 1`.execute(db)
      ).rows.map((row) => row.name);
    const wanted =
      "alerts assets background captured environments expired groups idempotency imports partitions people receipts retention statistics webhooks";
    await eventually(async () => (await chores()).join(" ") === wanted, "each chore to wait once");
  } finally {
    await queue.stop();
  }
});
