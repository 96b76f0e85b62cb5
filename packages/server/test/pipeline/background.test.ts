// Background migrations: rewrites of many rows in batches, which processes share and continue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { metric } from "@tidings/testkit/metric";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import type { BackgroundMigration } from "../../src/pipeline/background/migration.ts";
import { runBackgroundMigrations, shareDone } from "../../src/pipeline/background/run.ts";
import { listBackgroundMigrations } from "../../src/store/installation/background-migrations.ts";
import { openQueue } from "../../src/store/queue/queue.ts";

const { db, database, url } = await startTestService();
await sql`create table numbers (n integer primary key, square integer)`.execute(db);
await sql`insert into numbers (n) select generate_series(1, 1000)`.execute(db);
await sql`analyze numbers`.execute(db);
await sql`insert into background_migrations (name) values ('squares'), ('of_a_newer_release')`.execute(db);

/** As a release would have it: by 100 rows, from the last one on. */
const squares: BackgroundMigration = {
  tables: ["numbers"],
  async runBatch(tools, key) {
    const { rows } = await sql<{ n: number }>`
      update numbers set square = coalesce(square, 0) + n * n
      where n > ${(key as number | null) ?? 0} and n <= ${((key as number | null) ?? 0) + 100} returning n`.execute(
      tools.db,
    );
    const last = Math.max(...rows.map(({ n }) => n));
    return { rows: rows.length, next: rows.length === 0 ? null : last };
  },
};

const said: object[] = [];
const log = { info: (context: object, text: string) => void said.push({ ...context, text }) };
const run = (batches: number) =>
  runBackgroundMigrations(
    { db, log: log as never, now: () => new Date(), secrets: {} as never, known: { squares } },
    batches,
  );
const stateOf = async (name: string) => (await listBackgroundMigrations(db)).find((row) => row.name === name)!;

test("batches continue where the last one ended, with their progress in the log and in the metrics", async () => {
  assert.equal(await run(3), true);
  const row = await stateOf("squares");
  assert.deepEqual([row.done_rows, row.total_rows, row.next_key, shareDone(row)], [300, 1000, 300, 0.3]);
  assert.deepEqual(said.at(-1), {
    migration: "squares",
    rows: 300,
    estimatedRows: 1000,
    text: "a background migration continues",
  });
  const text = await (await fetch(`${url}/metrics`)).text();
  assert.equal(metric(text, "tidings_background_migration_progress_ratio", { migration: "squares" }), 0.3);
});

test("several processes take turns, and every row is rewritten once", async () => {
  for (let rounds = 0; rounds < 20 && !(await stateOf("squares")).finished_at; rounds++)
    await Promise.all([run(2), run(2), run(2)]);
  const { rows } = await sql`select 1 from numbers where square is distinct from n * n`.execute(db);
  assert.deepEqual(rows, []);
  assert.equal(shareDone(await stateOf("squares")), 1);
  assert.equal(await run(1), false);
  assert.equal((await stateOf("of_a_newer_release")).finished_at, null, "left to the processes that know it");
});

test("a chore that another release has taken away comes back", async () => {
  await sql`delete from queue.job_common where name = 'housekeeping' and data->>'name' = 'background'`.execute(db);
  const queue = await openQueue({ url: database.url, onError: () => {} });
  try {
    // One that this release does not know.
    await queue.enqueue(db, "housekeeping", [{ data: { name: "of_another_release" } }]);
    const names = async () =>
      (
        await sql<{ name: string }>`select data->>'name' as name from queue.job
          where name = 'housekeeping' and state <= 'active'`.execute(db)
      ).rows.map(({ name }) => name);
    await eventually(async () => (await names()).includes("background"), "the chore to be enqueued");
    await eventually(async () => !(await names()).includes("of_another_release"), "the other one to leave");
  } finally {
    await queue.stop();
  }
});
