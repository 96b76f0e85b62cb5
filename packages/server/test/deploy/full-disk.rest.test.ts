// A disk that is full while a migration runs: one sentence, nothing is lost, and the next start continues.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "@tidings/testkit/database";
import { temporaryFolder } from "@tidings/testkit/process";
import pg from "pg";
import { newId } from "../../src/lib/ids.ts";

const adminUrl = process.env.TEST_DATABASE_URL!;
const encryptionKey = Buffer.alloc(32, 5).toString("base64");

const query = async <T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<T>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
};

const migrationsIn = async (url: string): Promise<string[]> =>
  (await query<{ name: string }>(url, "select name from schema_migrations order by version")).map(({ name }) => name);

/** Starts the program on a database without space, then on the same one with space. */
async function expectContinuation(context: TestContext, url: string, addSpace: () => Promise<void>) {
  const folder = temporaryFolder(context);
  const environment = { DATABASE_URL: url, TIDINGS_ENCRYPTION_KEY: encryptionKey };
  const first = folder.run(environment);
  assert.equal(await first.ended(), 1, first.output());
  const said = first.output();
  assert.match(said, /The disk of .* is full/);
  assert.match(said, /could not .*(?:No space left on device|wrote only)/);
  assert.doesNotMatch(said, /\n {4}at /, "no stack");

  // A connection needs space as well, for a file of PostgreSQL's.
  await addSpace();
  const done = await migrationsIn(url);
  const second = folder.run(environment);
  await second.started();
  assert.equal(await second.end("SIGTERM"), 0);
  const all = await migrationsIn(url);
  assert.deepEqual(all.slice(0, done.length), done, "whole migrations, in their order");
  assert.ok(all.length > done.length, "the next start continues");
  return done;
}

test("a migration that PostgreSQL refuses with 53100 is undone, and applied by the next start", async (context) => {
  const database = await createTestDatabase({ isEmpty: true });
  context.after(() => database.drop());
  // The table of a later migration: those before it stay.
  await query(
    database.url,
    `create function refuse() returns event_trigger language plpgsql as $$ begin
      if exists (select 1 from pg_event_trigger_ddl_commands() where object_identity = 'public.list_counts') then
        raise exception 'could not extend file "base/5/1259": No space left on device' using errcode = '53100';
      end if; end $$;
    create event trigger full_disk on ddl_command_end execute function refuse()`,
  );
  const done = await expectContinuation(context, database.url, async () => {
    assert.deepEqual(await query(database.url, "select 1 where to_regclass('list_counts') is not null"), []);
    await query(database.url, "drop event trigger full_disk");
  });
  assert.ok(done.length > 0, "earlier migrations are kept");
});

const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: "utf8", timeout: 30_000 });

/** A small disk in memory: null where this user may not mount one. */
function mountSmallDisk(bytes: number, uid: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), "tidings-disk-"));
  const options = `size=${bytes},uid=${uid},mode=700`;
  if (run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

test("a disk that is really full", async (context) => {
  const [server] = await query<{ data: string; bytes: number }>(
    adminUrl,
    "select current_setting('data_directory') as data, pg_database_size('template1')::int as bytes",
  );
  const { uid } = statSync(server!.data);
  const disk = mountSmallDisk(server!.bytes + 2_000_000, uid);
  if (!disk) return context.skip("NO SMALL DISK could be mounted (needs root): a full disk was not tried");
  const name = `full_${newId().replaceAll("-", "")}`;
  context.after(async () => {
    await query(adminUrl, `drop database if exists ${name} with (force)`);
    await query(adminUrl, `drop tablespace if exists ${name}`);
    run("umount", disk);
    rmSync(disk, { recursive: true, force: true });
  });
  chownSync(disk, uid, -1);
  await query(adminUrl, `create tablespace ${name} location '${disk}'`);
  await query(adminUrl, `create database ${name} template template1 strategy file_copy tablespace ${name}`);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  await expectContinuation(context, url, async () => {
    assert.equal(run("mount", "-o", "remount,size=500m", disk).status, 0);
  });
});

test("no space for the embedded PostgreSQL itself", async (context) => {
  const folder = temporaryFolder(context);
  // Less than an empty database takes.
  const disk = mountSmallDisk(20_000_000, process.getuid?.() ?? 0);
  if (!disk) return context.skip("NO SMALL DISK could be mounted (needs root): a full disk was not tried");
  context.after(() => {
    run("umount", disk);
    rmSync(disk, { recursive: true, force: true });
  });
  const first = folder.run({ TIDINGS_DATA_DIR: disk });
  assert.equal(await first.ended(), 1);
  const sentence = `^The disk of the embedded PostgreSQL in ${disk} is full: could not .*\\. The change`;
  assert.match(first.output(), new RegExp(sentence, "m"));
  assert.doesNotMatch(first.output(), /\n {4}at /);
});
