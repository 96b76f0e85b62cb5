// Alerts about workflows: an objective that is missed too fast, and a workflow that runs away and is turned off.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "@tidings/testkit/refusals";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { type RawBuilder, sql } from "kysely";
import { alertsOf, minutes, startAlertService } from "../../support/alerts.ts";

const { service, pass } = await startAlertService();
const { client, db } = service;
const hourMs = minutes(60);
const base = Date.now();

type Made = { _id: string; workflowId: string };

async function environmentOf({ _id }: Made): Promise<string> {
  const query = db.selectFrom("workflows").where("id", "=", _id).select("environment_id");
  return (await query.executeTakeFirstOrThrow()).environment_id;
}

/** An id of the moment, as the service generates them; `$n` numbers the rows. */
const idAt = (time: RawBuilder<unknown>) => sql`(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0')
  || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || substr(md5(random()::text), 1, 15))::uuid`;

/** So many messages of the workflow, spread over a time that ends at `until`. */
async function addMessages(workflow: Made, until: number, spanMs: number, count: number, status = "sent") {
  const environmentId = await environmentOf(workflow);
  const time = sql`(${new Date(until)}::timestamptz - (n * ${spanMs}::float8 / ${count}) * interval '1 ms')`;
  await sql`
    insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel,
      provider_id, status, created_at, updated_at)
    select ${idAt(time)}, ${environmentId}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
      ${workflow._id}, 'email', 'nodemailer', ${status}, ${time}, ${time}
    from generate_series(1, ${count}::int) as n`.execute(db);
}

/** Counted hours: the messages that `countOf` says, in each hour of the last weeks. */
async function addHistory(workflow: Made, now: number, weeks: number, countOf: (hour: Date) => number) {
  const environment_id = await environmentOf(workflow);
  const current = Math.floor(now / hourMs) * hourMs;
  const rows = Array.from({ length: weeks * 168 }, (_, index) => new Date(current - (index + 1) * hourMs)).map(
    (hour) => ({
      ...{ environment_id, hour, workflow_id: workflow._id, channel: "email" as const, provider_id: "nodemailer" },
      ...{ reason: "", sent: countOf(hour), delivered: 0, opened: 0, failed: 0, refused: 0, unaccepted: 0 },
      ...{ skipped: 0, failed_attempts: 0, latency: [] },
    }),
  );
  await db.insertInto("statistics_hours").values(rows).execute();
}

const createRule = async (name: string, kind: "workflow_objective" | "workflow_runaway", parameters: object) =>
  (await client("alertRules.create", { body: { name, kind, parameters: parameters as never } })).body;

const openOf = async (ruleId: string) =>
  (await alertsOf(client, { status: "open" })).filter((alert) => alert.ruleId === ruleId);

test("a workflow whose messages wait too long burns its budget: one alert, which ends when they are sent", async () => {
  const objectives = { handedOver: { percent: 99, withinSeconds: 10 as const } };
  const workflow = await createWorkflow(client, "slow", [email()], { objectives });
  await createWorkflow(client, "idle", [email()], { objectives });
  const rule = await createRule("Objectives", "workflow_objective", {});
  const now = base;
  await addMessages(workflow, now - minutes(1), minutes(2), 2, "pending");
  await pass(new Date(now));
  assert.deepEqual(await openOf(rule._id), [], "two of two is too little to tell");
  await addMessages(workflow, now - minutes(1), minutes(20), 40, "pending");
  await pass(new Date(now));
  const [alert, ...others] = await openOf(rule._id);
  assert.equal(others.length, 0);
  assert.deepEqual([alert!.subject.id, alert!.subject.name], [workflow._id, "slow"]);
  assert.match(alert!.title, /slow misses its objective/);
  assert.match(alert!.text, /99 % handed to a provider within 10 s\. In the last hour, 42 messages of 42 missed it/);
  assert.match(alert!.path, /tab=objectives/);
  await sql`delete from messages where workflow_id = ${workflow._id}`.execute(db);
  await pass(new Date(now + minutes(5)));
  assert.deepEqual(await openOf(rule._id), []);
});

test("a rule may name workflows, and a burn of hours is found too", async () => {
  const objectives = { handedOver: { percent: 95, withinSeconds: 10 as const } };
  const burning = await createWorkflow(client, "burning", [email()], { objectives });
  const named = await createRule("Named", "workflow_objective", { workflowIds: ["idle"], slowBurn: 2 });
  const all = await createRule("All", "workflow_objective", { slowBurn: 2 });
  await addHistory(burning, base, 1, () => 100);
  // In the last hours, 15 % were slow: three times as many as the objective allows.
  await sql`update statistics_hours set latency = array[0, 0, 0, 85, 0, 0, 0, 15, 0, 0, 0]
    where workflow_id = ${burning._id} and hour > ${new Date(base - 7 * hourMs)}`.execute(db);
  await addMessages(burning, base, minutes(50), 5, "error");
  await pass(new Date(base));
  const [alert] = await openOf(all._id);
  assert.match(alert!.text, /In the last 6 hours/);
  assert.deepEqual(await openOf(named._id), []);
});

test("a loop opens an alert and turns the workflow off, once; a weekly newsletter does not", async () => {
  const loop = await createWorkflow(client, "loop", [inApp()]);
  const newsletter = await createWorkflow(client, "newsletter", [inApp()]);
  const fresh = await createWorkflow(client, "fresh", [inApp()]);
  const now = Date.now();
  const weekly = new Date(Math.floor(now / hourMs) * hourMs);
  await addHistory(loop, now, 4, () => 100);
  await addHistory(newsletter, now, 4, (hour) =>
    (weekly.getTime() - hour.getTime()) % (168 * hourMs) === 0 ? 2_000 : 100,
  );
  const rule = await createRule("Guard", "workflow_runaway", { pause: true });
  const watching = await createRule("Watch", "workflow_runaway", { workflowIds: ["loop"], atLeast: 2_000 });
  await addMessages(newsletter, now, minutes(10), 2_000);
  await addMessages(fresh, now, minutes(10), 5_000);
  await addMessages(loop, now, minutes(10), 990);
  await pass(new Date(now));
  assert.deepEqual(await openOf(rule._id), []);

  await addMessages(loop, now, minutes(10), 1_510);
  await pass(new Date(now));
  const [alert, ...others] = await openOf(rule._id);
  assert.equal(others.length, 0);
  assert.equal(alert!.subject.id, loop._id);
  assert.match(alert!.text, /2,500 messages within 30 minutes\. At this time, 100 messages in a whole hour are usual/);
  assert.match(alert!.advice, /was turned off.+turn it on/);
  assert.equal((await openOf(watching._id)).length, 1);
  const params = { workflowId: "loop" };
  const stateOf = async () => (await client("workflows.retrieve", { params, query: {} })).body;
  assert.deepEqual([(await stateOf()).active, (await stateOf()).status], [false, "INACTIVE"]);
  const { data: versions } = (await client("workflows.listVersions", { params, query: {} })).body;
  assert.match(versions[0]!.summary, /Turned off by the runaway guard: 2500 messages within 30 minutes/);
  assert.deepEqual([versions[0]!.id, versions.length], [(await stateOf()).versionId, 2]);
  const entries = await db.selectFrom("audit_log").where("actor", "=", "Runaway guard").selectAll().execute();
  assert.deepEqual(
    entries.map(({ operation, target, before, after }) => [operation, target, before, after]),
    [["workflows.patch", "loop", { active: true }, { active: false }]],
  );
  const [refused] = (await client("events.triggerBulk", { body: { events: [{ name: "loop", to: "ada" }] } })).body;
  assert.equal(refused!.status, "trigger_not_active");

  await client("workflows.patch", { params, body: { active: true } });
  await pass(new Date(now + minutes(1)));
  assert.equal((await stateOf()).active, true, "the decision of a member stands as long as the alert is open");
  await trigger(client, "loop", "ada");
  await pass(new Date(now + minutes(45)));
  assert.deepEqual(await openOf(rule._id), []);
  await addMessages(loop, now + minutes(60), minutes(10), 3_000);
  await pass(new Date(now + minutes(60)));
  assert.equal((await openOf(rule._id)).length, 1);
  assert.equal((await stateOf()).active, false, "it opened anew");
});

test("a new workflow has its own limit, and no workflow is turned off unless its rule says so", async () => {
  const first = await createWorkflow(client, "first-send", [inApp()]);
  const rule = await createRule("First", "workflow_runaway", { workflowIds: ["first-send"], atLeastWhenNew: 3_000 });
  await addMessages(first, base, minutes(10), 2_900);
  await pass(new Date(base));
  assert.deepEqual(await openOf(rule._id), []);
  await addMessages(first, base, minutes(10), 100);
  await pass(new Date(base));
  const [alert] = await openOf(rule._id);
  assert.match(alert!.text, /no history to compare with/);
  assert.match(alert!.advice, /turn the workflow off/);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "first-send" }, query: {} });
  assert.equal(body.active, true);
});

test("parameters out of range are refused, with the field", async () => {
  for (const [kind, parameters, field] of [
    ["workflow_runaway", { factor: 2 }, "factor"],
    ["workflow_runaway", { withinMinutes: 61 }, "withinMinutes"],
    ["workflow_runaway", { pause: "yes" }, "pause"],
    ["workflow_runaway", { workflowIds: [] }, "workflowIds"],
    ["workflow_runaway", { stop: true }, "stop"],
    ["workflow_objective", { fastBurn: 0 }, "fastBurn"],
    ["workflow_objective", { workflowIds: ["a b"] }, "workflowIds.0"],
  ] as const) {
    const faults = await faultsOf(client, "alertRules.create", { body: { name: "Refused", kind, parameters } });
    assert.deepEqual(Object.keys(faults), [`parameters.${field}`]);
  }
});
