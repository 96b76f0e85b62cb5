import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { firstIdAt, newId } from "../../../src/lib/ids.ts";
import { type Db, openDb } from "../../../src/store/db.ts";
import { MigrationChangedError, migrate } from "../../../src/store/installation/migrate.ts";
import { readMigrations } from "../../../src/store/installation/migration-files.ts";
import { ensurePartitions, monthsAround } from "../../../src/store/installation/partitions.ts";

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
  for (const table of ["events", "notifications", "jobs", "messages", "schema_versions"]) {
    assert.ok(tables.includes(table), table);
  }
  assert.deepEqual(await migrate(db), []);
  assert.deepEqual(await tablesOf(db), tables);
});

test("several processes may migrate at once: each migration is applied by one of them", async (context) => {
  const pools = await open(context, 6);
  const applied = await Promise.all(pools.map((db) => migrate(db)));
  assert.deepEqual(applied.flat().toSorted(), names.toSorted());
  const { rows } = await sql<{ count: number }>`select count(*) as count from schema_versions`.execute(pools[0]);
  assert.equal(rows[0]!.count, names.length);
});

/** The schemas that have this table. */
const schemasOf = async (db: Db, table: string): Promise<string[]> =>
  (
    await sql<{ name: string }>`select n.nspname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = ${table} order by 1`.execute(db)
  ).rows.map((row) => row.name);

test("the tables of a role called tidings are not searched in the schema of the functions", async (context) => {
  const [db, restored] = await open(context, 2);
  assert.equal((await sql<{ role: string }>`select current_user as role`.execute(db)).rows[0]!.role, "tidings");
  await migrate(db);
  // What a copy of the database has lost.
  await sql`select format('alter role tidings in database %I reset search_path', current_database()) as text`
    .execute(db)
    .then(({ rows }) => sql.raw((rows[0] as { text: string }).text).execute(db));
  assert.deepEqual(await migrate(restored!), []);
  assert.deepEqual(await schemasOf(db, "schema_versions"), ["public"]);
});

test("an installation in the schema tidings stays there", async (context) => {
  const [db] = await open(context);
  await sql`create schema tidings`.execute(db);
  assert.deepEqual(await migrate(db), names);
  assert.deepEqual(await migrate(db), []);
  for (const table of ["events", "sql_outbox", "schema_versions"])
    assert.deepEqual(await schemasOf(db, table), ["tidings"], table);
});

test("the statement time-out is lifted for migrations only", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  for (let connection = 0; connection < 2; connection++) {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
    assert.equal(rows[0]!.statement_timeout, "1min");
  }
});

test("a migration that was changed after it was applied is refused", async (context) => {
  const [db] = await open(context);
  await migrate(db);
  await sql`update schema_versions set checksum = 'other' where version = 1`.execute(db);
  await assert.rejects(
    () => migrate(db),
    (error) => error instanceof MigrationChangedError && error.message.includes(names[0]!),
  );
  // The refusal released the lock: the next process does not wait.
  await assert.rejects(() => migrate(db), MigrationChangedError);
});

test("a migration that fails changes nothing", async (context) => {
  const [db] = await open(context);
  // The first migration fails, because a table of the same name exists.
  await sql`create table digest_windows (x integer)`.execute(db);
  await assert.rejects(() => migrate(db), /already exists/);
  assert.deepEqual(await tablesOf(db), ["digest_windows", "schema_migrations", "schema_versions"]);
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
  await sql`delete from schema_versions where name like '%_event_attachments'`.execute(db);
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

/** The state of the database before the migration of this name. */
async function migrateUpTo(db: Db, name: string): Promise<void> {
  await sql`create table schema_migrations (version integer primary key, name text not null, checksum text not null,
    applied_at timestamptz not null default now())`.execute(db);
  for (const { version, name: own, text, checksum } of readMigrations()) {
    if (own.endsWith(name)) return;
    await sql.raw(text).execute(db);
    await sql`insert into schema_migrations (version, name, checksum) values (${version}, ${own}, ${checksum})`.execute(
      db,
    );
  }
}

test("addresses of people get their keys, also where two of them are equal now", async (context) => {
  const [db] = await open(context);
  await migrateUpTo(db, "_people_guards");
  const organizationId = newId();
  await sql`insert into organizations (id, name, created_at) values (${organizationId}, 'o', now())`.execute(db);
  // As a database with a Turkish locale allows.
  await sql`drop index users_email`.execute(db);
  await sql`create index users_email on users (organization_id)`.execute(db);
  const people = [
    { id: newId(), email: "KIM@example.com", role: "viewer", isRemoved: false },
    { id: newId(), email: "kim@example.com", role: "owner", isRemoved: false },
    { id: newId(), email: "kim@example.com", role: null, isRemoved: true },
    { id: newId(), email: "K\u0130m@example.com", role: "viewer", isRemoved: false },
    { id: newId(), email: null, role: null, isRemoved: false },
  ];
  for (const { id, email, role, isRemoved } of people) {
    await sql`insert into users (id, organization_id, name, created_at, email, role, removed_at)
      values (${id}, ${organizationId}, 'p', now(), ${email}, ${role}, ${isRemoved ? new Date() : null})`.execute(db);
  }
  await sql`insert into person_links (id, organization_id, kind, secret_hash, email, role, created_at, expires_at)
    values (${newId()}, ${organizationId}, 'invitation', '\\x00', 'New@example.com', 'viewer', now(), now())`.execute(
    db,
  );
  await migrate(db);
  const keys = await db.selectFrom("users").orderBy("id").select("email_key").execute();
  assert.deepEqual(
    keys.map((row) => row.email_key),
    [`kim@example.com ${people[0]!.id}`, "kim@example.com", "kim@example.com", "k\u0130m@example.com", null],
  );
  const links = await db.selectFrom("person_links").select("email_key").execute();
  assert.deepEqual(links, [{ email_key: "new@example.com" }]);
});

test("the keys of stored rows get the environment in front, and jobs move to the month of their notification", async (context) => {
  const [db] = await open(context);
  await migrateUpTo(db, "_lean_keys");
  // Partitions are created for today's tables; two of them came later.
  const later = ["event_search_values", "exposures"];
  for (const name of later) await sql`create table ${sql.table(name)} (id uuid) partition by range (id)`.execute(db);
  await ensurePartitions(db, new Date());
  for (const name of later) await sql`drop table ${sql.table(name)}`.execute(db);
  const month = monthsAround(new Date())[1]!;
  const [organizationId, environmentId, workflowId] = [newId(), newId(), newId()];
  await sql`insert into organizations (id, name, created_at) values (${organizationId}, 'o', now())`.execute(db);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${environmentId}, ${organizationId}, 'one', 'one', 'dev', now(), now())`.execute(db);
  const before = (id: string, ms: number) =>
    firstIdAt(new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - ms));
  // The second notification was created just before the month began, its jobs just after; only a job is left of the
  // third.
  const notifications = [newId(), before(month.from, 5)];
  const removed = before(month.from, 3);
  const jobs = [
    { id: newId(), notification_id: notifications[0], step_index: 0 },
    { id: newId(), notification_id: notifications[0], step_index: 1 },
    { id: month.from, notification_id: notifications[1], step_index: 0 },
    { id: newId(), notification_id: removed, step_index: 0 },
  ];
  const events = [newId(), newId()];
  for (const [index, id] of notifications.entries()) {
    await sql`insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity,
        critical, created_at, updated_at)
      values (${id}, ${environmentId}, ${events[index]}, ${workflowId}, ${workflowId}, ${newId()}, 'none', false, now(), now())
    `.execute(db);
  }
  for (const { id, notification_id, step_index } of jobs) {
    await sql`insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
      values (${id}, ${environmentId}, ${notification_id}, ${step_index}, 'in_app', 'completed', '[]', now())`.execute(
      db,
    );
  }
  for (const [index, id] of events.entries()) {
    const transactionId = index === 0 ? "given" : `txn_${id.replaceAll("-", "")}`;
    await sql`insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients,
        created_at)
      values (${id}, ${environmentId}, ${transactionId}, ${workflowId}, ${workflowId}, '{}', '[]', now())`.execute(db);
  }
  // Tasks of versions before tasks carried their environment.
  await sql`create schema queue`.execute(db);
  await sql`create table queue.job_common (name text, data jsonb, singleton_key text)`.execute(db);
  await sql`insert into queue.job_common (name, data) values
    ('trigger', ${JSON.stringify({ eventIds: [events[0]] })}), ('fanout', ${JSON.stringify({ eventId: events[1], from: 0, to: 1 })}),
    ('wake', ${JSON.stringify({ notificationIds: [notifications[1]] })}), ('housekeeping', '{"name":"groups"}')`.execute(
    db,
  );

  await migrate(db);

  const { rows } = await sql<{ id: string; partition: string }>`
    select id, tableoid::regclass::text as partition from jobs order by notification_id desc, step_index`.execute(db);
  const earlier = monthsAround(new Date())[0]!;
  assert.deepEqual(rows, [
    { id: jobs[0]!.id, partition: `jobs_${month.name}` },
    { id: jobs[1]!.id, partition: `jobs_${month.name}` },
    { id: jobs[2]!.id, partition: `jobs_${earlier.name}` },
  ]);
  const { rows: claimed } = await sql`select transaction_id, event_id from transaction_ids`.execute(db);
  assert.deepEqual(claimed, [{ transaction_id: "given", event_id: events[0] }]);
  const { rows: tasks } =
    await sql`select name from queue.job_common where singleton_key = ${environmentId} order by name`.execute(db);
  assert.deepEqual(tasks, [{ name: "fanout" }, { name: "trigger" }, { name: "wake" }]);
  assert.deepEqual(await indexesOf(db), await indexesOf(await freshDatabase(context)));
  assert.deepEqual(await ensurePartitions(db, new Date()), [], "the months are kept");
});

/** The indexes of each partition, without their names. */
async function indexesOf(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select c.relname as table, substring(pg_get_indexdef(x.indexrelid) from 'USING .*') as definition, x.indisprimary,
      exists (select 1 from pg_inherits h where h.inhrelid = x.indexrelid) as is_joined
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_index x on x.indrelid = c.oid
    where c.relkind = 'r' order by 1, 2`.execute(db);
  return rows;
}

async function freshDatabase(context: TestContext): Promise<Db> {
  const [db] = await open(context);
  await migrate(db);
  await ensurePartitions(db, new Date());
  return db;
}
