// The law on migrations: a program of the release before runs while they are applied, and afterwards
// (docs/decisions/0034-rolling-upgrades.md). Those of 0.1.0 were applied while the service was stopped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { openDb } from "../../src/store/db.ts";
import { migrate } from "../../src/store/installation/migrate.ts";
import { readMigrations, toMigration } from "../../src/store/installation/migration-files.ts";
import { ensurePartitions } from "../../src/store/installation/partitions.ts";
import { releases } from "../../src/store/installation/releases.ts";
import { version } from "../../src/version.ts";
import { findBreaches } from "../support/law/migrations.ts";

const migrations = readMigrations();

async function open(isEmpty: boolean) {
  const database = await createTestDatabase({ isEmpty });
  const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
  atEnd(async () => {
    await db.destroy();
    await database.drop();
  });
  return db;
}

test("every migration since 0.1.0 leaves programs of the release before what they use", async () => {
  const db = await open(true);
  const [first] = releases;
  await migrate(db, { migrations: migrations.filter((one) => one.version <= first!.newest) });
  // Partitions are created for today's tables; one of them came later.
  await sql`create table exposures (id uuid) partition by range (id)`.execute(db);
  await ensurePartitions(db, new Date());
  await sql`drop table exposures`.execute(db);
  const found: Record<string, string[]> = {};
  for (const migration of migrations.filter((one) => one.version > first!.newest)) {
    const breaches = await findBreaches(db, migration, { releases, isKept: true });
    if (breaches.length > 0) found[migration.name] = breaches;
  }
  assert.deepEqual(found, {});
});

test("the table of releases ends with this version, and names migrations that exist", () => {
  assert.equal(releases.at(-1)?.version, version, "a release adds its line to releases.ts");
  const known = new Set(migrations.map((one) => one.version));
  assert.deepEqual(
    releases.filter(({ newest }) => !known.has(newest)),
    [],
  );
});

/** Bad examples, each with what the law says about it, and good ones. */
const examples: [text: string, breaches: RegExp[]][] = [
  ["drop table tenants", [/^table tenants was dropped/]],
  ["alter table tenants rename to others", [/^table tenants was dropped or renamed/, /./]],
  ["alter table messages drop column address", [/^column messages\.address was dropped/, /./]],
  ["alter table topics rename column name to title", [/^column topics\.name was dropped or renamed/]],
  [
    "alter table topics alter column name type varchar(10)",
    [/^column topics\.name has the type character varying/, /^rows of topics/],
  ],
  ["alter table topics alter column name set not null", [/^column topics\.name became not null/]],
  ["alter table topics add column added text not null", [/^column topics\.added is new, not null and without/]],
  ["alter table webhooks alter column failures drop default", [/^column webhooks\.failures lost its default/]],
  ["alter table topics add column added uuid default gen_random_uuid()", [/^rows of topics were written anew/, /./]],
  ["alter table topics add constraint made_up check (name <> '')", [/^constraint made_up is new on a table in use/]],
  ["create index made_up on topics (name)", [/^index made_up is built under a lock on topics/]],
  ["-- without a transaction\ncreate unique index concurrently made_up on topics (name)", [/^index made_up is unique/]],
  ["drop index topics_key", [/^index topics_key was dropped/]],
  ["update topics set name = 'x'", [/^rows of topics were changed by the migration/]],
  ["delete from messages", [/^rows of messages were changed/, /./]],
  ["truncate topics cascade", [/^rows of topics/]],
  ["set local lock_timeout = 0", [/^timeouts are set by/]],
  [
    "-- contract: column topics.name, unused since 9.9.9\nalter table topics drop column name",
    [/^column topics\.name is said to be unused since 9\.9\.9, which is not a release/],
  ],
  ["-- contract: column topics.key, unused since 0.1.0\nselect 1", [/^the contract names column topics\.key/]],
  ["alter table topics add column added text", []],
  ["alter table messages add column added integer not null default 0", []],
  ["create table made_up_table (id uuid primary key references environments)", []],
  ["update environments set name = name", []],
  ["-- without a transaction\ncreate index concurrently made_up_2 on topics (name)", []],
  ["-- contract: column tenants.data, unused since 0.1.0\nalter table tenants drop column data", []],
];

test("the law finds what breaks older programs, and nothing else", async () => {
  const db = await open(false);
  for (const [text, wanted] of examples) {
    const found = await findBreaches(db, toMigration("9999_example", text), { releases });
    const isAsWanted =
      wanted.length === 0 ? found.length === 0 : wanted.every((one) => found.some((line) => one.test(line)));
    assert.ok(isAsWanted, `${text}: ${JSON.stringify(found)}`);
  }
});
