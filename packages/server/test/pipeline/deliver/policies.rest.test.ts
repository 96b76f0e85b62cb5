// The last mile with short pauses: repeats, failover, unknown outcomes, circuit breakers, deadlines and pacing, against
// mail servers that do what each case needs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Integration, Job, Notification, WorkflowIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { gate, startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

let isAway = false;
const hanging = gate();
const hangs = new Set([
  "duplicate@example.com",
  "delay@example.com",
  "delay-bound@example.com",
  "too-late@example.com",
]);
const first = await startScriptedMail(
  (address, times) => {
    if (address.startsWith("503")) return times < 2 ? 421 : null;
    if (address.startsWith("always")) return 451;
    return isAway ? 421 : null;
  },
  async (address) => {
    // The whole mail was read, and no response ever comes: its outcome is unknown.
    if (hangs.delete(address)) await hanging.opened;
  },
);
const second = await startScriptedMail(() => null);
const changing = await startScriptedMail((_address, times) => (times < 1 ? 451 : null));

const service = await startTestService({
  TIDINGS_DELIVERY_FIRST_WAIT: "20",
  TIDINGS_DELIVERY_WAIT_FACTOR: "1",
  TIDINGS_PROVIDER_TIMEOUT: "1",
  TIDINGS_DELIVERY_UNKNOWN_WAIT: "2",
  TIDINGS_CIRCUIT_FIRST_PROBE: "1",
  TIDINGS_DELIVERY_DEADLINE: "60",
});
const { client, production, db, url, apiKey } = service;

const credentialsOf = (port: number) => ({
  ...{ host: "127.0.0.1", port, secure: false, ignoreTls: true, requireTls: false },
  ...{ from: "shop@example.com", senderName: "Shop" },
});

async function mailServer(
  from: typeof client,
  identifier: string,
  port: number,
  configurations?: Integration["configurations"],
) {
  const body = { providerId: "nodemailer", channel: "email", identifier, active: true } as const;
  await from("integrations.create", { body: { ...body, credentials: credentialsOf(port), configurations } });
}
await mailServer(production, "a", first.port);
await mailServer(production, "b", second.port);
const withSettings = (workflowId: string, settings: Partial<WorkflowIn> = {}) =>
  createWorkflow(production, workflowId, [email()], settings);
await withSettings("mail");

const to = (name: string) => ({ subscriberId: name, email: `${name}@example.com` });
const mailJob = (notification: Notification | undefined): Job =>
  notification!.jobs!.find((job) => job.type === "email")!;

async function attemptsOf(address: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select i.identifier || ' ' || a.number || ' ' || coalesce(a.outcome, '?') as line
    from attempts a join integrations i on i.id = a.integration_id join messages m on m.id = a.message_id
    where m.address = ${address} order by a.id`.execute(db);
  return rows.map((row) => row.line);
}

const healthOf = async (from: typeof client, identifier: string) =>
  (await from("integrations.list", {})).body.find((one) => one.identifier === identifier)!.health!;

/** What happened to integrations in one case must not open a circuit in the next. */
const forget = () => sql`delete from integration_health`.execute(db);

test("busy, busy, taken: one mail, three attempts in the books", async () => {
  const transactionId = await trigger(production, "mail", to("503"));
  const [done] = await settled(production, transactionId);
  assert.equal(mailJob(done).status, "completed");
  assert.deepEqual(await attemptsOf("503@example.com"), ["a 1 retry", "a 2 retry", "a 3 accepted"]);
  assert.equal(first.mailsTo("503@example.com").length, 1);
  assert.deepEqual((await healthOf(production, "a")).failures, 0, "a success forgets the failures before it");
});

test("five attempts, then the next integration", async () => {
  const transactionId = await trigger(production, "mail", to("always"));
  const [done] = await settled(production, transactionId);
  assert.equal(mailJob(done).status, "completed");
  const tried = await attemptsOf("always@example.com");
  assert.deepEqual(tried, ["a 1 retry", "a 2 retry", "a 3 retry", "a 4 retry", "a 5 retry", "b 1 accepted"]);
  assert.equal(second.mailsTo("always@example.com").length, 1);
  await forget();
});

describe("a server that takes the mail and never answers", { concurrency: true }, () => {
  test("may_duplicate: it is sent again", async () => {
    const transactionId = await trigger(production, "mail", to("duplicate"));
    const [done] = await settled(production, transactionId);
    assert.equal(mailJob(done).status, "completed");
    assert.deepEqual(await attemptsOf("duplicate@example.com"), ["a 1 unknown", "a 2 accepted"]);
    const mails = first.mailsTo("duplicate@example.com");
    assert.deepEqual([mails.length, mails[0]?.messageId], [2, mails[1]?.messageId], "as the same mail");
  });

  test("may_delay: it waits for a receipt first, and goes to the same server", async () => {
    const made = await withSettings("careful", { onUnknownOutcome: "may_delay" });
    assert.equal(made.onUnknownOutcome, "may_delay");
    const transactionId = await trigger(production, "careful", to("delay"));
    const waiting = await eventually(async () => {
      const [notification] = await notificationsOf(production, transactionId);
      return notification && mailJob(notification).status === "delayed" ? notification : null;
    }, "the mail to wait");
    const repeat = mailJob(waiting).executionDetails.at(-1)!;
    const { next } = JSON.parse(repeat.raw ?? "{}") as { next: string };
    assert.equal(Date.parse(next) - Date.parse(repeat.createdAt!), 2_000, "the wait for a receipt");
    const [done] = await settled(production, transactionId);
    assert.equal(mailJob(done).status, "completed");
    assert.deepEqual(await attemptsOf("delay@example.com"), ["a 1 unknown", "a 2 accepted"]);
    assert.equal(second.asked.get("delay@example.com"), undefined, "no other provider was called");
  });

  test("may_delay: a receipt meanwhile is the end of it", async () => {
    await withSettings("receipt", { onUnknownOutcome: "may_delay" });
    const transactionId = await trigger(production, "receipt", to("delay-bound"));
    await eventually(async () => (await attemptsOf("delay-bound@example.com"))[0] === "a 1 unknown", "the call to end");
    await sql`update messages set status = 'sent' where address = 'delay-bound@example.com'`.execute(db);
    await eventually(async () => {
      const { rows } = await sql`select 1 from queue.job j join messages m on j.data->'messageIds' ? m.id::text
        where j.name = 'deliver' and m.address = 'delay-bound@example.com'`.execute(db);
      return rows.length === 0;
    }, "its repeat to be worked");
    assert.deepEqual(await attemptsOf("delay-bound@example.com"), ["a 1 unknown"]);
    await production("events.cancel", { params: { transactionId } });
  });
});

test("after five failures a server gets only probes; the others go to the next, and it is used again when it is back", async () => {
  await forget();
  isAway = true;
  const names = Array.from({ length: 8 }, (_, index) => `outage-${index}`);
  await trigger(production, "mail", to("outage-first")).then((id) => settled(production, id));
  const open = await healthOf(production, "a");
  assert.equal(open.state, "open");
  assert.ok(open.failures >= 5 && Date.parse(open.nextProbeAt!) > Date.parse(open.openedAt!));
  // No probe falls due while the others pass by.
  await sql`update integration_health set next_probe_at = now() + interval '1 hour'`.execute(db);
  for (const name of names) {
    const [done] = await settled(production, await trigger(production, "mail", to(name)));
    assert.equal(mailJob(done).status, "completed");
    assert.deepEqual(await attemptsOf(`${name}@example.com`), ["b 1 accepted"]);
    assert.ok(detailsOf(done!, "email").includes("Next integration selected after a failure"));
  }
  assert.ok(names.every((name) => !first.asked.has(`${name}@example.com`)));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /tidings_open_circuits\{provider="nodemailer"\} 1/);

  await sql`update integration_health set next_probe_at = now()`.execute(db);
  await settled(production, await trigger(production, "mail", to("probe-fails")));
  assert.deepEqual((await attemptsOf("probe-fails@example.com"))[0], "a 1 retry", "one message is the probe");
  assert.equal((await healthOf(production, "a")).state, "open");

  isAway = false;
  await sql`update integration_health set next_probe_at = now()`.execute(db);
  await settled(production, await trigger(production, "mail", to("probe-works")));
  assert.deepEqual(await attemptsOf("probe-works@example.com"), ["a 1 accepted"]);
  const { state, failures, failingSince, lastError, lastSuccessAt } = await healthOf(production, "a");
  assert.deepEqual([state, failures, failingSince, lastError!.class], ["closed", 0, undefined, "transient"]);
  assert.ok(Date.parse(lastSuccessAt!) > Date.parse(lastError!.at));
});

test("with no other integration messages wait for the probe, and waiting is no attempt", async () => {
  await client("integrations.update", { params: { integrationId: "svc-email-default" }, body: { active: false } });
  await mailServer(client, "only", first.port);
  await createWorkflow(client, "mail", [email()]);
  await settled(client, await trigger(client, "mail", to("only-first")));
  await forget();
  const { rows } = await sql<{ id: string; environment_id: string }>`
    select id, environment_id from integrations where identifier = 'only'`.execute(db);
  await sql`insert into integration_health (integration_id, environment_id, state, failures, probes, opened_at,
    next_probe_at, updated_at) values (${rows[0]!.id}, ${rows[0]!.environment_id}, 'open', 5, 0, now(),
    now() + interval '2 seconds', now())`.execute(db);
  const ids = await Promise.all(["only-1", "only-2", "only-3"].map((name) => trigger(client, "mail", to(name))));
  const waiting = await eventually(async () => {
    const [notification] = await notificationsOf(client, ids[0]!);
    return notification && mailJob(notification).status === "delayed" ? mailJob(notification) : null;
  }, "the mail to wait");
  assert.match(waiting.executionDetails.at(-1)?.raw ?? "", /paused after failures in a row: only/);
  for (const id of ids) assert.equal(mailJob((await settled(client, id, 40_000))[0]).status, "completed");
  for (const name of ["only-1", "only-2", "only-3"]) {
    assert.deepEqual(await attemptsOf(`${name}@example.com`), ["only 1 accepted"]);
  }
});

test("an integration that was changed is used again at once", async () => {
  await sql`update integration_health set state = 'open', failures = 9, next_probe_at = now() + interval '1 hour'
    where integration_id = (select id from integrations where identifier = 'only')`.execute(db);
  const answer = await client("integrations.update", {
    params: { integrationId: "only" },
    body: { credentials: credentialsOf(first.port) },
  });
  assert.deepEqual(answer.body.health, { state: "closed", failures: 0, waiting: 0 });
});

test("a message that is too old is not sent: it becomes a dead letter with the reason", async () => {
  const step = { ...email(), deadlineSeconds: 1 };
  const made = await createWorkflow(production, "code", [step]);
  assert.equal(made.steps[0]!.deadlineSeconds, 1);
  const transactionId = await trigger(production, "code", to("too-late"));
  const [repeated] = await settled(production, transactionId);
  assert.equal(mailJob(repeated).status, "failed", "after an unknown outcome, its repeat does not fit into a second");
  const [first] = (await production("deadLetters.list", { query: { transactionId } })).body.data;
  assert.match(first!.errorText, /the time in which it may be delivered (is|was) over/);
  await sql`insert into integration_health (integration_id, environment_id, state, failures, probes, opened_at,
      next_probe_at, updated_at)
    select id, environment_id, 'open', 5, 0, now(), now() + interval '2 seconds', now() from integrations
    where identifier in ('a', 'b')
    on conflict (integration_id) do update set state = 'open', next_probe_at = excluded.next_probe_at`.execute(db);
  const late = await trigger(production, "code", to("late"));
  const [failed] = await settled(production, late);
  assert.equal(mailJob(failed).status, "failed");
  assert.deepEqual(await attemptsOf("late@example.com"), []);
  const [letter] = (await production("deadLetters.list", { query: { transactionId: late } })).body.data;
  assert.match(letter!.errorText, /was not sent: the time in which it may be delivered was over/);
  assert.deepEqual([letter!.attempts, letter!.errorClass, letter!.stepId], [0, "transient", "email"]);
  await forget();
});

test("an integration sends no faster than it may", async () => {
  const { body } = await client("integrations.update", {
    params: { integrationId: "only" },
    body: { configurations: { maxPerSecond: 4 } },
  });
  assert.equal(body.configurations?.maxPerSecond, 4);
  const events = Array.from({ length: 12 }, (_, index) => ({ name: "mail", to: to(`paced-${index}`) }));
  const results = (await client("events.triggerBulk", { body: { events } as never })).body;
  for (const { transactionId } of results) await settled(client, transactionId!);
  const { rows } = await sql<{ started_at: Date }>`
    select a.started_at from attempts a join messages m on m.id = a.message_id
    where m.address like 'paced-%' order by a.started_at`.execute(db);
  assert.equal(rows.length, 12, "each was tried once");
  const times = rows.map((row) => row.started_at.getTime());
  // Twelve at four a second with a burst of four: the last cannot begin before the second second.
  assert.ok(times.at(-1)! - times[0]! >= 1_900, `${times.at(-1)! - times[0]!} ms`);
  for (const time of times) {
    assert.ok(times.filter((other) => other >= time && other < time + 1_000).length <= 9);
  }
});

test("bad settings are refused by name", async () => {
  const headers = { authorization: `ApiKey ${apiKey}`, "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, errors: ((await answer.json()) as { errors?: object }).errors };
  };
  const steps = [{ name: "E", type: "email", controlValues: {}, deadlineSeconds: 0 }];
  const workflow = await post("/v2/workflows", { name: "x", workflowId: "x", steps, onUnknownOutcome: "guess" });
  assert.equal(workflow.status, 422);
  assert.deepEqual(Object.keys(workflow.errors!).sort(), ["onUnknownOutcome", "steps.0.deadlineSeconds"]);
  const integration = await post("/v1/integrations", {
    ...{ providerId: "nodemailer", channel: "email" },
    configurations: { maxPerSecond: 0 },
  });
  assert.deepEqual([integration.status, Object.keys(integration.errors!)], [422, ["configurations.maxPerSecond"]]);
});

test("a retry does not use an integration that was switched off or deleted: it fails over, or becomes a dead letter", async () => {
  const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
  await createWorkflow(stage.client, "mail", [email()]);
  const addMail = async (identifier: string, port: number, isPrimary: boolean) => {
    const body = { providerId: "nodemailer", channel: "email", identifier, active: true } as const;
    const created = await stage.client("integrations.create", { body: { ...body, credentials: credentialsOf(port) } });
    const params = { integrationId: created.body._id! };
    if (isPrimary) await stage.client("integrations.setPrimary", { params });
    return params;
  };
  for (const integration of (await stage.client("integrations.list", {})).body) {
    if (integration.channel !== "email") continue;
    await stage.client("integrations.delete", { params: { integrationId: integration._id! } });
  }
  const send = (name: string) => trigger(stage.client, "mail", to(name));
  const waits = (transactionId: string) =>
    eventually(async () => {
      const [run] = await notificationsOf(stage.client, transactionId);
      return run?.jobs?.[0]?.status === "delayed";
    }, "the retry");
  const onlyOne = await addMail("one", changing.port, true);
  const lost = await send("lost");
  await waits(lost);
  await stage.client("integrations.update", { params: onlyOne, body: { active: false } });
  await stage.advance(1, "minutes");
  const [failed] = await settled(stage.client, lost);
  assert.equal(mailJob(failed).status, "failed");
  assert.match(JSON.stringify(mailJob(failed).executionDetails), /integration one was switched off or deleted/);
  const { data } = (await stage.client("deadLetters.list", { query: { transactionId: lost } })).body;
  assert.equal(data.length, 1);

  const two = await addMail("two", changing.port, true);
  await addMail("three", second.port, false);
  const moved = await send("moved");
  await waits(moved);
  await stage.client("integrations.delete", { params: two });
  await stage.advance(1, "minutes");
  const [delivered] = await settled(stage.client, moved);
  assert.equal(mailJob(delivered).status, "completed");
  assert.equal(second.mailsTo("moved@example.com").length, 1);
  assert.equal(changing.asked.get("moved@example.com"), 1);
});
