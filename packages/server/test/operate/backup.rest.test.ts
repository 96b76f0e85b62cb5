// A service under load is backed up, and restored into other databases: the same rows, keys, inboxes and credentials;
// runs that waited continue, once; what was due in between is sent or canceled as the operator chooses.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer, person } from "@tidings/testkit/servers/webhook-providers";
import {
  createWorkflow,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { framesOf, headerOf } from "../../src/operate/backup.ts";
import { readHeader, verifyFile, writeToFile } from "../../src/operate/backup-file.ts";
import { backup, restore } from "../../src/operate/index.ts";
import { openSession } from "../../src/store/backup/session.ts";
import { openSnapshot } from "../../src/store/backup/snapshot.ts";
import { createSchema } from "../../src/store/backup/target.ts";
import { readMigrations } from "../../src/store/installation/migration-files.ts";
import { hashesOf, newDatabase, newFolder, operation, settingsFor, startOn, tableNames, withDb } from "./support.ts";

const folder = newFolder();
const provider = await startReceiver();
/** How many mails an address got, from all services. */
const mailsTo = (name: string) => provider.received.filter(({ body }) => body.includes(`${name}@example.com`)).length;

const source = await newDatabase();
const wait = (type: "delay" | "digest") =>
  ({ name: "Wait", type, controlValues: { amount: 1, unit: "hours" } }) as const;

const file = join(folder, "stopped.backup");
const events: Record<"ada" | "bob" | "cy" | "dee" | "many", string> = { ada: "", bob: "", cy: "", dee: "", many: "" };

test("a backup is the database at one moment, while events come in", async () => {
  const service = await startOn(source);
  const { client } = service;
  await mailer(client, "mail", provider.url);
  await createWorkflow(client, "note", [inApp()]);
  await createWorkflow(client, "letter", [email()]);
  await createWorkflow(client, "later", [wait("delay"), email()]);
  await createWorkflow(client, "bundle", [wait("digest"), email()]);
  await settled(client, await trigger(client, "note", "ada", { name: "Ada" }));
  events.ada = await trigger(client, "later", person("ada"));
  events.cy = await trigger(client, "later", person("cy"));
  for (const order of [1, 2]) events.bob = await trigger(client, "bundle", person("bob"), { order });

  let isLoaded = true;
  const load = (async () => {
    let count = 0;
    for (; isLoaded; count++) await trigger(client, "note", [`reader-${count}`, "ada"], { name: "you" });
    return count;
  })();
  const under = join(folder, "under-load.backup");
  const session = await openSession(source, "test");
  const snapshot = await openSnapshot(session);
  const { id } = (await session.query("select pg_export_snapshot() as id")).rows[0];
  const header = headerOf(snapshot);
  // The load continues during the copy, and after the moment of the snapshot.
  await eventually(async () => (await feedOf(client, "ada")).length > 5, "events during the backup");
  const { trailer } = await writeToFile(
    framesOf(session, header, () => {}),
    under,
    new AbortController().signal,
  );
  const names = header.tables.map(({ name }) => name);
  const before = await hashesOf(source, names, id);
  isLoaded = false;
  assert.ok((await load) > 5);
  await session.end();
  await service.stop();
  assert.notDeepEqual(before, await hashesOf(source, names), "the database has changed since");

  // Every table of the catalogue, whoever adds one, except for those that a crash empties.
  const { rows } = await withDb(source, (db) =>
    sql<{ name: string }>`select relname as name from pg_class where relpersistence = 'u' and relkind = 'r'`.execute(
      db,
    ),
  );
  assert.deepEqual(rows, [{ name: "budgets" }]);
  assert.deepEqual([...names, "budgets"].toSorted(), (await tableNames(source)).toSorted());
  assert.ok(names.includes("queue.job_common"));

  // The backup of a test has no keys, as nothing of it needs them.
  const target = await newDatabase({ isEmpty: true });
  const restored = await restore({ file: under, due: "send", ...operation(settingsFor(target)) });
  assert.equal(restored.rows, trailer.rows);
  assert.deepEqual(await hashesOf(target, names), before);
});

test("the schema of a restored database is the one that it had", async () => {
  const target = await newDatabase({ isEmpty: true });
  await backup({ to: file, withKey: false, ...operation(settingsFor(source)) });
  await restore({ file, due: "send", ...operation(settingsFor(target)) });
  const describe = (url: string) =>
    withDb(url, async (db) => {
      const { rows } = await sql<{ line: string }>`
        select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as line
          from pg_constraint where connamespace in ('public'::regnamespace, 'queue'::regnamespace)
        union all select 'index ' || indexdef from pg_indexes where schemaname in ('public', 'queue')
        union all select 'trigger ' || pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
        union all select 'column ' || attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod)
          from pg_attribute a join pg_class c on c.oid = a.attrelid
          where c.relnamespace in ('public'::regnamespace, 'queue'::regnamespace) and attnum > 0 and c.relkind in ('r', 'p')
        union all select 'options ' || relname || coalesce(reloptions::text, '') from pg_class
          where relnamespace in ('public'::regnamespace, 'queue'::regnamespace) and relkind = 'r'
        order by 1`.execute(db);
      return rows.map(({ line }) => line);
    });
  // The service adds these two to the queue at its start.
  const own = /job_(group_due|next)\b|job_group\b/;
  const lines = async (url: string) => (await describe(url)).filter((line) => !own.test(line));
  assert.deepEqual(await lines(target), await lines(source));
});

test("a backup of an older version restores with its tables, and the next start migrates them", async () => {
  const [migration, queue] = [30, 41];
  const old = await newDatabase({ isEmpty: true });
  const client = await openSession(old, "test");
  await client.query("begin");
  await createSchema(client, { migration, queue });
  for (const { version, name, checksum } of readMigrations().slice(0, migration))
    await client.query("insert into schema_migrations values ($1, $2, $3)", [version, name, checksum]);
  await client.query("commit");
  await client.end();
  const older = join(folder, "older.backup");
  await backup({ to: older, withKey: false, ...operation(settingsFor(old)) });
  const target = await newDatabase({ isEmpty: true });
  await restore({ file: older, due: undefined, ...operation(settingsFor(target)) });
  const names = await tableNames(old);
  assert.deepEqual(await tableNames(target), names);
  assert.ok(!names.includes("alerts"), "a later migration adds it");
  const service = await startOn(target);
  await settled(service.client, await trigger(service.client, "welcome", "ada"));
  await service.stop();
  const migrated = join(folder, "migrated.backup");
  await backup({ to: migrated, withKey: false, ...operation(settingsFor(target)) });
  const [then, now] = [await readHeader(migrated), await readHeader(file)];
  assert.deepEqual([then.migrations, then.queue], [now.migrations, now.queue]);
});

test("what was due is sent once, or canceled with a reason; what is due later continues", async () => {
  // Without a worker, messages wait for their provider and events for their turn.
  const service = await startOn(source, { TIDINGS_ROLE: "api" });
  events.dee = await trigger(service.client, "letter", person("dee"));
  const crowd = Array.from({ length: 30 }, (_, number) => `crowd-${number}`);
  events.many = await trigger(service.client, "note", crowd, { name: "all" });
  await service.stop();
  // The hour of two runs has passed; the third has more time.
  await withDb(source, async (db) => {
    const past = sql`now() - interval '1 minute'`;
    const late = sql`(select n.id from notifications n join events e on e.id = n.event_id where e.transaction_id = ${events.cy})`;
    await sql`update jobs set wake_at = ${past} where wake_at is not null and notification_id <> ${late}`.execute(db);
    await sql`update digest_windows set due_at = ${past}`.execute(db);
    await sql`update queue.job set start_after = ${past}, priority = 0
      where name = 'wake' and not data->'notificationIds' ? ${late}::text`.execute(db);
    // As the functions for calls by SQL write it, in an environment whose source takes it.
    const environment = sql`(select environment_id from workflows where workflow_id = 'letter')`;
    const call = JSON.stringify({ name: "letter", to: person("flo"), payload: {} });
    await sql`insert into sql_outbox (environment_id, transaction_id, kind, key, body)
      values (${environment}, 'sql_1', 'trigger', 'flo', ${call}::jsonb)`.execute(db);
    await sql`insert into sources (environment_id, id, kind, name, created_at, updated_at)
      values (${environment}, gen_random_uuid(), 'local', 'This database', now(), now())`.execute(db);
  });
  const result = await backup({ to: file, withKey: false, ...operation(settingsFor(source)) });
  assert.equal(result.key, "TIDINGS_ENCRYPTION_KEY");
  assert.equal((await verifyFile(file)).rows, result.rows);
  assert.equal(mailsTo("dee") + mailsTo("ada") + mailsTo("bob"), 0);

  const sent = await newDatabase({ isEmpty: true });
  await assert.rejects(restore({ file, due: undefined, ...operation(settingsFor(sent)) }), (error: Error) => {
    assert.match(error.message, /2 events, 3 runs and 1 message waited, due from [-\d]+ .* UTC to .* UTC\. /);
    assert.match(error.message, /--skip-due cancels it.*--send-due sends it now.*Nothing was changed\.$/);
    return true;
  });
  const { due } = await restore({ file, due: "send", ...operation(settingsFor(sent)) });
  assert.deepEqual(
    due.map(({ noun, count }) => `${count} ${noun}`),
    ["2 event", "2 run", "1 message"],
  );
  const goingOn = await startOn(sent);
  for (const name of ["ada", "bob", "dee"] as const) await settled(goingOn.client, events[name]);
  await eventually(async () => (await notificationsOf(goingOn.client, events.many)).length === 30, "the waiting event");
  await eventually(() => mailsTo("flo") === 1, "the event triggered by SQL");
  assert.deepEqual(["ada", "bob", "cy", "dee"].map(mailsTo), [1, 1, 0, 1], "each once, with the stored credentials");
  // Rows of the outbox continue with the next number.
  const lastId = await withDb(sent, (db) =>
    sql<{ id: number }>`insert into sql_outbox (environment_id, transaction_id, kind, body)
      values (gen_random_uuid(), 'sql_2', 'trigger', '{}') returning id`.execute(db),
  );
  assert.equal(Number(lastId.rows[0]!.id), 2);
  const feed = await feedOf(goingOn.client, "ada");
  await goingOn.stop();

  const skipped = await newDatabase({ isEmpty: true });
  await restore({ file, due: "skip", ...operation(settingsFor(skipped)) });
  const { client, stop } = await startOn(skipped);
  for (const name of ["ada", "bob", "dee"] as const) {
    const [notification] = await settled(client, events[name]);
    const texts = JSON.stringify(notification!.jobs);
    assert.match(texts, /Step canceled/);
    assert.match(texts, /restored from a backup of .* UTC, after which it may have been sent/);
  }
  const [message] = await messagesOf(client, events.dee);
  assert.match(JSON.stringify(message), /Canceled: restored from a backup/);
  const [waiting] = await notificationsOf(client, events.cy);
  assert.equal(waiting!.jobs!.find(({ type }) => type === "delay")!.status, "delayed");
  assert.deepEqual(await feedOf(client, "ada"), feed, "the same inbox");
  // The canceled tasks leave the queue without a trace.
  await eventually(async () => {
    const tasks = await withDb(skipped, (db) =>
      sql`select 1 from queue.job where state <= 'active' and name in ('trigger', 'deliver')`.execute(db),
    );
    return tasks.rows.length === 0;
  }, "the end of canceled tasks");
  assert.equal((await notificationsOf(client, events.many)).length, 0);
  assert.deepEqual(["ada", "bob", "cy", "dee", "flo"].map(mailsTo), [1, 1, 0, 1, 1], "nothing more was sent");
  await settled(client, await trigger(client, "letter", person("eve")));
  assert.equal(mailsTo("eve"), 1);
  await stop();
});

test("an open backup can be read as what it is", async () => {
  const { keys, encryptionKey, tables, open, program } = await readHeader(file);
  assert.equal(encryptionKey, undefined);
  assert.match(keys[0]!.fingerprint, /^[0-9a-f]{32}$/);
  assert.ok(tables.some(({ name, partition }) => name.startsWith("messages_") && partition?.of === "messages"));
  assert.deepEqual(
    open.map(({ noun }) => noun),
    ["event", "run", "message"],
  );
  assert.match(program, /^\d+\.\d+\.\d+/);
});
