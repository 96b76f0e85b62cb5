// Priority lanes over the interface: with one worker and a provider that keeps its callers waiting, and with an
// integration that may be called a few times a second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gate } from "@tidings/testkit/mail/scripted-mail";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const opened = gate();
/** The subscribers whose mails came, in their order, by path. */
const arrived: Record<string, string[]> = { "/held": [], "/paced": [], "/late": [] };
const receiver = await startReceiver(async ({ path, body }) => {
  arrived[path]!.push(/([a-z-]+-\d+)@example\.com/.exec(body)![1]!);
  if (path !== "/paced") await opened.opened;
  return { status: 200 };
});

const { client, db } = await startTestService({
  TIDINGS_WORKER_CONCURRENCY: "1",
  TIDINGS_DELIVERY_WINDOW: "8",
  TIDINGS_PROVIDER_TIMEOUT: "60",
});
for (const name of ["held", "paced", "late"]) await mailer(client, name, `${receiver.url}/${name}`);
await createWorkflow(client, "newsletter", [email()], { priority: "low" });
await createWorkflow(client, "receipt", [email()]);
await createWorkflow(client, "code", [email()], { priority: "high" });

const mail = (name: string, integration: string, subscriberId: string) => ({
  name,
  to: { subscriberId, email: `${subscriberId}@example.com` },
  overrides: { email: { integrationIdentifier: integration } },
});
const mails = (name: string, integration: string, count: number) => ({
  events: Array.from({ length: count }, (_, index) => mail(name, integration, `${name}-${index}`)) as never,
});
const countOf = (path: string, name: string) => arrived[path]!.filter((one) => one.startsWith(name)).length;

test("with all shared slots taken by low mails, a high one is handed to the provider, and a normal one waits", async () => {
  await client("events.triggerBulk", { body: mails("newsletter", "held", 20) });
  await eventually(() => countOf("/held", "newsletter") === 2, "the slots of the integration to be taken");
  await client("events.triggerBulk", { body: mails("receipt", "held", 3) });
  await client("events.triggerBulk", { body: mails("code", "held", 1) });
  await eventually(() => countOf("/held", "code") === 1, "the high mail");
  assert.deepEqual(arrived["/held"]!.toSorted(), ["code-0", "newsletter-0", "newsletter-1"]);
});

test("deadlineSeconds holds for what waits in its lane, and the reason says how long it waited", async () => {
  const { overrides } = mail("", "held", "");
  await createWorkflow(client, "urgent", [{ ...email(), deadlineSeconds: 1 }], { priority: "low" });
  const to = { subscriberId: "urgent-0", email: "urgent-0@example.com" };
  const { body } = await client("events.trigger", { body: { name: "urgent", to, overrides } as never });
  const [notification] = await settled(client, body.transactionId!);
  const details = notification!.jobs![0]!.executionDetails;
  assert.match(JSON.stringify(details), /delivered was over at .*; it waited \d+ s without an attempt/);
  assert.equal(countOf("/held", "urgent"), 0, "nothing was sent");
});

test("once the provider responds, everything is sent, also what is low", async () => {
  opened.open();
  await eventually(() => arrived["/held"]!.length === 24, "all mails");
});

test("under a limit per second a high mail goes before low ones that wait, and the limit holds for both", async () => {
  const perSecond = 5;
  const { rows } = await sql<{ id: string }>`select id from integrations where identifier = 'paced'`.execute(db);
  const configurations = { maxPerSecond: perSecond };
  await client("integrations.update", { params: { integrationId: rows[0]!.id }, body: { configurations } });
  await client("events.triggerBulk", { body: mails("newsletter", "paced", 60) });
  await eventually(() => countOf("/paced", "newsletter") >= 3, "the first of the low mails");
  await client("events.triggerBulk", { body: mails("code", "paced", 4) });
  await eventually(() => countOf("/paced", "code") === 4, "the high mails");
  assert.ok(countOf("/paced", "newsletter") < 30, `${countOf("/paced", "newsletter")} low mails went before them`);
  const attempts = await sql<{ at: Date }>`
    select a.started_at as at from attempts a where a.integration_id = ${rows[0]!.id}`.execute(db);
  const moments = attempts.rows.map(({ at }) => at.getTime());
  for (const first of moments) {
    const within = moments.filter((moment) => moment >= first && moment < first + 1_000).length;
    assert.ok(within <= perSecond * 1.5 + 1, `${within} calls in a second, ${perSecond} are allowed`);
  }
});

test("a trigger may lower the priority; raising it takes a key that may, and critical workflows stay high", async () => {
  const event = (name: string, priority: string) => ({ ...mail(name, "held", "asked-1"), priority });
  const refuse = async (body: object, fault: RegExp) => {
    const result = (await client("events.trigger", { body: body as never })).body;
    assert.equal(result.status, "error");
    assert.match(result.error![0]!, fault);
  };
  await refuse(event("receipt", "high"), /^priority: the workflow has priority normal, and this API key may not raise/);
  await refuse(event("newsletter", "normal"), /^priority: the workflow has priority low/);
  const wrong = await client.raw("events.trigger", { body: event("receipt", "urgent") as never });
  assert.equal(wrong.status, 422);
  assert.match(JSON.stringify(wrong.body), /priority/);

  const keys = (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!;
  const params = { environmentId: keys._id, keyId: keys.apiKeys![0]!._id! };
  await client("environments.updateApiKey", { params, body: { mayRaisePriority: true } });
  const raised = await eventually(async () => {
    const { body } = await client("events.trigger", { body: event("receipt", "high") as never });
    return body.status === "processed" ? body.transactionId! : null;
  }, "the key to be allowed");
  const lowered = (await client("events.trigger", { body: event("code", "low") as never })).body.transactionId!;
  const plain = await trigger(client, "receipt", { subscriberId: "asked-1", email: "asked-1@example.com" });
  const priorityOf = async (transactionId: string) => {
    const query = { transactionId, subscriberId: "asked-1" };
    return (await client("explain.retrieve", { query })).body.event.priority;
  };
  assert.deepEqual(
    [await priorityOf(raised), await priorityOf(lowered), await priorityOf(plain)],
    ["high", "low", "normal"],
  );
});
