// What the retention deletes, on a moved clock: months and rows, across the ends of months, quarters and years.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { listRetentionRuns } from "../../../src/store/installation/retention-runs.ts";
import { addPastRun, messageRowsOfRun, type PastPlace, runRetentionAt } from "../../support/past-runs.ts";

// Without workers: the service would drop these months itself.
const service = await startTestService({ TIDINGS_ROLE: "api" });
const { client, production, db } = service;

let development: PastPlace;
let other: PastPlace;

before(async () => {
  const place = async (of: typeof client, identifier: string): Promise<PastPlace> => {
    const { body } = await of("environments.list");
    const environmentId = body.find((one) => one.identifier === identifier)!._id;
    await of("subscribers.create", { body: { subscriberId: "ada" } });
    return { environmentId, workflow: await createWorkflow(of, "kept", [inApp(), email()]), subscriberId: "ada" };
  };
  development = await place(client, "development");
  other = await place(production, "production");
});

/** The stored months of a table before the year in which the tests run. */
async function monthsOf(table: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname = ${table} and c.relname < ${`${table}_2020`} order by 1`.execute(db);
  return rows.map(({ name }) => name.slice(-7)).join(" ");
}

const namesIn = async (table: "events" | "messages", environmentId: string): Promise<string> => {
  const column = table === "events" ? sql`transaction_id` : sql`channel || ' ' || content`;
  const { rows } = await sql<{ name: string }>`
    select ${column} as name from ${sql.table(table)} where environment_id = ${environmentId} order by id`.execute(db);
  return rows.map(({ name }) => name).join(", ");
};

const countOf = async (table: string): Promise<number> =>
  (await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)).rows[0]!.count;

const lastRun = async () => (await listRetentionRuns(db, 1))[0]!;

const day = (text: string) => new Date(`${text}T00:05:00Z`);

/** Sets days past the interface, which would refuse some of them. */
const setDays = (environmentId: string, days: object) =>
  sql`update environments set retention = ${JSON.stringify(days)} where id = ${environmentId}`.execute(db);

test("months go on the day their last row is old enough, across quarter and year, and in-app messages later", async () => {
  for (const [name, time] of [
    ["september", "2013-09-30T23:59:59.999Z"],
    ["october", "2013-10-01T00:00:00.000Z"],
    ["december", "2013-12-31T23:59:59.999Z"],
    ["january", "2014-01-01T00:00:00.000Z"],
  ] as const) {
    await addPastRun(db, development, name, new Date(time));
  }
  const events = () => namesIn("events", development.environmentId);
  const all = "2013_08 2013_09 2013_10 2013_11 2013_12 2014_01 2014_02 2014_03";

  await runRetentionAt(db, day("2013-12-29"));
  assert.equal(await events(), "september, october, december, january");
  assert.equal(await monthsOf("events"), all.slice("2013_08 ".length), "only a month without rows was due");

  await runRetentionAt(db, day("2013-12-30"));
  assert.equal(await events(), "october, december, january");
  assert.equal(await monthsOf("events"), "2013_10 2013_11 2013_12 2014_01 2014_02 2014_03");
  assert.equal(await monthsOf("messages"), all, "their in-app messages are kept");
  const run = await lastRun();
  assert.deepEqual(
    [run.is_complete, run.error, run.deleted, run.partitions],
    [
      true,
      null,
      { messages: messageRowsOfRun },
      ["attempts", "exposures", "jobs", "notifications", "event_search_values", "event_attachments", "events"].map(
        (table) => `${table}_2013_09`,
      ),
    ],
  );

  await runRetentionAt(db, day("2013-12-31"));
  assert.equal(await events(), "december, january", "the first row of a month goes a day later");
  await runRetentionAt(db, day("2014-03-31"));
  assert.equal(await events(), "december, january");
  await runRetentionAt(db, day("2014-04-01"));
  assert.equal(await events(), "january", "over the end of a quarter");
  assert.equal(await monthsOf("notifications"), "2014_01 2014_02 2014_03");
  assert.deepEqual(
    await Promise.all(["transaction_ids", "event_attachments", "event_search_values", "exposures"].map(countOf)),
    [1, 1, 1, 1],
    "the parts of events and runs go with them",
  );
  assert.equal(
    await namesIn("messages", development.environmentId),
    "in_app september, in_app october, in_app december, in_app january, email january",
  );

  await runRetentionAt(db, day("2014-10-01"));
  assert.equal(await namesIn("messages", development.environmentId), "in_app october, in_app december, in_app january");
  assert.equal((await monthsOf("messages")).slice(0, 7), "2013_10");
  await runRetentionAt(db, day("2015-01-02"));
  assert.equal(await namesIn("messages", development.environmentId), "");
  await runRetentionAt(db, day("2015-04-02"));
  assert.equal(await monthsOf("messages"), "");
  assert.equal(await countOf("attempts"), 0);
});

test("each environment has its days, and a month stays until the last of them", async () => {
  await setDays(other.environmentId, { messages: 120, inApp: 500 });
  for (const name of ["early", "late"]) {
    const time = new Date(name === "early" ? "2016-01-10T10:00:00Z" : "2016-01-20T10:00:00Z");
    await addPastRun(db, development, name, time);
    await addPastRun(db, other, name, time);
  }
  await runRetentionAt(db, day("2016-04-15"));
  assert.equal(await namesIn("events", development.environmentId), "late", "90 days");
  assert.equal(await namesIn("events", other.environmentId), "early, late", "120 days");
  assert.match(await monthsOf("events"), /2016_01/);
  await runRetentionAt(db, day("2016-05-15"));
  assert.equal(await namesIn("events", development.environmentId), "");
  assert.equal(await namesIn("events", other.environmentId), "late");
  await runRetentionAt(db, day("2016-06-01"));
  assert.equal(await namesIn("events", other.environmentId), "");
  assert.doesNotMatch(await monthsOf("events"), /2016_01/);
  await runRetentionAt(db, day("2017-01-21"));
  assert.equal(await namesIn("messages", development.environmentId), "");
  assert.equal(await namesIn("messages", other.environmentId), "in_app early, in_app late");
  await setDays(other.environmentId, {});
  await runRetentionAt(db, day("2017-05-01"));
  assert.equal(await namesIn("messages", other.environmentId), "");
});

test("with steps of a month, rows wait for the end of theirs", async () => {
  const settings = { TIDINGS_RETENTION_STEP: "month" };
  await addPastRun(db, development, "stepped", new Date("2018-02-02T10:00:00Z"));
  await runRetentionAt(db, day("2018-05-29"), settings);
  assert.equal(await namesIn("events", development.environmentId), "stepped");
  await runRetentionAt(db, day("2018-05-30"), settings);
  assert.equal(await namesIn("events", development.environmentId), "");
  assert.doesNotMatch(await monthsOf("events"), /2018_02/);
  await runRetentionAt(db, day("2019-03-01"), settings);
  assert.equal(await namesIn("messages", development.environmentId), "");
});

test("an event stays while people of it wait for their turn; its pages go with it", async () => {
  const { environmentId } = development;
  for (const [name, time] of [
    ["done", "2018-08-10T10:00:00Z"],
    ["waiting", "2018-08-11T10:00:00Z"],
  ] as const) {
    await addPastRun(db, development, name, new Date(time));
    await sql`insert into event_pages (environment_id, event_id, page, subscriber_ids, people, due_at, state)
      select environment_id, id, n, '{}', 0, created_at, case when n = 2 then ${name} else 'done' end
      from events, generate_series(1, 2) n
      where environment_id = ${environmentId} and transaction_id = ${name}`.execute(db);
  }
  await runRetentionAt(db, day("2018-12-01"));
  assert.equal(await namesIn("events", environmentId), "waiting");
  assert.equal(await countOf("event_pages"), 2);
  await sql`update event_pages set state = 'done'`.execute(db);
  await runRetentionAt(db, day("2018-12-02"));
  assert.equal(await namesIn("events", environmentId), "");
  assert.equal(await countOf("event_pages"), 0);
});

test("a day's work is done once, and a run that fails is recorded and repeated", async () => {
  const runs = async () => (await listRetentionRuns(db, 1_000)).length;
  await runRetentionAt(db, day("2019-06-01"));
  const count = await runs();
  await runRetentionAt(db, new Date("2019-06-01T23:54:00Z"));
  assert.equal(await runs(), count);

  await addPastRun(db, development, "failing", new Date("2019-05-01T00:00:00Z"));
  await sql`alter table jobs rename to jobs_away`.execute(db);
  await runRetentionAt(db, day("2019-09-01"));
  await sql`alter table jobs_away rename to jobs`.execute(db);
  const failed = await lastRun();
  assert.deepEqual([failed.is_complete, failed.finished_at !== null], [false, true]);
  assert.match(failed.error!, /relation "jobs" does not exist/);
  await runRetentionAt(db, new Date("2019-09-01T00:14:00Z"));
  assert.equal((await lastRun()).is_complete, true);
  assert.equal(await namesIn("events", development.environmentId), "");
});
