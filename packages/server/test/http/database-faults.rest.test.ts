// Errors of the database: requests get a 503 and can be repeated, nothing is lost, and /ready says what is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { errorOf, exchange, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp } from "@tidings/testkit/verbs";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { type Db, inTransaction } from "../../src/store/db.ts";
import { schemaChannel } from "../../src/store/installation/schema-state.ts";

const service = await startTestService({ TIDINGS_LOCK_SECONDS: "1" });
const { client, db } = service;
await createWorkflow(client, "hello", [inApp()]);
await createWorkflow(client, "later", [
  { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "seconds" } },
  inApp(),
]);

type Ready = { status: string; problems?: { code: string; message: string }[] };

const readReady = async () => {
  const { status, body } = await request(service, "/ready");
  return { ...(body as Ready), httpStatus: status };
};

const trigger = (to: string, more: { payload?: object; key?: string; name?: string } = {}) =>
  exchange(service, "events.trigger", {
    body: { name: more.name ?? "hello", to, payload: more.payload ?? {} },
    headers: more.key === undefined ? {} : { "idempotency-key": more.key },
  } as RawInput);

const countEvents = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from events`.execute(db);
  return rows[0]!.count;
};

/**
 * While `work` runs, the table refuses every row with the error that `sqlstate` (an expression of SQL) names, if it
 * names one.
 */
async function whileRefused(table: string, sqlstate: string, work: () => Promise<void>): Promise<void> {
  await sql
    .raw(`
    create function refuse_${table}() returns trigger language plpgsql as $$
      begin
        if ${sqlstate} is not null then
          raise exception 'refused by the test' using errcode = ${sqlstate};
        end if;
        return new;
      end $$;
    create trigger refuse_row before insert on ${table} for each row execute function refuse_${table}()`)
    .execute(db);
  try {
    await work();
  } finally {
    await sql.raw(`drop trigger refuse_row on ${table}; drop function refuse_${table}()`).execute(db);
  }
}

test("errors of PostgreSQL that are not those of a statement are 503, with a code and Retry-After", async () => {
  const codes: Record<string, ErrorCode> = {
    "53100": "DATABASE_FULL",
    "53200": "DATABASE_EXHAUSTED",
    "53400": "DATABASE_EXHAUSTED",
    "58030": "DATABASE_EXHAUSTED",
    "55P03": "DATABASE_LOCKED",
    "57014": "DATABASE_SLOW",
    "40P01": "UNAVAILABLE",
    "40001": "UNAVAILABLE",
    "25006": "UNAVAILABLE",
    "57P03": "UNAVAILABLE",
  };
  const before = await countEvents();
  await whileRefused("events", "new.payload->>'code'", async () => {
    for (const [code, expected] of Object.entries(codes)) {
      const reply = await trigger("ada", { payload: { code }, key: `code-${code}` });
      errorOf(reply, expected);
      assert.match(reply.headers.get("retry-after") ?? "", /^\d+$/, code);
    }
    // An error of the statement stays one.
    assert.equal((await trigger("ada", { payload: { code: "22001" } })).status, 500);
  });
  assert.equal(await countEvents(), before);
  // The same requests are accepted when the error is over: no response was stored.
  for (const code of Object.keys(codes)) {
    assert.equal((await trigger("ada", { payload: { code }, key: `code-${code}` })).status, 201);
  }
  assert.equal(await countEvents(), before + Object.keys(codes).length);
});

test("a full disk: requests together and alone are 503, /ready and the log say it, tasks are neither lost nor set aside", async () => {
  const waiting = await trigger("waits", { name: "later" });
  assert.equal(waiting.status, 201);
  await whileRefused("messages", "'53100'", async () => {
    const before = await countEvents();
    await whileRefused("events", "'53100'", async () => {
      const keys = Array.from({ length: 12 }, (_, at) => `full-${at}`);
      for (const reply of await Promise.all(keys.map((key) => trigger(key, { key })))) errorOf(reply, "DATABASE_FULL");
      const ready = await readReady();
      assert.deepEqual([ready.httpStatus, ready.status], [503, "unavailable"]);
      assert.ok(ready.problems!.some(({ code, message }) => code === "DATABASE_FULL" && /disk space/.test(message)));
    });
    assert.equal(await countEvents(), before);
    assert.ok(service.logs.some(({ msg }) => String(msg).startsWith("the database has no disk space left")));
    // A message that cannot be written is not the end of its task.
    await eventually(async () => {
      const { rows } = await sql<{ retry: boolean }>`
        select started_on is null as retry from queue.job_common where name = 'wake' and state = 'retry'`.execute(db);
      return rows.some(({ retry }) => retry);
    }, "the task to be given back");
  });
  await eventually(async () => (await feedOf(client, "waits")).length === 1, "the message");
  const { rows } = await sql`select 1 from failed_tasks`.execute(db);
  assert.equal(rows.length, 0);
});

/** Holds a lock on the table, as a change of the schema by hand does, until `work` is done. */
const whileLocked = (table: string, work: () => Promise<void>): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql.raw(`lock table ${table} in access exclusive mode`).execute(tx);
    await work();
  });

test("a locked table: its requests are 503 after the lock time-out, others go on, /ready names the table", async () => {
  await client("subscribers.create", { body: { subscriberId: "bob" } });
  await whileLocked("events", async () => {
    const blocked = Promise.all(
      Array.from({ length: 30 }, (_, at) => trigger(`locked-${at}`, { key: `locked-${at}` })),
    );
    await client("subscribers.create", { body: { subscriberId: "carol" } });
    for (const reply of await blocked) errorOf(reply, "DATABASE_LOCKED");
    const ready = await readReady();
    // The full disk of the test before may not be forgotten yet.
    assert.ok(["degraded", "unavailable"].includes(ready.status));
    const problem = ready.problems!.find(({ code }) => code === "DATABASE_LOCKED")!;
    assert.match(problem.message, /^Table events is locked \(AccessExclusiveLock\) by process \d+ \(tidings\)/);
  });
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) => trigger(`locked-${at}`, { key: `locked-${at}` })),
  );
  assert.ok(replies.some(({ status }) => status === 201));
  await eventually(
    async () => (await trigger("locked-0", { key: "locked-0" })).status === 201,
    "the request to be accepted",
  );
  assert.equal((await feedOf(client, "locked-0")).length, 1);
});

test("requests that wait for one locked table leave connections to the others", async () => {
  await whileLocked("topics", async () => {
    const blocked = Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        exchange(service, "topics.create", { body: { key: `t-${at}` } } as RawInput),
      ),
    );
    await eventually(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(db);
      return rows.length > 0;
    }, "requests to wait");
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => client("subscribers.create", { body: { subscriberId: `free-${at}` } })),
    );
    assert.equal((await trigger("free-0")).status, 201);
    for (const reply of await blocked) errorOf(reply, "DATABASE_LOCKED");
  });
  await eventually(
    async () => (await client.raw("topics.create", { body: { key: "after" } })).status < 300,
    "the table to be used again",
  );
});

test("an outage is logged once when it begins, and once with a count when it is over", async () => {
  const told = (text: string) => service.logs.filter(({ msg }) => msg === text);
  const [lost, restored] = ["database connection lost; reconnecting", "database connection restored"];
  await eventually(() => told(lost).length === told(restored).length, "earlier outages to be over");
  const before = told(lost).length;
  await service.database.allowConnections(false);
  for (let times = 0; times < 20; times++) assert.equal((await trigger("away")).status, 503);
  await service.database.allowConnections(true);
  const end = await eventually(() => told(restored)[before], "the end");
  assert.equal(told(lost).length, before + 1);
  assert.ok((end.count as number) >= 20, `${end.count} faults were counted`);
});

/** As a newer program records it. `compatible_from` 9999: no program of this release may run. */
const recordNewer = (db: Db, compatible_from: number) =>
  inTransaction(db, async (tx) => {
    await sql`insert into schema_versions (version, name, checksum, compatible_from)
      values (9999, '9999_newer', 'x', ${compatible_from})
      on conflict (version) do update set compatible_from = excluded.compatible_from`.execute(tx);
    await sql`select pg_notify(${schemaChannel}, '9999_newer')`.execute(tx);
  });

test("next to the following release a process continues, and leaves it the tasks that it cannot do", async () => {
  const old = await startTestService();
  await createWorkflow(old.client, "hello", [inApp()]);
  const tasks = async () =>
    (
      await sql<{ retry_count: number; state: string; isLater: boolean }>`
        select retry_count, state, start_after > clock_timestamp() + interval '10 seconds' as "isLater"
        from queue.job_common where name = 'trigger'`.execute(old.db)
    ).rows;
  const logged = (text: string) => old.logs.filter(({ msg }) => String(msg).includes(text));
  await recordNewer(old.db, 1);
  await eventually(() => logged("this process continues").length === 1, "the process to notice");
  assert.deepEqual((await request(old, "/ready")).status, 200);

  // What this process cannot do with the task, the newer one can.
  await sql`alter table notifications rename column severity to importance`.execute(old.db);
  await old.client("events.trigger", { body: { name: "hello", to: ["a", "b", "c", "d", "e", "f"] } });
  await eventually(() => logged("left to the newer version").length > 0, "the task to fail");
  await eventually(async () => (await tasks())[0]?.state === "retry", "the task to be given back");
  assert.deepEqual(await tasks(), [{ retry_count: 0, state: "retry", isLater: true }], "no try was counted");
  assert.deepEqual((await sql`select 1 from failed_tasks`.execute(old.db)).rows, [], "it is not set aside");
  await sql`alter table notifications rename column importance to severity`.execute(old.db);
  await sql`update queue.job_common set start_after = now() where name = 'trigger'`.execute(old.db);
  await announceDueTasks(old.db);
  await eventually(async () => (await tasks()).length === 0, "the task to be done");
  assert.equal((await feedOf(old.client, "f")).length, 1);
});

test("a process that may no longer run on the schema takes no tasks and no requests, and says so", async () => {
  const old = await startTestService();
  await createWorkflow(old.client, "later", [
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } },
    inApp(),
  ]);
  await old.client("events.trigger", { body: { name: "later", to: "ada" } });
  const due = () => sql`select 1 from queue.job_common where name = 'wake' and state = 'created'`.execute(old.db);
  await eventually(async () => (await due()).rows.length === 1, "the delay to begin");
  // Without an announcement, it finds out when it connects again.
  await sql`insert into schema_versions (version, name, checksum, compatible_from)
    values (9999, '9999_newer', 'x', 9999)`.execute(old.db);
  await old.database.disconnectAll();
  const logged = await eventually(
    () => old.logs.find(({ msg }) => String(msg).includes("takes no more tasks")),
    "the process to notice",
  );
  assert.equal(logged.migration, "9999_newer");
  const reply = await eventually(async () => {
    const found = await request(old, "/ready");
    return JSON.stringify(found.body).includes("9999_newer") ? found : null;
  }, "the database to be reached");
  assert.equal(reply.status, 503);
  assert.match((reply.body as Ready).problems![0]!.message, /^The database has migration 9999_newer, with which/);
  const refused = await exchange(old, "events.trigger", { body: { name: "later", to: "ada" } } as RawInput);
  assert.match(errorOf(refused, "UNAVAILABLE").message, /9999_newer.*Replace it by the newer version/);
  assert.equal((await request(old, "/health")).status, 200, "it is alive");

  await sql`update queue.job_common set start_after = now() where name = 'wake'`.execute(old.db);
  await announceDueTasks(old.db);
  assert.equal((await due()).rows.length, 1, "the task waits for the newer version");
});

test("a migration is announced: processes that may no longer run find it at once", async () => {
  const old = await startTestService();
  await recordNewer(old.db, 9999);
  await eventually(() => old.logs.some(({ migration }) => migration === "9999_newer"), "the process to notice");
});
