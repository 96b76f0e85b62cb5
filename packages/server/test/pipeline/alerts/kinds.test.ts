// What each kind of rule finds, just below and just above its limit. Facts that take hours to come about are written.
import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { Alert, Input } from "@tidings/contract";
import { metric } from "@tidings/testkit/metric";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { alertsOf, minutes, removeRules, startAlertService } from "../../support/alerts.ts";

// Without workers, so that tasks wait as long as the test says.
const { service, pass } = await startAlertService({ TIDINGS_ROLE: "api" });
const { client, db } = service;
await removeRules(client);
const { body: integrations } = await client("integrations.list");
const { _environmentId: environmentId, _id: integrationId } = integrations[0]!;
const ago = (ms: number) => new Date(Date.now() - ms);

/** Open alerts about integrations, as /metrics shows them. */
const countOpen = async (): Promise<number | null> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return metric(text, "tidings_alerts_open", { kind: "integration_failing" });
};

type Watched = Pick<Input<"alertRules.create">["body"], "kind" | "parameters">;

/** The alerts of a new rule after one pass; the rule is deleted then. */
async function findWith(rule: Watched, process: Parameters<typeof pass>[1] = {}): Promise<Alert[]> {
  const { body } = await client("alertRules.create", { body: { name: newId(), ...rule } });
  await pass(new Date(), process);
  const found = await alertsOf(client, { ruleId: body._id });
  await client("alertRules.delete", { params: { ruleId: body._id } });
  return found;
}

const lettersWithin = (moreThan: number, withinMinutes?: number): Watched => ({
  kind: "dead_letters",
  parameters: { moreThan, ...(withinMinutes && { withinMinutes }) },
});

test("dead letters: more than the rule allows, all of them or the new ones", async () => {
  for (const [index, age] of [0, 0, 0, minutes(120), minutes(120)].entries()) {
    const id = `${(Date.now() - age)
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-7000-8000-00000000000${index}`;
    await sql`insert into dead_letters (id, environment_id, message_id, notification_id, job_id, transaction_id,
        subscriber_id, workflow_id, step_id, channel, provider_id, integration_id, error_class, error_id, error_text,
        attempts, status, created_at)
      values (${id}, ${environmentId}, ${newId()}, ${newId()}, ${newId()}, 't', 'ada', ${newId()}, 'e', 'email', 'p',
        ${integrationId}, ${index < 2 ? "auth" : "quota"}, 'x', ${`error ${index}`}, 3, 'open', ${ago(age)})`.execute(
      db,
    );
  }
  assert.deepEqual(await findWith(lettersWithin(5)), []);
  const [all] = await findWith(lettersWithin(4));
  assert.deepEqual([all!.code, all!.facts.count, all!.facts.errorClass], ["waiting", 5, "quota"]);
  assert.equal(all!.path, `/dead-letters/group?integration=${integrationId}&error=quota`);
  assert.deepEqual(await findWith(lettersWithin(3, 60)), []);
  const [fresh] = await findWith(lettersWithin(2, 60));
  assert.deepEqual([fresh!.code, fresh!.facts.count, fresh!.subject.type], ["new", 3, "environment"]);
  await sql`update dead_letters set status = 'resolved'`.execute(db);
  assert.deepEqual(await findWith(lettersWithin(0)), []);
});

test("queue age: a due task that no worker takes; tasks for later and those of others do not count", async () => {
  const watched: Watched = { kind: "queue_age", parameters: { seconds: 60 } };
  const put = (owner: string | null, due: Date) =>
    sql`insert into queue.job_common (id, name, data, singleton_key, start_after)
      values (${newId()}, 'trigger', '{}', ${owner}, ${due})`.execute(db);
  await put(environmentId, ago(minutes(-60)));
  await put(environmentId, ago(50_000));
  await put(newId(), ago(minutes(5)));
  await put(null, ago(minutes(5)));
  assert.deepEqual(await findWith(watched), []);
  await put(environmentId, ago(61_000));
  const [alert] = await findWith(watched);
  assert.deepEqual([alert!.code, alert!.facts.task, alert!.subject.id], ["tasks_wait", "trigger", environmentId]);
});

test("webhooks: failing for long enough, or switched off by the service", async () => {
  const watched: Watched = { kind: "webhook_failing", parameters: { forMinutes: 10 } };
  const { body } = await client("webhooks.create", { body: { url: "https://hooks.example.com/a?key=secret" } });
  const fail = (failures: number, age: number) =>
    sql`update webhooks set failures = ${failures}, failing_since = ${ago(age)}, last_error = 'HTTP 500'
      where id = ${body.id}`.execute(db);
  await fail(2, minutes(60));
  assert.deepEqual(await findWith(watched), []);
  await fail(3, minutes(9));
  assert.deepEqual(await findWith(watched), []);
  await fail(3, minutes(10));
  const [failing] = await findWith(watched);
  assert.deepEqual(
    [failing!.code, failing!.subject.name, failing!.facts.minutes],
    ["failing", "hooks.example.com", 10],
  );
  await sql`update webhooks set active = false, disabled_at = now(), disabled_reason = 'gone' where id = ${body.id}`.execute(
    db,
  );
  const [off] = await findWith(watched);
  assert.deepEqual([off!.code, off!.path], ["disabled", `/webhooks/${body.id}`]);
  await sql`update webhooks set disabled_at = ${ago(8 * 24 * minutes(60))} where id = ${body.id}`.execute(db);
  assert.deepEqual(await findWith(watched), []);
});

test("storage: a chore that keeps failing, and one that is late", async () => {
  const watched: Watched = { kind: "storage", parameters: { freeMegabytes: 64 } };
  const put = (name: string, due: Date, tries: number) =>
    sql`insert into queue.job_common (id, name, data, state, retry_count, start_after)
      values (${newId()}, 'housekeeping', ${JSON.stringify({ name })}, 'retry', ${tries}, ${due})`.execute(db);
  await put("people", ago(minutes(119)), 4);
  assert.deepEqual(await findWith(watched), []);
  await put("partitions", ago(0), 5);
  await put("webhooks", ago(minutes(121)), 0);
  const found = await findWith(watched);
  assert.deepEqual(found.map(({ code, subject }) => [code, subject.id]).sort(), [
    ["chore_failing", "partitions"],
    ["chore_late", "webhooks"],
  ]);
  assert.match(
    found.find(({ code }) => code === "chore_failing")!.text,
    /^The chore partitions failed 5 times in a row/,
  );
});

test("storage: little space where the embedded database is, and a database that refuses to write", async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const free = Math.floor((bavail * bsize) / 1024 ** 2);
  // Other programs write to the same disk, so the limits are far from what is free.
  const findDisk = async (freeMegabytes: number, process: Parameters<typeof pass>[1]) =>
    (await findWith({ kind: "storage", parameters: { freeMegabytes } }, process)).filter(({ code }) =>
      /^disk/.test(code),
    );
  const onDisk = { dataDir: tmpdir() };
  assert.deepEqual(await findDisk(Math.floor(free / 2), onDisk), []);
  const [low] = await findDisk(free * 2, onDisk);
  assert.deepEqual([low!.code, low!.path], ["disk_low", "/settings?tab=data"]);
  assert.ok(Number(low!.facts.freeMegabytes) < free * 2);
  assert.deepEqual(await findDisk(free * 2, {}), [], "a database elsewhere has its own disk");
  const [full] = await findDisk(64, { faults: ["disk_full"] });
  assert.deepEqual([full!.code, full!.title], ["disk_full", "The database has no disk space left"]);
});

test("an alert of a deleted integration ends, and the metric counts what is open", async () => {
  const { body: made } = await client("integrations.create", {
    body: { providerId: "sendgrid", channel: "email", name: "Gone soon", active: false, credentials: {} },
  });
  await sql`update integrations set active = true where id = ${made._id}`.execute(db);
  await sql`insert into integration_health (integration_id, environment_id, state, failures, probes, updated_at,
      failing_since, last_error, last_error_class)
    values (${made._id}, ${environmentId}, 'closed', 0, 0, now(), ${ago(minutes(5))}, 'HTTP 401', 'auth')`.execute(db);
  const body = { name: "Integration", kind: "integration_failing", parameters: { forSeconds: 60 } } as const;
  await client("alertRules.create", { body });
  await pass(new Date());
  const [alert] = await alertsOf(client, { status: "open" });
  assert.deepEqual([alert!.code, alert!.subject.name], ["failing", "Gone soon"]);
  assert.match(alert!.advice, /credentials/);
  assert.equal(await countOpen(), 1);
  await client("integrations.delete", { params: { integrationId: made._id! } });
  await pass(new Date(Date.now() + minutes(4)));
  assert.deepEqual(await alertsOf(client, { status: "open" }), []);
  assert.equal(await countOpen(), null);
});
