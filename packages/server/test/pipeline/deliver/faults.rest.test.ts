// The last mile when something goes wrong around the call: a response that cannot be stored, results that were never
// written, circuits that are open everywhere, a cancel or a replay at the wrong moment. Nothing is sent for ever,
// nothing waits for ever. Most cases have their own environment on a test clock.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage as newBareStage, type Stage } from "@tidings/testkit/clock";
import { gate } from "@tidings/testkit/mail/scripted-mail";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { refused } from "@tidings/testkit/refusals";
import { type Answer, startReceiver } from "@tidings/testkit/servers/receiver";
import { attemptsOf, mailer, person, step, texter } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const scripts = new Map<string, (times: number) => Answer | Promise<Answer>>();
const server = await startReceiver(async ({ path }) => {
  const answer = await scripts.get(path)?.(server.of(path).length - 1);
  return { headers: { "content-type": "application/json" }, ...(answer ?? { status: 200, text: '{"id":"theirs"}' }) };
});
const service = await startTestService();
const { db } = service;

/** Without the mailboxes that every new environment sends to when nothing else works. */
async function newStage(now?: string): Promise<Stage> {
  const stage = await newBareStage(service, now);
  for (const integrationId of ["svc-email-default", "svc-sms-default"]) {
    await stage.client("integrations.update", { params: { integrationId }, body: { active: false } });
  }
  return stage;
}

const morning = "2026-03-02T09:00:00.000Z";
const linesOf = async (transactionId: string) => (await attemptsOf(db, transactionId)).map(({ line }) => line);
const lettersOf = async ({ client }: Stage, transactionId: string) =>
  (await client("deadLetters.list", { query: { transactionId } })).body.data;
const jobsOf = async ({ client }: Stage, transactionId: string) =>
  (await notificationsOf(client, transactionId))[0]!.jobs!.map(({ type, status }) => `${type} ${status}`);
const messageOf = async ({ client }: Stage, transactionId: string) => (await messagesOf(client, transactionId))[0]!;

/** The integration has failed for a while; with `probeIn`, when it may be asked again. */
const pause = ({ environmentId }: Stage, identifier: string, probeIn: string) =>
  sql`insert into integration_health (integration_id, environment_id, state, failures, probes, opened_at, next_probe_at,
      updated_at)
    select id, environment_id, 'open', 50, 4, now() - interval '1 hour', now() + ${probeIn}::interval, now()
    from integrations where environment_id = ${environmentId} and identifier = ${identifier}`.execute(db);
const healthOf = async ({ client }: Stage, identifier: string) =>
  (await client("integrations.list", {})).body.find((one) => one.identifier === identifier)!.health!;

/** A message whose first attempt has failed for now, and that waits for the clock. */
async function waiting(stage: Stage, path: string, settings: object = {}, steps: StepIn[] = [email()]) {
  scripts.set(path, (times) => ({ status: times === 0 ? 503 : 200, text: "{}" }));
  await mailer(stage.client, "a", `${server.url}${path}`);
  await createWorkflow(stage.client, "mail", steps, settings);
  const transactionId = await trigger(stage.client, "mail", person(path.slice(1)));
  await stage.moveTo("2026-03-02T09:00:00.100Z");
  return transactionId;
}

describe("each in an environment of its own", { concurrency: true }, () => {
  test("an id of the provider's that cannot be stored is left out, and the message is sent once", async () => {
    scripts.set("/nul", () => ({ status: 200, text: '{"id":"a\\u0000b"}' }));
    scripts.set("/half", () => ({ status: 200, text: '{"id":"a\\ud800b"}' }));
    const long = Array.from({ length: 800 }, () => Math.random().toString(36)).join("");
    scripts.set("/long", () => ({ status: 200, text: JSON.stringify({ id: long }) }));
    const paths = ["/nul", "/half", "/long"];
    const sent = paths.map(async (path) => {
      const stage = await newStage(morning);
      await texter(stage.client, "sms", `${server.url}${path}`);
      await createWorkflow(stage.client, "text", [step("sms", { body: "Hi" })]);
      const transactionId = await trigger(stage.client, "text", person("reader"));
      await stage.advance(1, "minutes");
      return [await jobsOf(stage, transactionId), await linesOf(transactionId), server.of(path).length];
    });
    for (const one of await Promise.all(sent)) assert.deepEqual(one, [["sms completed"], ["sms 1 accepted"], 1]);
  });

  test("attempts that ended without a result count like others: then the next integration, or a dead letter", async () => {
    for (const onUnknownOutcome of ["may_duplicate", "may_delay"] as const) {
      const stage = await newStage(morning);
      const path = `/cut-${onUnknownOutcome}`;
      const transactionId = await waiting(stage, path, { onUnknownOutcome });
      await mailer(stage.client, "b", `${server.url}${path}-b`);
      // Whatever kept the results of four more calls from being written, a crash or an error of ours.
      await sql`insert into attempts (id, environment_id, message_id, integration_id, number, round, started_at)
        select overlay(a.id::text placing lpad(n::text, 12, '0') from 25)::uuid, environment_id, message_id,
          integration_id, n, round, started_at
        from attempts a, generate_series(2, 5) n where environment_id = ${stage.environmentId}`.execute(db);
      await stage.advance(2, "hours");
      assert.equal(server.of(path).length, 1, "it is not asked again");
      const [letter] = await lettersOf(stage, transactionId);
      if (onUnknownOutcome === "may_duplicate") {
        assert.deepEqual([await jobsOf(stage, transactionId), letter], [["email completed"], undefined]);
        assert.deepEqual((await linesOf(transactionId)).at(-1), "b 1 accepted");
      } else {
        assert.deepEqual([letter!.errorClass, letter!.attempts], ["unknown", 5]);
        assert.match(letter!.errorText, /without a result/);
        assert.deepEqual(server.of(`${path}-b`), []);
      }
    }
  });

  test("a repeat that would come too late goes to the next integration while there is time", async () => {
    scripts.set("/late", () => ({ status: 429, headers: { "retry-after": "120" } }));
    const stage = await newStage(morning);
    await mailer(stage.client, "a", `${server.url}/late`);
    await mailer(stage.client, "b", `${server.url}/in-time`);
    await createWorkflow(stage.client, "code", [{ ...email(), deadlineSeconds: 60 }]);
    const transactionId = await trigger(stage.client, "code", person("hurried"));
    await stage.advance(1, "hours");
    assert.deepEqual(await linesOf(transactionId), ["a 1 retry", "b 1 accepted"]);
  });

  test("an integration in trouble is probed by messages that were meant for another one", async () => {
    const stage = await newStage(morning);
    await mailer(stage.client, "a", `http://127.0.0.1:${await closedPort()}/`);
    await mailer(stage.client, "b", `${server.url}/back`);
    await createWorkflow(stage.client, "mail", [email()]);
    await pause(stage, "a", "1 hour");
    await pause(stage, "b", "0");
    const transactionId = await trigger(stage.client, "mail", person("patient"));
    await settled(stage.client, transactionId);
    assert.deepEqual(await linesOf(transactionId), ["b 1 accepted"]);
    assert.deepEqual([(await healthOf(stage, "a")).state, (await healthOf(stage, "b")).state], ["open", "closed"]);
  });

  test("what we refuse ourselves says nothing about the provider, and its probe is still to be made", async () => {
    const stage = await newStage(morning);
    await texter(stage.client, "down", `http://127.0.0.1:${await closedPort()}/`);
    await createWorkflow(stage.client, "text", [step("sms", { body: "Hi" })]);
    await pause(stage, "down", "0");
    const transactionId = await trigger(stage.client, "text", { subscriberId: "odd", phone: "not a number" });
    await settled(stage.client, transactionId);
    assert.deepEqual(await linesOf(transactionId), ["down 1 rejected:recipient"]);
    const { state, failures, nextProbeAt } = await healthOf(stage, "down");
    assert.deepEqual([state, failures, Date.parse(nextProbeAt!) <= Date.now()], ["open", 50, true]);
  });

  test("a step that wakes while an earlier one is being replayed goes on when that one has ended", async () => {
    scripts.set("/again", (times) => ({ status: times === 0 ? 401 : times < 4 ? 503 : 200, text: "{}" }));
    const stage = await newStage(morning);
    await mailer(stage.client, "a", `${server.url}/again`);
    const hour = step("delay", { type: "regular", amount: 1, unit: "hours" });
    await createWorkflow(stage.client, "mail", [email(), hour]);
    const transactionId = await trigger(stage.client, "mail", person("again"));
    await stage.moveTo("2026-03-02T09:59:59.500Z");
    assert.deepEqual(await jobsOf(stage, transactionId), ["email failed", "delay delayed"]);
    const [letter] = await lettersOf(stage, transactionId);
    await stage.client("deadLetters.replay", { params: { id: letter!.id } });
    await stage.advance(1, "days");
    assert.deepEqual(await jobsOf(stage, transactionId), ["email completed", "delay completed"]);
  });

  test("an event canceled during a call that fails for good: nothing is left to replay", async () => {
    const called = gate();
    scripts.set("/canceled", () => called.opened.then(() => ({ status: 401, text: "{}" })));
    const stage = await newStage();
    await mailer(stage.client, "a", `${server.url}/canceled`);
    await createWorkflow(stage.client, "mail", [email()]);
    const transactionId = await trigger(stage.client, "mail", person("canceled"));
    await eventually(() => server.of("/canceled").length === 1, "the call");
    await stage.client("events.cancel", { params: { transactionId } });
    called.open();
    await eventually(async () => (await linesOf(transactionId))[0] === "a 1 rejected:auth", "its result");
    const { status, errorText } = await messageOf(stage, transactionId);
    assert.deepEqual([status, errorText], ["warning", "Canceled: the event was canceled"]);
    const [notification] = await notificationsOf(stage.client, transactionId);
    assert.equal(notification!.jobs![0]!.status, "canceled");
    assert.ok(!detailsOf(notification!, "email").includes("Message moved to dead letters"));
    assert.deepEqual(await lettersOf(stage, transactionId), []);
  });

  test("a message confirmed during a call that fails: its job has ended well and stays so", async () => {
    const called = gate();
    scripts.set("/confirmed", () => called.opened.then(() => ({ status: 503 })));
    const stage = await newStage();
    await mailer(stage.client, "a", `${server.url}/confirmed`);
    await createWorkflow(stage.client, "mail", [email()]);
    const transactionId = await trigger(stage.client, "mail", person("confirmed"));
    await eventually(() => server.of("/confirmed").length === 1, "the call");
    // What a delivery report does.
    const { environmentId } = stage;
    await sql`update messages set status = 'sent' where environment_id = ${environmentId}`.execute(db);
    await sql`update jobs set status = 'completed' where environment_id = ${environmentId}`.execute(db);
    called.open();
    await eventually(async () => (await linesOf(transactionId))[0] === "a 1 retry", "its result");
    assert.equal((await messageOf(stage, transactionId)).status, "sent");
    assert.deepEqual(await jobsOf(stage, transactionId), ["email completed"]);
  });

  test("a message that cannot be put together fails with a reason, and cannot be replayed", async () => {
    const stage = await newStage(morning);
    const transactionId = await waiting(stage, "/hollow");
    await sql`update messages set outgoing = null where environment_id = ${stage.environmentId}`.execute(db);
    await stage.advance(1, "hours");
    const { status, errorText } = await messageOf(stage, transactionId);
    assert.equal(status, "error");
    assert.match(errorText!, /cannot be put together/);
    const [letter] = await lettersOf(stage, transactionId);
    assert.equal(letter!.errorClass, "config");
    const { client } = stage;
    await refused(client, "deadLetters.replay", { params: { id: letter!.id } }, "DEAD_LETTER_NOT_OPEN");
  });
});

test("an event canceled while its delivery is being prepared ends canceled", async () => {
  const stage = await newStage();
  await mailer(stage.client, "a", `${server.url}/prepared`);
  await createWorkflow(stage.client, "mail", [email()]);
  await pause(stage, "a", "1 hour");
  const isBlocked = async (words: string) => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like ${`%${words}%`}`.execute(db);
    return rows.length > 0;
  };
  const { transactionId, canceling } = await db.transaction().execute(async (tx) => {
    // Preparing reads the message, then its attempts.
    await sql`lock table attempts in access exclusive mode`.execute(tx);
    const transactionId = await trigger(stage.client, "mail", person("prepared"));
    await eventually(() => isBlocked("select a.message_id"), "the delivery to be prepared");
    let isCanceled = false;
    const canceling = stage.client("events.cancel", { params: { transactionId } }).then(() => (isCanceled = true));
    await eventually(async () => isCanceled || (await isBlocked("from messages where")), "the cancel");
    return { transactionId, canceling };
  });
  await canceling;
  await eventually(async () => {
    const { rows } = await sql`select 1 from queue.job where name = 'deliver' and state = 'active'`.execute(db);
    return rows.length === 0;
  }, "the delivery to be done with");
  assert.deepEqual(await jobsOf(stage, transactionId), ["email canceled"]);
  assert.equal((await messageOf(stage, transactionId)).errorText, "Canceled: the event was canceled");
});

test("an attempt whose worker vanished before its event was canceled is recorded as unknown", async () => {
  const stage = await newStage();
  const called = gate();
  scripts.set("/vanished", () => called.opened.then(() => ({ status: 200, text: "{}" })));
  await mailer(stage.client, "a", `${server.url}/vanished`);
  await createWorkflow(stage.client, "mail", [email()]);
  const transactionId = await trigger(stage.client, "mail", person("vanished"));
  await eventually(() => server.of("/vanished").length === 1, "the attempt to be under way");
  await stage.client("events.cancel", { params: { transactionId } });
  assert.deepEqual(await linesOf(transactionId), ["a 1 ?"], "its result may still come");
  const ofTask = sql`name = 'deliver' and singleton_key = ${stage.environmentId}`;
  // What supervision does when the heartbeat of a worker stops.
  await sql`update queue.job set state = 'retry', start_after = now() where ${ofTask}`.execute(db);
  await announceDueTasks(db);
  await eventually(async () => {
    const { rows } = await sql`select 1 from queue.job where ${ofTask}`.execute(db);
    return rows.length === 0;
  }, "another worker to be done with the task");
  assert.deepEqual(await linesOf(transactionId), ["a 1 unknown"]);
  called.open();
  assert.equal((await messageOf(stage, transactionId)).errorText, "Canceled: the event was canceled");
  assert.equal(server.of("/vanished").length, 1, "it is not sent again");
});
