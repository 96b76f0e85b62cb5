// The retention of an environment over the interface: what applies, what a change would delete, and what is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Retention, RetentionClassName } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { metric } from "@tidings/testkit/metric";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { addPastRun, idAt, messageRowsOfRun, type PastPlace, runRetentionAt } from "../../support/past-runs.ts";

// Without workers: the service would delete the rows itself.
const settings = { TIDINGS_MAX_WAIT_DAYS: "30", TIDINGS_RETENTION_MAX_DAYS: "700" };
const service = await startTestService({ TIDINGS_ROLE: "api", ...settings });
const { client, production, db } = service;
const params = { environmentId: "development" };

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

const read = async (by = client, environmentId = "development"): Promise<Retention> =>
  (await by("retention.retrieve", { params: { environmentId } })).body;
const classOf = (retention: Retention, name: RetentionClassName) => retention.classes.find((one) => one.name === name)!;

before(async () => {
  const { body } = await client("environments.list");
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const place: PastPlace = {
    environmentId: body.find(({ identifier }) => identifier === "development")!._id,
    workflow: await createWorkflow(client, "kept", [inApp(), email()]),
    subscriberId: "ada",
  };
  for (const days of [10, 45, 46, 100, 500]) await addPastRun(db, place, `${days} days`, daysAgo(days));
  await sql`insert into dead_letters select ${idAt(daysAgo(20), "letter")}, ${place.environmentId}, m.id, m.notification_id, m.job_id,
      't', 'ada', m.workflow_id, 'email', 'email', 'capture', gen_random_uuid(), 'transient', 'e', 'e', 1, 'open', ${daysAgo(20)}
    from messages m where m.channel = 'email' and m.content = '45 days'`.execute(db);
});

test("the defaults and limits of the installation, sizes, and what goes next", async () => {
  const retention = await read();
  assertShape("retention.retrieve", retention);
  const named = retention.classes.map(({ name, days, source, minDays, maxDays }) => [
    name,
    days,
    source,
    minDays,
    maxDays,
  ]);
  assert.deepEqual(named, [
    ["messages", 90, "installation", 30, 365],
    ["inApp", 365, "installation", 90, 700],
    ["captured", 30, "installation", 1, 700],
    ["deadLetters", 30, "installation", 1, 90],
    ["statistics", 400, "installation", 3, 700],
    ["audit", 365, "installation", 365, 365],
  ]);
  const messages = classOf(retention, "messages");
  assert.deepEqual([messages.rows, messages.isEstimate], [5 * messageRowsOfRun, false]);
  assert.equal(messages.oldestAt?.slice(0, 10), daysAgo(500).toISOString().slice(0, 10));
  assert.ok(messages.bytes > 0);
  assert.deepEqual([messages.next.rows, messages.next.at], [2 * messageRowsOfRun, retention.nextRunAt]);
  assert.deepEqual([classOf(retention, "inApp").rows, classOf(retention, "inApp").next.rows], [5, 1]);
  assert.equal(classOf(retention, "deadLetters").rows, 1);
  const month = retention.months[0]!;
  assert.ok(new Date(month.dropsAt) < new Date(), "its time has come");
  assert.equal(month.isWaitedFor, false, "but no run has seen it");
  const others = await read(production, "production");
  assert.deepEqual(
    others.classes.slice(0, 5).map(({ rows }) => rows),
    [0, 0, 0, 0, 0],
    "nothing of another environment",
  );
});

test("what is too short, too long or of another kind is refused with the numbers, and nothing changes", async () => {
  const faults = (body: object) => faultsOf(client, "retention.update", { params, body } as never);
  for (const [body, errors] of [
    [
      { messages: 29 },
      {
        messages: [
          "messages must be at least 30 days, not 29: a delay or digest can last 30 days (TIDINGS_MAX_WAIT_DAYS)",
        ],
      },
    ],
    [
      { messages: 40, deadLetters: 50 },
      {
        messages: ["messages must be at least 50 days, not 40: a replay needs the message, and deadLetters is 50 days"],
        deadLetters: [
          "deadLetters must be at most 40 days, not 50: a replay needs the message, and messages is 40 days",
        ],
      },
    ],
    [
      { messages: 400 },
      {
        messages: [
          "messages must be at most 365 days, not 400: a run refers to its in-app messages, and inApp is 365 days",
        ],
      },
    ],
    [
      { inApp: 80 },
      {
        inApp: ["inApp must be at least 90 days, not 80: a run refers to its in-app messages, and messages is 90 days"],
      },
    ],
    [
      { inApp: 701 },
      {
        inApp: [
          "inApp must be at most 700 days, not 701: the installation allows 700 days (TIDINGS_RETENTION_MAX_DAYS)",
        ],
      },
    ],
    [
      { statistics: 2 },
      {
        statistics: [
          "statistics must be at least 3 days, not 2: statistics are counted for the last time after two days",
        ],
      },
    ],
    [
      { audit: 10 },
      {
        audit: [
          "audit cannot be set for an environment: the audit log belongs to the installation, and TIDINGS_AUDIT_DAYS is 365",
        ],
      },
    ],
  ] as const) {
    assert.deepEqual(await faults(body), errors);
    assert.deepEqual(
      await faultsOf(client, "retention.preview", { params, body } as never),
      errors,
      "a preview as well",
    );
  }
  for (const body of [{ messages: "90" }, { messages: 0 }, { inApp: 1.5 }, { captured: 3_651 }, { captured: [] }, []]) {
    const { status } = await client.raw("retention.update", { params, body } as never);
    assert.equal(status, 422, JSON.stringify(body));
  }
  for (const id of ["retention.retrieve", "retention.update", "retention.preview"] as const) {
    const body = id === "retention.retrieve" ? {} : { body: {} };
    await assertRefused(client, id, { params: { environmentId: "production" }, ...body } as never, {
      code: "FORBIDDEN",
    });
    await assertRefused(client, id, { params: { environmentId: "nope" }, ...body } as never, {
      code: "ENVIRONMENT_NOT_FOUND",
    });
  }
  assert.ok((await read()).classes.every(({ source }) => source === "installation"));
});

test("a change applies to its class, is recorded, and null takes it back", async () => {
  const update = async (body: object) => (await client("retention.update", { params, body })).body;
  await update({ inApp: 400, messages: 100 });
  await Promise.all([update({ captured: 7 }), update({ deadLetters: 30 })]);
  const changed = await read();
  assert.deepEqual(
    changed.classes.map(({ days, source }) => `${days} ${source}`),
    ["100 environment", "400 environment", "7 environment", "30 environment", "400 installation", "365 installation"],
  );
  assert.equal(classOf(await read(production, "production"), "messages").days, 90);
  const entries = await sql<{ before: object; after: object }>`
    select before, after from audit_log where operation = 'retention.update' and after ? 'inApp'`.execute(db);
  assert.deepEqual(entries.rows[0]?.after, { inApp: 400, messages: 100 });
  const back = await update({ messages: null, inApp: null, captured: null, deadLetters: null });
  assert.ok(back.classes.every(({ source }) => source === "installation"));
});

test("a preview says what the next run deletes", async () => {
  const days = { messages: 44, inApp: 90, deadLetters: 14 };
  const { body: plan } = await client("retention.preview", { params, body: days });
  assertShape("retention.preview", plan);
  assert.deepEqual(
    plan.classes.map(({ name, rows, isEstimate, keptRows }) => [name, rows, isEstimate, keptRows]),
    [
      ["messages", 4 * messageRowsOfRun, false, 0],
      ["inApp", 2, false, 0],
      ["captured", 0, false, 0],
      ["deadLetters", 1, false, 0],
      ["statistics", 0, false, 0],
      ["audit", 0, false, 0],
    ],
  );
  assert.equal(plan.classes[0]!.oldestKeptAt?.slice(0, 10), daysAgo(10).toISOString().slice(0, 10));
  assert.equal((await read()).runs.length, 0, "nothing was deleted");

  await client("retention.update", { params, body: days });
  await runRetentionAt(db, new Date(plan.at), settings);
  const { runs, classes, months } = await read();
  assert.equal(runs.length, 1);
  const run = runs[0]!;
  assert.deepEqual([run.startedAt, run.isComplete, run.error], [plan.at, true, null]);
  const wanted = plan.classes.filter(({ rows }) => rows > 0).map(({ name, rows }) => ({ name, rows }));
  assert.deepEqual(run.deleted, wanted);
  const dropped = new Set(run.partitions.map((name) => name.slice(-7).replace("_", "-")));
  assert.deepEqual([...dropped].toSorted(), plan.months);
  assert.equal(classes[0]!.rows, messageRowsOfRun);
  assert.ok(months.every(({ isWaitedFor }) => !isWaitedFor));
  const text = await (await fetch(`${service.url}/metrics`)).text();
  assert.equal(
    metric(text, "tidings_retention_last_success_timestamp_seconds", {}),
    new Date(plan.at).getTime() / 1000,
  );
});
