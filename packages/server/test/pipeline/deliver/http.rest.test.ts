// The last mile over HTTP: the generic webhook adapters against a server on this machine, most cases in their own
// environment on a test clock, so that no pause between attempts takes its time. What is common to all providers is
// shown with SMTP in deliver.test.ts and policies.rest.test.ts; a process that is killed between attempts in
// process.rest.test.ts and by "an attempt whose worker vanished" in deliver.test.ts. Addresses that may not be called:
// guard.test.ts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TriggerEvent } from "@tidings/contract";
import { endpoint } from "@tidings/testkit/channels";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { gate } from "@tidings/testkit/mail/scripted-mail";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { isSignedWith, type Received, startReceiver } from "@tidings/testkit/servers/receiver";
import {
  integration,
  mailer,
  person,
  attemptsOf as readAttempts,
  secretKey,
  step,
  texter,
} from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, messagesOf, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

type Answer = { status: number; text?: string; headers?: Record<string, string> } | "hang";
type Script = (received: Received, times: number) => Answer;

const scripts = new Map<string, Script>();
const hanging = gate();
const server = await startReceiver(async (received) => {
  const script = scripts.get(received.path) ?? (() => ({ status: 200, text: '{"id":"theirs"}' }));
  const answer: Answer = script(received, server.of(received.path).length - 1);
  if (answer !== "hang") return { ...answer, headers: { "content-type": "application/json", ...answer.headers } };
  await hanging.opened;
  return { status: 200 };
});

const service = await startTestService({ TIDINGS_PROVIDER_TIMEOUT: "1" });
const { db } = service;

const monday = "2026-03-02T09:00:00.000Z";
const push = step("push", { subject: "Hi", body: "There" });

const attemptsOf = (transactionId: string) => readAttempts(db, transactionId);
const linesOf = async (transactionId: string) => (await attemptsOf(transactionId)).map(({ line }) => line);

/** Triggers, lets the time of all repeats pass, and returns how the one job ended. */
async function sendOn(stage: Stage, name: string, to: TriggerEvent["to"]) {
  const transactionId = await trigger(stage.client, name, to as string);
  await stage.moveTo((await clockOf(stage)).now);
  await stage.advance(2, "hours");
  const [notification] = await notificationsOf(stage.client, transactionId);
  return { transactionId, notification: notification!, job: notification!.jobs![0]! };
}
const clockOf = async ({ client, environmentId }: Stage) =>
  (await client("environments.retrieveClock", { params: { environmentId } })).body;

describe("on a test clock", { concurrency: true }, () => {
  test("503, 503, 429 with Retry-After, 200: one message, four attempts, and the pause that was asked for", async () => {
    const answers: Answer[] = [{ status: 503 }, { status: 503 }, { status: 429, headers: { "retry-after": "3" } }];
    scripts.set("/busy", (_, times) => answers[times] ?? { status: 202, text: '{"id":"mail-7"}' });
    const stage = await newStage(service, monday);
    await mailer(stage.client, "a", `${server.url}/busy`);
    await createWorkflow(stage.client, "mail", [email()]);
    const { transactionId, job } = await sendOn(stage, "mail", person("busy"));
    assert.equal(job.status, "completed");
    const attempts = await attemptsOf(transactionId);
    assert.deepEqual(
      attempts.map(({ line }) => line),
      ["a 1 retry", "a 2 retry", "a 3 retry", "a 4 accepted"],
    );
    const gaps = attempts.slice(1).map(({ at }, index) => (at.getTime() - attempts[index]!.at.getTime()) / 1000);
    assert.deepEqual(gaps, [1, 4, 3], "a clock that does not move by itself has no chance either");
    const [message, ...others] = await messagesOf(stage.client, transactionId);
    assert.deepEqual([others.length, message!.status, message!.errorText], [0, "sent", undefined]);
    assert.match(job.executionDetails.at(-1)!.raw!, /mail-7/);
    const asked = server.of("/busy");
    assert.deepEqual(new Set(asked.map(({ headers }) => headers["webhook-id"])), new Set([message!._id]));
    assert.ok(asked.every((one) => isSignedWith(secretKey, one)));
  });

  test("a mail tells its provider what it belongs to, and carries the event's custom data", async () => {
    const stage = await newStage(service, monday);
    await mailer(stage.client, "a", `${server.url}/tagged`);
    await createWorkflow(stage.client, "tagged", [email()]);
    const overrides = { email: { customData: { plan: "pro" } } };
    const event = { name: "tagged", to: person("tagged"), overrides } as const;
    const { transactionId } = (await stage.client("events.trigger", { body: event })).body;
    await stage.moveTo((await clockOf(stage)).now);
    const { origin, customData } = JSON.parse(server.of("/tagged")[0]!.body);
    assert.deepEqual(origin, { workflowId: "tagged", transactionId, subscriberId: "tagged" });
    assert.deepEqual(customData, { plan: "pro" });
    const wrong = { ...event, overrides: { email: { customData: "pro" } } };
    const refused = (await stage.client("events.trigger", { body: wrong })).body.transactionId!;
    await stage.moveTo((await clockOf(stage)).now);
    assert.match((await messagesOf(stage.client, refused))[0]!.errorText!, /customData must be an object/);
  });

  test("400 is final: one attempt, the provider's words, no dead letter", async () => {
    scripts.set("/refuses", () => ({ status: 400, text: '{"error":"no such sender: 12 key-s3cret"}' }));
    const stage = await newStage(service, monday);
    await texter(stage.client, "sms", `${server.url}/refuses`);
    await createWorkflow(stage.client, "text", [step("sms", { body: "Hi" })]);
    const { transactionId, job } = await sendOn(stage, "text", person("refused"));
    assert.equal(job.status, "failed");
    assert.deepEqual(await linesOf(transactionId), ["sms 1 rejected:content"]);
    assert.equal(server.of("/refuses").length, 1);
    const [message] = await messagesOf(stage.client, transactionId);
    assert.deepEqual([message!.status, message!.errorId], ["error", "provider_rejected"]);
    assert.match(message!.errorText!, /HTTP 400: .*no such sender: 12 \*{8}/);
    assert.deepEqual((await stage.client("deadLetters.list", { query: { transactionId } })).body.data, []);
  });

  test("no server listens: five attempts, then the next integration; after that only probes", async () => {
    const stage = await newStage(service, monday);
    await mailer(stage.client, "a", `http://127.0.0.1:${await closedPort()}/`);
    await mailer(stage.client, "b", `${server.url}/b`);
    await createWorkflow(stage.client, "mail", [email()]);
    const lines = async () => linesOf((await sendOn(stage, "mail", person("moved"))).transactionId);
    const failed = ["a 1 retry", "a 2 retry", "a 3 retry", "a 4 retry", "a 5 retry"];
    assert.deepEqual(await lines(), [...failed, "b 1 accepted"]);
    const probeAt = (at: string) =>
      sql`update integration_health set next_probe_at = now() + ${at}::interval
        where environment_id = ${stage.environmentId}`.execute(db);
    await probeAt("1 hour");
    assert.deepEqual([await lines(), await lines()], [["b 1 accepted"], ["b 1 accepted"]]);
    await probeAt("0");
    assert.deepEqual(await lines(), ["a 1 retry", "b 1 accepted"], "a probe is one attempt");
    assert.deepEqual(await lines(), ["b 1 accepted"]);
  });

  test("an answer that never comes: may_duplicate sends again at once", async () => {
    scripts.set("/once", (_, times) => (times === 0 ? "hang" : { status: 200 }));
    const stage = await newStage(service, monday);
    await mailer(stage.client, "a", `${server.url}/once`);
    await createWorkflow(stage.client, "mail", [email()]);
    const { transactionId } = await sendOn(stage, "mail", person("twice"));
    const [first, second] = await attemptsOf(transactionId);
    assert.deepEqual([first!.line, second!.line], ["a 1 unknown", "a 2 accepted"]);
    assert.equal(second!.at.getTime() - first!.at.getTime(), 1_000);
    const ids = server.of("/once").map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1], "the receiver can tell that it is the same");
  });

  test("an answer that never comes: may_delay waits for a report, and calls no other provider", async () => {
    scripts.set("/silent", () => "hang");
    const stage = await newStage(service, monday);
    await mailer(stage.client, "a", `${server.url}/silent`);
    await mailer(stage.client, "b", `${server.url}/other`);
    await createWorkflow(stage.client, "mail", [email()], { onUnknownOutcome: "may_delay" });
    const { transactionId, job } = await sendOn(stage, "mail", person("careful"));
    const attempts = await attemptsOf(transactionId);
    assert.deepEqual(
      attempts.map(({ line, at }) => [line, (at.getTime() - attempts[0]!.at.getTime()) / 60_000]),
      [1, 2, 3, 4, 5].map((number) => [`a ${number} unknown`, (number - 1) * 10]),
    );
    assert.equal(job.status, "failed");
    const [letter] = (await stage.client("deadLetters.list", { query: { transactionId } })).body.data;
    assert.deepEqual([letter!.errorClass, letter!.attempts], ["unknown", 5]);
    assert.deepEqual(server.of("/other"), []);
  });

  test("two devices, one of them gone: its token is forgotten until it is registered again", async () => {
    let isGone = true;
    const tokenOf = ({ body }: Received): string => (JSON.parse(body) as { token: string }).token;
    scripts.set("/push", (one) => ({ status: isGone && tokenOf(one) === "phone" ? 410 : 200 }));
    const stage = await newStage(service, monday);
    const { client } = stage;
    await integration(client, "push-webhook", "push", { webhookUrl: `${server.url}/push`, secretKey });
    await createWorkflow(client, "ring", [push]);
    const params = { subscriberId: "mobile" };
    const register = async (deviceTokens: string[]) =>
      client("subscribers.appendCredentials", {
        params,
        body: { providerId: "push-webhook", credentials: { deviceTokens } },
      });
    const tokens = async () =>
      (await client("subscribers.retrieve", { params })).body.channels![0]!.credentials.deviceTokens;
    await client("subscribers.create", { body: params });
    await register(["phone", "tablet"]);

    const { transactionId, job, notification } = await sendOn(stage, "ring", "mobile");
    assert.equal(job.status, "completed");
    assert.deepEqual((await linesOf(transactionId)).sort(), ["push 1 accepted", "push 1 dead-token"]);
    assert.ok(detailsOf(notification, "push").includes("Some devices failed"));
    assert.deepEqual(await tokens(), ["tablet"]);
    await sendOn(stage, "ring", "mobile");
    assert.deepEqual(server.of("/push").map(tokenOf).sort(), ["phone", "tablet", "tablet"]);

    isGone = false;
    await register(["phone"]);
    const again = await sendOn(stage, "ring", "mobile");
    assert.deepEqual(await linesOf(again.transactionId), ["push 1 accepted", "push 1 accepted"]);
    assert.deepEqual(await tokens(), ["tablet", "phone"]);
  });

  test("two rooms: each gets its own message, and one that is closed does not spoil the other", async () => {
    const stage = await newStage(service, monday);
    const { client } = stage;
    await integration(client, "chat-webhook", "chat", { secretKey });
    await createWorkflow(client, "talk", [step("chat", { body: "Lunch" })]);
    await client("subscribers.create", { body: { subscriberId: "pat" } });
    for (const room of ["room-1", "room-2"]) {
      await endpoint(client, "chat", "pat", { endpoint: { url: `${server.url}/${room}` } });
    }
    const both = await sendOn(stage, "talk", "pat");
    assert.deepEqual(
      [both.job.status, await linesOf(both.transactionId)],
      ["completed", Array(2).fill("chat 1 accepted")],
    );
    const [first, second] = [server.of("/room-1")[0]!, server.of("/room-2")[0]!];
    assert.equal((JSON.parse(first.body) as { text: string }).text, "Lunch");
    assert.notEqual(first.headers["webhook-id"], second.headers["webhook-id"]);
    assert.ok(isSignedWith(secretKey, first) && isSignedWith(secretKey, second));

    scripts.set("/room-2", () => ({ status: 400, text: "closed" }));
    const one = await sendOn(stage, "talk", "pat");
    assert.equal(one.job.status, "completed");
    assert.deepEqual((await linesOf(one.transactionId)).sort(), ["chat 1 accepted", "chat 1 rejected:content"]);
    assert.equal(one.job.executionDetails.at(-1)!.detail, "Some chat channels failed");
  });

  test("a redirect is not followed, wherever it leads", async () => {
    const places = [`${server.url}/inside`, "http://169.254.169.254/latest/meta-data"];
    const stage = await newStage(service, monday);
    const { client } = stage;
    await client("subscribers.create", { body: { subscriberId: "led" } });
    for (const [index, location] of places.entries()) {
      scripts.set(`/redirects-${index}`, () => ({ status: 307, headers: { location } }));
      const identifier = `redirects-${index}`;
      await integration(client, "push-webhook", identifier, { webhookUrl: `${server.url}/${identifier}`, secretKey });
      const credentials = { deviceTokens: ["device"] };
      const body = { providerId: "push-webhook", integrationIdentifier: identifier, credentials } as const;
      await client("subscribers.appendCredentials", { params: { subscriberId: "led" }, body });
    }
    await createWorkflow(client, "ring", [push]);
    const { transactionId } = await sendOn(stage, "ring", "led");
    const lines = ["redirects-0 1 rejected:config", "redirects-1 1 rejected:config"];
    assert.deepEqual((await linesOf(transactionId)).sort(), lines);
    for (const { errorText } of await messagesOf(client, transactionId)) {
      assert.match(errorText!, /HTTP 307 \(redirects are not followed\)/);
    }
    assert.deepEqual(server.of("/inside"), []);
  });
});
