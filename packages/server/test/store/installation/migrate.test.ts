import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { type Db, openDb } from "../../../src/store/db.ts";
import { MigrationChanged, migrate, readMigrations, SchemaTooNew } from "../../../src/store/installation/migrate.ts";
import { ensurePartitions } from "../../../src/store/installation/partitions.ts";
import { createTestDatabase } from "../../support/database.ts";

/** An empty database with one pool per process. */
async function open(context: TestContext, pools = 1): Promise<[Db, ...Db[]]> {
  const database = await createTestDatabase({ isEmpty: true });
  const openOne = () => openDb({ url: database.url, poolSize: 2, onError: () => {} });
  const all: [Db, ...Db[]] = [openOne(), ...Array.from({ length: pools - 1 }, openOne)];
  context.after(async () => {
    await Promise.all(all.map((db) => db.destroy()));
    await database.drop();
  });
  return all;
}

const names = readMigrations().map((migration) => migration.name);

const tablesOf = async (db: Db): Promise<string[]> =>
  (
    await sql<{ name: string }>`select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and relkind in ('r', 'p') order by 1`.execute(db)
  ).rows.map((row) => row.name);

test("migrations are numbered without gaps or duplicates", () => {
  assert.deepEqual(
    readMigrations().map((migration) => migration.version),
    names.map((_, index) => index + 1),
  );
});

test("an empty database gets every migration, a second run changes nothing", async (context) => {
  const [db] = await open(context);
  assert.deepEqual(await migrate(db), names);
  const tables = await tablesOf(db);
  for (const table of ["events", "notifications", "jobs", "messages", "schema_migrations"]) {
    assert.ok(tables.includes(table), table);
  }
  assert.deepEqual(await migrate(db), []);
  assert.deepEqual(await tablesOf(db), tables);
});

test("several processes may migrate at once: each migration is applied by one of them", async (context) => {
  const pools = await open(context, 6);
  const applied = await Promise.all(pools.map((db) => migrate(db)));
  assert.deepEqual(applied.flat().toSorted(), names.toSorted());
  const { rows } = await sql<{ count: number }>`select count(*) as count from schema_migrations`.execute(pools[0]);
  assert.equal(rows[0]!.count, names.length);
});

test("the statement time-out is lifted for migrations only", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  for (let connection = 0; connection < 2; connection++) {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
    assert.equal(rows[0]!.statement_timeout, "1min");
  }
});

test("a database of a newer version is refused and not changed", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  await sql`insert into schema_migrations (version, name, checksum) values (9999, '9999_future', 'x')`.execute(db);
  await assert.rejects(
    () => migrate(db),
    (error) => error instanceof SchemaTooNew && /9999_future.*Start the newer version/.test(error.message),
  );
});

test("a migration that was changed after it was applied is refused", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  await sql`update schema_migrations set checksum = 'other' where version = 1`.execute(db);
  await assert.rejects(
    () => migrate(db),
    (error) => error instanceof MigrationChanged && error.message.includes(names[0]!),
  );
  // The refusal released the lock: the next process does not wait.
  await sql`delete from schema_migrations where version = 9999`.execute(db);
  await assert.rejects(() => migrate(db), MigrationChanged);
});

test("a migration that fails changes nothing", async (context) => {
  const [db] = await open(context);
  // The first migration fails, because a table of the same name exists.
  await sql`create table digest_windows (x integer)`.execute(db);
  await assert.rejects(() => migrate(db), /already exists/);
  assert.deepEqual(await tablesOf(db), ["digest_windows", "schema_migrations"]);
  await sql`drop table digest_windows`.execute(db);
  assert.deepEqual(await migrate(db), names);
});

test("attachments in payloads are moved to event_attachments", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  await ensurePartitions(db, new Date());
  // As the database was before the migration.
  await sql`drop table event_attachments`.execute(db);
  await sql`delete from schema_migrations where name like '%_event_attachments'`.execute(db);
  const file = { name: "a.txt", mime: "text/plain", file: Buffer.from("seven").toString("base64") };
  const shown = { name: "a.txt", mime: "text/plain", size: 5 };
  const cases = [
    { payload: { n: 1, attachments: [file, { ...file, channels: ["email"] }] }, isMoved: true },
    { payload: { attachments: [file, "x"] }, isMoved: false },
    { payload: { attachments: "none" }, isMoved: false },
    { payload: { attachments: [] }, isMoved: false },
    { payload: { n: 2 }, isMoved: false },
  ].map((one) => ({ ...one, id: newId() }));
  for (const { id, payload } of cases) {
    await sql`insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload,
      recipients, created_at) values (${id}, ${newId()}, ${id}, ${newId()}, ${newId()}, ${JSON.stringify(payload)}, '[]',
      now())`.execute(db);
  }
  await migrate(db);
  const { rows } = await sql<{ id: string; payload: object; attachments: object | null }>`
    select e.id, e.payload, a.attachments from events e left join event_attachments a
      on a.id = e.id and a.environment_id = e.environment_id order by e.id`.execute(db);
  const moved = { n: 1, attachments: [shown, { ...shown, channels: ["email"] }] };
  assert.deepEqual(
    rows,
    cases.map(({ id, payload, isMoved }) => ({
      id,
      payload: isMoved ? moved : payload,
      attachments: isMoved ? (payload.attachments as object) : null,
    })),
  );
  assert.deepEqual(await ensurePartitions(db, new Date()), [], "the new table has the months of the events");
});
