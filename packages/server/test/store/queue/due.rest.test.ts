import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import pg from "pg";
import { openDb } from "../../../src/store/db.ts";
import { dueQuery } from "../../../src/store/queue/due.ts";
import { openQueue } from "../../../src/store/queue/queue.ts";

// Two processes on one database: one has workers, the other only enqueues.
const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
const worker = await openQueue({ url: database.url, onError: () => {} });
const other = await openQueue({ url: database.url, onError: () => {} });
const client = new pg.Client({ connectionString: database.url });
await client.connect();
atEnd(async () => {
  await client.end();
  await worker.stop();
  await other.stop();
  await db.destroy();
  await database.drop();
});

type Due = { kind: string | null; waitMs: number | null };

const findDue = async (kinds: string[]): Promise<Due[]> =>
  (await client.query<Due>(dueQuery, [kinds])).rows.map(({ kind, waitMs }) => ({ kind, waitMs }));

const hour = 3_600;
const hourMs = 3_600_000;

test("nothing is due in an empty queue", async () => {
  assert.deepEqual(await findDue(["trigger", "wake"]), [{ kind: null, waitMs: null }]);
});

test("the next task of each kind, and the next claim to lapse", async () => {
  const tasks = [{ data: { mark: "later" }, startAfter: 2 * hour }];
  await other.enqueue(db, "wake", [{ data: { mark: "next" }, startAfter: hour }, ...tasks]);
  await other.enqueue(db, "clock", tasks);
  await other.enqueue(db, "trigger", [{ data: { mark: "now" } }]);
  await other.enqueue(db, "unsnooze", tasks);
  await sql`update queue.job set state = 'active', started_on = now(), heartbeat_on = now() where name = 'unsnooze'`.execute(
    db,
  );
  const found = new Map((await findDue(["trigger", "wake"])).map(({ kind, waitMs }) => [kind, waitMs!]));
  assert.deepEqual([...found.keys()].sort(), [null, "trigger", "wake"].sort(), "kinds without workers are not read");
  assert.ok(found.get("trigger")! <= 0);
  assert.ok(found.get("wake")! > hourMs - 60_000 && found.get("wake")! <= hourMs);
  assert.ok(found.get(null)! <= 10_000);
  await sql`update queue.job set heartbeat_on = '-infinity' where name = 'unsnooze'`.execute(db);
  const lapsed = (await findDue(["wake"])).find(({ kind }) => kind === null);
  assert.ok(lapsed!.waitMs! < 0);
  await sql`delete from queue.job`.execute(db);
});

test("the query for the next task reads an index, however many tasks wait; fetching cannot use that index", async () => {
  await sql`insert into queue.job (name, data, start_after)
    select 'wake', '{}', now() + n * interval '1 s' from generate_series(1, 20000) n`.execute(db);
  await sql`analyze queue.job_common`.execute(db);
  const explain = async (query: string, values: unknown[]) =>
    (await client.query<{ "QUERY PLAN": string }>(`explain ${query}`, values)).rows
      .map((row) => row["QUERY PLAN"])
      .join("\n");
  const plan = await explain(dueQuery, [["wake", "trigger"]]);
  assert.equal(plan.match(/Index (Only )?Scan using job_next/g)?.length, 2, plan);
  assert.doesNotMatch(plan, /Seq Scan/);
  const fetching = await explain(
    "select id from queue.job_common where name = 'wake' and state < 'active' and start_after <= now()",
    [],
  );
  assert.doesNotMatch(fetching, /job_next/);
  await sql`delete from queue.job`.execute(db);
});

const worked: { mark: string; at: number }[] = [];
const isWorked = (mark: string) => worked.find((one) => one.mark === mark);

test("a worker takes a task when it is due, also one that another process enqueued", async () => {
  worker.work<{ mark: string }>("wake", { batchSize: 5, concurrency: 1 }, async (tasks) => {
    await worker.finish(db, "wake", tasks);
    worked.push(...tasks.map((task) => ({ mark: task.data.mark, at: Date.now() })));
  });
  // Worked at once: the workers run, and have no reason to look for tasks for a while.
  await other.enqueue(db, "wake", [{ data: { mark: "now" } }]);
  await eventually(() => isWorked("now"), "the first task");
  const dueAt = Date.now() + 1_500;
  await other.enqueue(db, "wake", [
    { data: { mark: "moment" }, startAfter: new Date(dueAt) },
    { data: { mark: "seconds" }, startAfter: 1.5 },
    { data: { mark: "much later" }, startAfter: hour },
  ]);
  for (const mark of ["moment", "seconds"]) {
    const { at } = await eventually(() => isWorked(mark), `the task ${mark}`);
    // Without the announcement, it would be found after up to ten seconds.
    assert.ok(at > dueAt - 100 && at < dueAt + 5_000, `${at - dueAt} ms late`);
  }
  assert.equal(isWorked("much later"), undefined);
});

test("a running process takes over the tasks of one that died", async () => {
  await other.enqueue(db, "wake", [{ data: { mark: "orphan" }, startAfter: hour }]);
  await sql`update queue.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '9 s'
    where data->>'mark' = 'orphan'`.execute(db);
  await announceDueTasks(db);
  await eventually(() => isWorked("orphan"), "another worker to have it");
});

test("the number of tasks is that of the moment", async () => {
  await other.enqueue(db, "fanout", [{ data: { mark: "counted" } }, { data: { mark: "counted" }, startAfter: hour }]);
  const depth = await worker.depth();
  assert.deepEqual([depth.fanout, depth.webhook], [2, 0]);
});
