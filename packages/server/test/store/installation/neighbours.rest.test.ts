// Which programs may run on which schema, and how a migration waits for locks. The releases and the migrations behind
// the last real one are made up here: the rules are those of the service.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "@tidings/testkit/database";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { type Db, inTransaction, openDb } from "../../../src/store/db.ts";
import { type MigrateOptions, migrate, waitForSchema } from "../../../src/store/installation/migrate.ts";
import { readMigrations, toMigration } from "../../../src/store/installation/migration-files.ts";
import { compatibleFrom, findSkipped, releases } from "../../../src/store/installation/releases.ts";
import { readSchemaState } from "../../../src/store/installation/schema-state.ts";

/** A database that this program has migrated. */
async function open(context: TestContext, { isEmpty = false } = {}): Promise<Db> {
  const database = await createTestDatabase({ isEmpty });
  const db = openDb({ url: database.url, poolSize: 4, onError: () => {} });
  context.after(async () => {
    await db.destroy();
    await database.drop();
  });
  return db;
}

const own = readMigrations();
const newest = own.at(-1)!.version;
const madeUp = (offset: number, text: string) => toMigration(`${newest + offset}_made_up`, text);
const expand = madeUp(1, "create table added (id integer)");
const contract = madeUp(2, "-- contract: table added, unused since 0.2.0\ndrop table added");

/** Each adds one migration: 0.2.0 is this program, 0.3.0 the next release, 0.4.0 the one after it. */
const known = [...releases, { version: "0.2.0", newest }, { version: "0.3.0", newest: newest + 1 }];
const next: MigrateOptions = { migrations: [...own, expand], releases: known.slice(0, -1) };
const afterNext: MigrateOptions = { migrations: [...own, expand, contract], releases: known };

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  );

test("a release runs with the one before and the one after", () => {
  const list = [
    { version: "1.0.0", newest: 10 },
    { version: "1.1.0", newest: 12 },
  ];
  const cases = [1, 10, 11, 12, 13, 20].map((migration) => [migration, compatibleFrom(migration, list)]);
  assert.deepEqual(cases, [
    [1, 10],
    [10, 10],
    [11, 10],
    [12, 10],
    [13, 12],
    [20, 12],
  ]);
  assert.deepEqual(findSkipped(10, 12, list), []);
  assert.deepEqual(findSkipped(10, 13, list), ["1.1.0"]);
  assert.deepEqual(findSkipped(12, 13, list), []);
  const withoutMigrations = [...list, { version: "1.2.0", newest: 12 }];
  assert.deepEqual(findSkipped(10, 13, withoutMigrations), ["1.2.0"]);
  assert.deepEqual(findSkipped(12, 13, withoutMigrations), []);
});

test("on the schema of the next release this program continues; on that of the one after it is refused", async (context) => {
  const db = await open(context);
  await migrate(db, next);
  assert.deepEqual(await migrate(db), [], "it starts, and applies nothing");
  const shared = { newer: expand.name, isTooNew: false, isShared: true };
  assert.deepEqual(await readSchemaState(db), shared);
  await sql`update schema_versions set applied_at = now() - interval '25 hours'`.execute(db);
  assert.deepEqual(await readSchemaState(db), { ...shared, isShared: false }, "the newer one has gone");

  await sql`update background_migrations set finished_at = now()`.execute(db);
  await migrate(db, afterNext);
  assert.equal((await readSchemaState(db)).isTooNew, true);
  const refusal = await refusalOf(migrate(db));
  assert.match(refusal, new RegExp(`^SchemaTooNewError: .*${contract.name}.*Start the newer version\\.$`));
  assert.equal(await refusalOf(waitForSchema(db, { limitMs: 0, say: () => {} })), refusal);
});

test("two releases apart are refused with the releases in between, and nothing changes", async (context) => {
  const db = await open(context, { isEmpty: true });
  const first = own.slice(0, releases[0]!.newest);
  await migrate(db, { migrations: first, releases: [] });
  assert.match(await refusalOf(migrate(db, next)), /^SchemaTooOldError: .*one after the other: 0\.2\.0\. Nothing was/);
  assert.match(await refusalOf(migrate(db, afterNext)), /one after the other: 0\.2\.0, 0\.3\.0\./);
  assert.equal((await readSchemaState(db)).newer, null);
  assert.equal((await migrate(db)).length, own.length - first.length, "the neighbour is accepted");
});

test("programs of 0.1 see only what they must know", async (context) => {
  const db = await open(context);
  const seen = async () =>
    (await sql<{ version: number }>`select max(version) as version from schema_migrations`.execute(db)).rows[0]!
      .version;
  assert.equal(await seen(), 44);
  await migrate(db, next);
  assert.equal(await seen(), newest + 1, "0.1 may no longer run on the release after 0.2");
});

test("what is removed waits for what is rewritten in the background", async (context) => {
  const db = await open(context);
  await migrate(db, next);
  // The template of test databases has no rows to rewrite.
  await sql`update background_migrations set finished_at = null where name = 'encrypt_old_rows'`.execute(db);
  assert.match(
    await refusalOf(migrate(db, afterNext)),
    /^SchemaTooOldError: .*still being rewritten in the background \(encrypt_old_rows\)/,
  );
  await sql`update background_migrations set finished_at = now()`.execute(db);
  assert.deepEqual(await migrate(db, afterNext), [contract.name]);
});

/** Locks the table until the returned function is called. */
async function lock(db: Db): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const holding = inTransaction(db, async (tx) => {
    await sql`set local application_name = 'somebody'`.execute(tx);
    await sql`lock table messages in row exclusive mode`.execute(tx);
    hold();
    await released;
  });
  await isHeld;
  return () => {
    release();
    return holding;
  };
}

const alter = madeUp(1, "alter table messages add column added integer");

test("a migration waits a short time for a lock, again and again, and says who holds it", async (context) => {
  const db = await open(context);
  const release = await lock(db);
  const said: string[] = [];
  const locks = { waitMs: 150, pausesMs: Array<number>(200).fill(50) };
  const migrating = migrate(db, { migrations: [...own, alter], locks, say: (text) => said.push(text) });
  await eventually(() => said.length >= 2, "it to be tried again");
  assert.match(
    said[0]!,
    /^migration \d+_made_up waits: table messages is locked by session \d+ of the database \(somebody, idle in transaction, for \d+ s\); next try in 0\.05 s$/,
  );
  await release();
  assert.deepEqual(await migrating, [alter.name]);
  const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(db);
  assert.equal(rows[0]!.lock_timeout, "5s", "for the migration only");
});

test("a migration that gets no lock gives up with a sentence, and changes nothing", async (context) => {
  const db = await open(context);
  const release = await lock(db);
  const refusal = await refusalOf(migrate(db, { migrations: [...own, alter], locks: { waitMs: 150, pausesMs: [10] } }));
  assert.match(
    refusal,
    /^MigrationStoppedError: Migration \d+_made_up could not be applied within 1 s: table messages is locked by session \d+ of the database \(somebody, .*Nothing was changed\.$/,
  );
  await release();
  assert.equal((await readSchemaState(db)).newer, null);
  assert.deepEqual(await migrate(db, { migrations: [...own, alter] }), [alter.name]);
});

test("a full disk ends a migration with a sentence, and changes nothing", async (context) => {
  const db = await open(context);
  const full = madeUp(
    1,
    `create table made_up (id integer);
    do $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  );
  assert.match(
    await refusalOf(migrate(db, { migrations: [...own, full] })),
    /^MigrationStoppedError: Migration \d+_made_up could not be applied: could not extend file: No space left on device\. The disk of the database is full: make room, and start again\. Nothing was changed\.$/,
  );
  assert.deepEqual((await sql`select to_regclass('made_up') as found`.execute(db)).rows, [{ found: null }]);
});

test("a connection that is lost ends a migration with a sentence", async (context) => {
  const db = await open(context);
  const lost = madeUp(1, "select pg_terminate_backend(pg_backend_pid())");
  assert.match(
    await refusalOf(migrate(db, { migrations: [...own, lost] })),
    /^MigrationStoppedError: Migration \d+_made_up could not be applied: .*\. The connection to the database was lost: check the server, and start again\./,
  );
});

test("an index of a large table is built without a lock, and again if it was interrupted", async (context) => {
  const db = await open(context);
  await sql`insert into installation (name, value) values ('one', 'same'), ('two', 'same')`.execute(db);
  const index = madeUp(
    1,
    "-- without a transaction\ncreate unique index concurrently if not exists made_up on installation (value)",
  );
  await assert.rejects(migrate(db, { migrations: [...own, index] }), /could not create unique index/);
  await sql`delete from installation where name = 'two'`.execute(db);
  assert.deepEqual(await migrate(db, { migrations: [...own, index] }), [index.name]);
  const { rows } = await sql`select 1 from pg_index where indexrelid = 'made_up'::regclass and indisvalid`.execute(db);
  assert.equal(rows.length, 1);
});

test("without migrating, a start waits for the schema, for a limited time", async (context) => {
  const db = await open(context, { isEmpty: true });
  const said: string[] = [];
  const options = { limitMs: 300, say: (text: string) => void said.push(text) };
  assert.match(
    await refusalOf(waitForSchema(db, options)),
    /^SchemaTooOldError: TIDINGS_MIGRATE is off, and after 0\.3 seconds .* its last one is none: run `tidings migrate`\.$/,
  );
  const waiting = waitForSchema(db, { ...options, limitMs: 60_000 });
  await migrate(db);
  await waiting;
  assert.equal(said.length, 2);
});
