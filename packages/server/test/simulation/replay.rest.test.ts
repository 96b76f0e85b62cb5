// The model of the store against the store itself: what simulations asked of their database is asked of PostgreSQL, in
// the same order and in the same transactions, through the functions of the service. Every response has to be that of
// the model, no statement may wait for a lock that the model did not wait for, and the rows at the end are the same.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { deserialize } from "node:v8";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { isLong } from "@tidings/testkit/long";
import { type ControlledTransaction, sql } from "kysely";
import { canonicalJson } from "../../src/lib/json.ts";
import { type Db, openDb } from "../../src/store/db.ts";
import { ensurePartitions } from "../../src/store/installation/partitions.ts";
import { ClaimLostError, openQueue, type Task, type TaskKind } from "../../src/store/queue/queue.ts";
import type { Tables } from "../../src/store/tables.ts";
import { environmentId, environmentRows } from "./workflows.ts";
import type { RecordedCall, Recording } from "./world/record.ts";

type Recorded = { name: string; recording: Recording; rows: Record<string, object[]> };
type Call = (db: Db, ...args: unknown[]) => Promise<unknown>;

const database = await createTestDatabase();
// A lock that the model does not wait for would be waited for in vain: one thread asks.
const db = openDb({ url: database.url, poolSize: 20, lockMs: 2_000, onError: () => {} });
const queue = await openQueue({ url: database.url, onError: () => {} });
atEnd(async () => {
  await queue.stop();
  await db.destroy();
  await database.drop();
});

/** The functions of the store that have a model, by name. */
const functions = new Map<string, Call>();
for (const path of globSync("packages/server/test/simulation/store/**/*.ts")) {
  const module = path.slice("packages/server/test/simulation/store/".length);
  if (module === "rows.ts" || module === "db.ts") continue;
  for (const [name, member] of Object.entries(await import(`../../src/store/${module}`)))
    if (typeof member === "function") functions.set(name, member as Call);
}

/** The model does less here: addresses are never suppressed, nothing is rolled up, held tasks are due at once. */
const notCompared = new Set(["findSuppressedAddresses", "withdrawItems", "wakeHeld", "isBusy"]);

const seeds = isLong ? 30 : 6;

test("PostgreSQL responds as the model does", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "recordings-")), "calls");
  const calm = Array.from({ length: seeds }, (_, index) => `calm-${index + 1}`);
  const names = [...calm, ...calm.map((name) => name.replace("calm-", ""))];
  await promisify(execFile)(process.execPath, ["packages/server/test/simulation/record.ts", file, ...names]);
  await ensurePartitions(db, new Date(Date.UTC(2026, 2, 2)));
  let calls = 0;
  const differences = new Map<string, string>();
  for (const recorded of deserialize(readFileSync(file)) as Recorded[]) calls += await replay(recorded, differences);
  assert.deepEqual([...differences.values()], []);
  assert.ok(calls > 1_000, `${calls} calls were compared`);
});

/** `differences`: the first one of each function. */
async function replay({ name, recording, rows }: Recorded, differences: Map<string, string>): Promise<number> {
  await prepareDatabase();
  const open = new Map<number, ControlledTransaction<Tables>>();
  const taskIds = new Map<string, string>();
  let calls = 0;
  for (const [index, entry] of recording.entries()) {
    const known = open.get(entry.tx);
    if ("end" in entry) {
      await known?.[entry.end]().execute();
      open.delete(entry.tx);
      continue;
    }
    if (notCompared.has(entry.name)) continue;
    const tx = known ?? (await db.startTransaction().execute());
    open.set(entry.tx, tx);
    const where = `${name}, call ${index}: ${entry.name} ${JSON.stringify(entry.args)}`;
    const result = await ask(tx, entry, taskIds).catch((error: Error) => error);
    if (result instanceof Error) {
      if (entry.isLost && result instanceof ClaimLostError) continue;
      await Promise.all([...open.values()].map((one) => one.rollback().execute()));
      throw new Error(`${where}: ${result.message}`, { cause: result });
    } else if (entry.isLost) differences.set(entry.name, `${where}: only the model loses the claim`);
    else if (!(entry.name in tasks)) note(differences, entry.name, where, result, entry.result);
    calls++;
  }
  assert.equal(open.size, 0, "every transaction has ended");
  for (const [table, expected] of Object.entries(rows)) {
    const found = (await sql<object>`select * from ${sql.table(table)}`.execute(db)).rows;
    note(differences, table, `${name}, the table ${table}`, found, expected);
  }
  return calls;
}

function note(differences: Map<string, string>, about: string, where: string, real: unknown, model: unknown): void {
  if (model === null || model === undefined || differences.has(about)) return;
  const [found, expected] = [JSON.stringify(shaped(real, model)), JSON.stringify(shaped(model, model))];
  if (found !== expected) differences.set(about, `${where}\nPostgreSQL: ${found}\nthe model: ${expected}`);
}

async function prepareDatabase(): Promise<void> {
  await sql`truncate organizations, events, notifications, jobs, messages, attempts, transaction_ids, dead_letters
    cascade`.execute(db);
  await sql`truncate queue.job_common`.execute(db);
  await sql`insert into organizations (id, name, created_at) values (${environmentId}, 'o', now())`.execute(db);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${environmentId}, ${environmentId}, 'e', 'e', 'prod', now(), now())`.execute(db);
  const byTable = Map.groupBy(environmentRows(), ([table]) => table);
  for (const [, , row] of byTable.get("workflows")!) {
    const { step_count, active_step_count, rules, ...columns } = row;
    const steps = Array.from({ length: Number(step_count) }, () => ({ active: true }));
    await db
      .insertInto("workflows")
      .values({
        ...columns,
        ...{ description: null, tags: [], is_translation_enabled: false, severity: "none", origin: "external" },
        preferences_default: JSON.stringify((rules as { preferences: { default: object } }).preferences.default),
        steps: JSON.stringify(steps),
        ...{ created_at: new Date(0), updated_at: new Date(0), outside_schedule: "hold" },
      } as never)
      .execute();
  }
  for (const [index, [, , row]] of byTable.get("workflow_versions")!.entries()) {
    const definition = JSON.stringify(row.definition);
    const rest = { created_at: new Date(0), number: index + 1, summary: "" };
    await db
      .insertInto("workflow_versions")
      .values({ ...row, definition, ...rest } as never)
      .execute();
  }
  for (const [, , row] of byTable.get("integrations")!)
    await db
      .insertInto("integrations")
      .values({ ...row, conditions: "[]" } as never)
      .execute();
}

const jobs = sql.table("queue.job_common");

type Ask = (db: Db, args: never, ids: Map<string, string>, entry: RecordedCall) => Promise<unknown>;

const own = (given: Task<unknown>[], ids: Map<string, string>): Task<unknown>[] =>
  given.map((task) => ({ ...task, id: ids.get(task.id)! }));

/** What is asked of the queue: tasks have other ids there, and the recording says which of them are fetched. */
const tasks: Record<string, Ask> = {
  async enqueue(db, [kind, given]: [TaskKind, { data: object }[]], ids, { result }) {
    await queue.enqueue(db, kind, given);
    for (const [index, id] of (result as string[]).entries()) {
      const { rows } = await sql<{ id: string }>`
        select id from ${jobs} where name = ${kind} and data = ${JSON.stringify(given[index]!.data)}::jsonb
          and id <> all(${[...ids.values()]}::uuid[]) limit 1`.execute(db);
      ids.set(id, rows[0]!.id);
    }
  },
  fetch: (db, _args, ids, { result }) =>
    sql`update ${jobs} set state = 'active', started_on = now(), heartbeat_on = now(),
        retry_count = case when started_on is not null then retry_count + 1 else retry_count end
      where id = any(${(result as Task<unknown>[]).map(({ id }) => ids.get(id)!)}::uuid[])`.execute(db),
  takeOver: (db, [lapsed]: [string[]], ids) =>
    sql`update ${jobs} set state = 'retry' where id = any(${lapsed.map((id) => ids.get(id)!)}::uuid[])`.execute(db),
  "give back": async (db, [given, isFree]: [Task<unknown>[], boolean], ids) => {
    for (const { id, attempt } of own(given, ids)) {
      await sql`update ${jobs} set state = 'retry', started_on = case when ${isFree} then null else started_on end
        where id = ${id} and state = 'active' and retry_count = ${attempt}`.execute(db);
    }
  },
  keep: (db, [kind, given]: [TaskKind, Task<unknown>[]], ids) => queue.keep(db, kind, own(given, ids)),
  confirm: (db, [kind, given]: [TaskKind, Task<unknown>[]], ids) => queue.confirm(db, kind, own(given, ids)),
  finish: (db, [kind, given]: [TaskKind, Task<unknown>[]], ids) => queue.finish(db, kind, own(given, ids)),
  finishParts: (db, [kind, list, parts]: [TaskKind, string, { task: Task<unknown>; part: string }[]], ids) =>
    queue.finishParts(
      db,
      kind,
      list,
      parts.map(({ task, part }) => ({ task: own([task], ids)[0]!, part })),
    ),
  savepoint: (db) => sql`savepoint work`.execute(db),
  "rollback to savepoint": (db) => sql`rollback to savepoint work`.execute(db),
};

function ask(db: Db, entry: RecordedCall, ids: Map<string, string>): Promise<unknown> {
  const { name, args } = entry;
  const task = tasks[name];
  if (task) return task(db, args as never, ids, entry);
  const real = functions.get(name);
  assert.ok(real, `there is a function ${name}`);
  return real(db, ...args);
}

/** Entries of a map, by key. */
const byFirst = (entries: unknown[]): unknown[] =>
  entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Only the members that the model has; lists in one order. */
function shaped(value: unknown, shape: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Set || value instanceof Map) return shaped([...value], shape);
  if (value instanceof Date || shape instanceof Date) return new Date(value as Date).getTime();
  if (Array.isArray(shape)) {
    const list = value as unknown[];
    if (Array.isArray(shape[0])) return byFirst(list).map((item, index) => shaped(item, byFirst(shape)[index]));
    const like = (item: unknown, index: number) =>
      shaped(item, typeof shape[0] === "object" && !Array.isArray(shape[0]) ? shape[0] : shape[index]);
    const items = list.map(like);
    return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof shape !== "object" || shape === null) return typeof value === "object" ? canonicalJson(value) : value;
  const given = value as Record<string, unknown>;
  const members = Object.entries(shape).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, shaped(given[name], member)]));
}
