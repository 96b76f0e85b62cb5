// Steps that change their subscriber: what is stored, what later steps see, what is refused, and where it is recorded.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client, db } = service;

const update = (controlValues: object, stepId = "set"): StepIn => ({
  name: "Set",
  stepId,
  type: "update_subscriber",
  controlValues: controlValues as Record<string, unknown>,
});
const person = async (subscriberId: string) =>
  (await client("subscribers.retrieve", { params: { subscriberId } })).body;
const explained = async (transactionId: string, subscriberId: string) =>
  (await client("explain.retrieve", { query: { transactionId, subscriberId } })).body;
const entriesOf = async (subscriberId: string) =>
  (
    await sql<{ actor: string; operation: string; before: object | null; after: object | null }>`
      select actor, operation, before, after from audit_log where subscriber_id = ${subscriberId} order by id`.execute(
      db,
    )
  ).rows;

describe("a change", () => {
  test("is stored, seen by later steps, explained and recorded with workflow, step and event", async () => {
    await client("subscribers.create", {
      body: {
        subscriberId: "ada",
        firstName: "Ada",
        email: "old@example.com",
        data: { plan: "free", team: 1, old: true },
      },
    });
    await createWorkflow(client, "trial", [
      update({
        email: " {{ payload.email }} ",
        lastName: "{{ payload.nothing }}",
        timezone: "Europe/Berlin",
        locale: "de_DE",
        data: '{ "plan": "{{ payload.plan }}", "seats": {{ payload.seats }}, "old": null, "never": null }',
      }),
      inApp({ body: "{{ subscriber.email }} {{ subscriber.data.plan }} {{ steps.set.changed }}" }),
      update({ email: "{{ payload.email }}" }, "again"),
      inApp({ body: "{{ steps.again.changed }}" }),
    ]);
    const payload = { email: "ada@example.com", plan: "pro", seats: 5 };
    const transactionId = await trigger(client, "trial", "ada", payload);
    await settled(client, transactionId);
    const { email, lastName, timezone, locale, data } = await person("ada");
    assert.deepEqual(
      { email, lastName, timezone, locale, data },
      {
        email: "ada@example.com",
        lastName: undefined,
        timezone: "Europe/Berlin",
        locale: "de_DE",
        data: { plan: "pro", team: 1, seats: 5 },
      },
    );
    const contents = (await feedOf(client, "ada")).map(({ content }) => content);
    assert.deepEqual(contents.toSorted(), ["ada@example.com pro true", "false"]);
    const { steps } = await explained(transactionId, "ada");
    assert.match(steps[0]!.reason, /ended: it changed email, locale, timezone, data.plan, data.seats, data.old of Ada/);
    assert.match(steps[2]!.reason, /ended: Ada has these values already/);
    const [entry, ...others] = await entriesOf("ada");
    assert.deepEqual(others, []);
    assert.equal(entry!.actor, "Workflow trial");
    assert.equal(entry!.operation, "subscribers.update");
    assert.deepEqual(entry!.before, {
      email: "old@example.com",
      timezone: null,
      locale: null,
      "data.plan": "free",
      "data.old": true,
    });
    assert.deepEqual(entry!.after, {
      email: "ada@example.com",
      timezone: "Europe/Berlin",
      locale: "de_DE",
      "data.plan": "pro",
      "data.seats": 5,
      by: { workflowId: "trial", stepId: "set", transactionId },
    });
    await client("subscribers.delete", { params: { subscriberId: "ada" } });
    assert.deepEqual((await entriesOf("ada"))[0], {
      actor: "Workflow trial",
      operation: "subscribers.update",
      before: null,
      after: null,
    });
  });

  test("of the locale counts for the texts of later steps", async () => {
    await createWorkflow(
      client,
      "speaks",
      [update({ locale: "{{ payload.locale }}" }), inApp({ body: "{{ t.hello }}" })],
      { isTranslationEnabled: true },
    );
    for (const [locale, hello] of [
      ["en_US", "Hello"],
      ["de_DE", "Hallo"],
    ] as const) {
      const body = { resourceId: "speaks", resourceType: "workflow", locale, content: { hello } } as const;
      await client("translations.create", { body });
    }
    await settled(client, await trigger(client, "speaks", "kim", { locale: "de_DE" }));
    assert.equal((await feedOf(client, "kim"))[0]?.content, "Hallo");
  });
});

describe("nothing changes when a value is not valid", () => {
  const long = "x".repeat(3_000);
  const cases: [string, object, object, RegExp][] = [
    ["an email address", { email: "{{ payload.v }}" }, { v: "nobody" }, /email has an invalid format/],
    ["a time zone", { timezone: "{{ payload.v }}" }, { v: "Mars/Base" }, /timezone has an invalid format/],
    ["a locale", { locale: "{{ payload.v }}" }, { v: "Klingon!" }, /locale has an invalid format/],
    ["a long name", { firstName: "{{ payload.v }}" }, { v: long }, /firstName must not be longer than 255 characters/],
    ["a long phone number", { phone: "{{ payload.v }}" }, { v: long }, /phone must not be longer than 64 characters/],
    ["a long avatar", { avatar: "{{ payload.v }}" }, { v: long }, /avatar must not be longer than 2048 characters/],
    ["a list as data", { data: "{{ payload.v }}" }, { v: [1] }, /data must be a JSON object/],
    [
      "large data",
      { data: '{ "a": "{{ payload.v }}" }' },
      { v: long.repeat(22) },
      /data must not be larger than 65536/,
    ],
    ["deep data", { data: `${'{"a":'.repeat(201)}1${"}".repeat(201)}` }, {}, /data must not be nested deeper than 200/],
    ["U+0000", { data: '{ "a": "\\u0000" }' }, {}, /data: a must not contain U\+0000/],
    ["a template that fails", { phone: "{% for i in (1..9999999) %}x{% endfor %}" }, { v: 1 }, /phone: .+/],
  ];
  for (const [index, [name, controlValues, payload, reason]] of cases.entries()) {
    test(name, async () => {
      const body = { subscriberId: `kept-${index}`, firstName: "Kit", data: { a: 1 } };
      await client("subscribers.create", { body });
      await createWorkflow(client, `bad-${index}`, [
        update({ lastName: "New", ...controlValues }),
        inApp({ body: "{{ subscriber.lastName }}{{ steps.set.changed }} goes on" }),
      ]);
      const transactionId = await trigger(client, `bad-${index}`, body.subscriberId, payload);
      await settled(client, transactionId);
      const { lastName, data } = await person(body.subscriberId);
      assert.deepEqual({ lastName, data }, { lastName: undefined, data: { a: 1 } });
      const { steps } = await explained(transactionId, body.subscriberId);
      assert.match(steps[0]!.reason, /failed: subscriber could not be updated: /);
      assert.match(steps[0]!.reason, reason);
      assert.equal((await feedOf(client, body.subscriberId))[0]?.content, " goes on");
      assert.deepEqual(await entriesOf(body.subscriberId), []);
    });
  }

  test("of data that would grow too large in several steps, the last is refused", async () => {
    const half = "x".repeat(40_000);
    await createWorkflow(client, "grows", [
      update({ data: '{ "a": {{ payload.half }} }' }),
      update({ data: '{ "b": {{ payload.half }} }' }, "second"),
    ]);
    const transactionId = await trigger(client, "grows", "large", { half });
    await settled(client, transactionId);
    assert.deepEqual(Object.keys((await person("large")).data ?? {}), ["a"]);
    assert.match(
      (await explained(transactionId, "large")).steps[1]!.reason,
      /data must not be larger than 65536 bytes/,
    );
  });
});

const counting = update({ data: '{ "count": {{ subscriber.data.count | default: 0 | plus: 1 }} }' });

describe("many at once", () => {
  test("changes of one person follow each other", async () => {
    await createWorkflow(client, "counts", [counting]);
    const events = Array.from({ length: 100 }, () => ({ name: "counts", to: "busy" }));
    await client("events.triggerBulk", { body: { events } });
    await eventually(async () => (await entriesOf("busy")).length === 100, "100 changes");
    assert.deepEqual((await person("busy")).data, { count: 100 });
  });

  test("1,000 people take a few statements, and a failed transaction is repeated as a whole", async () => {
    await sql`create sequence failed_so_far`.execute(db);
    await sql`create sequence update_count`.execute(db);
    await sql`create function note_update() returns trigger language plpgsql as
      $$ begin perform nextval('update_count'); return null; end $$`.execute(db);
    await sql`create trigger note_update after update on subscribers for each statement
      execute function note_update()`.execute(db);
    // The first two transactions fail after the subscribers were updated.
    await sql`create function fail_twice() returns trigger language plpgsql as
      $$ begin if nextval('failed_so_far') <= 2 then raise exception 'the process ends here'; end if; return null; end $$`.execute(
      db,
    );
    await sql`create trigger fail_twice after insert on notifications for each statement
      execute function fail_twice()`.execute(db);
    const ids = Array.from({ length: 1_000 }, (_, index) => `many-${index}`);
    const events = Array.from({ length: 10 }, (_, at) => ({ name: "counts", to: ids.slice(at * 100, at * 100 + 100) }));
    await client("events.triggerBulk", { body: { events } });
    const done = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from subscribers where data = '{"count": 1}'`.execute(db))
        .rows[0]!.n;
    await eventually(async () => (await done()) === 1_000, "all people to be updated");
    const { rows } = await sql<{ n: number }>`select last_value::int as n from update_count`.execute(db);
    assert.ok(rows[0]!.n <= 20, `${rows[0]!.n} statements`);
    const { rows: entries } = await sql<{ n: number }>`
      select count(*)::int as n from audit_log where subscriber_id like 'many-%'`.execute(db);
    assert.equal(entries[0]!.n, 1_000);
    await sql`drop trigger fail_twice on notifications`.execute(db);
  });
});

test("a dry run says what would change, shows it to later steps, and changes nothing", async () => {
  await createWorkflow(client, "tries", [
    update({ firstName: "{{ payload.name }}", data: '{ "plan": "pro" }' }),
    inApp({ body: "{{ subscriber.firstName }} {{ subscriber.data.plan }} {{ steps.set.changed }}" }),
    update({ email: "{{ payload.name }}" }, "wrong"),
  ]);
  await client("subscribers.create", { body: { subscriberId: "eve", firstName: "Eve" } });
  const event = { name: "tries", to: "eve", payload: { name: "Eva" } };
  const { recipients } = (await client("explain.dryRun", { body: event })).body;
  const [first, second, third] = recipients[0]!.steps;
  assert.match(first!.reason, /would end: it would change firstName, data.plan of Eva/);
  assert.equal(second!.messages[0]!.content, "Eva pro true");
  assert.match(third!.reason, /would fail: subscriber could not be updated: email has an invalid format/);
  assert.equal((await person("eve")).firstName, "Eve");
  assert.deepEqual(await entriesOf("eve"), []);
});
