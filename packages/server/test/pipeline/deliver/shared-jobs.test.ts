// Jobs with several messages: push and chat. Two workers may settle the last two messages of a job at the same moment;
// one of them ends the job, and it knows what the other did.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, JobStatus } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import type { Ctx } from "../../../src/context.ts";
import { openText } from "../../../src/lib/sealed.ts";
import { createSecrets, parseEncryptionKeys } from "../../../src/lib/secrets.ts";
import { removeDeviceTokens } from "../../../src/pipeline/deliver/dead-tokens.ts";
import { endJobs, type MessageEnd } from "../../../src/pipeline/deliver/job-ends.ts";
import { type Db, inTransaction } from "../../../src/store/db.ts";
import { emptyJobUpdate, updateJobs } from "../../../src/store/events/jobs.batch.ts";
import type { JobKey } from "../../../src/store/keys.ts";
import { recordOutcomes } from "../../../src/store/messages/messages.batch.ts";

const TIDINGS_ENCRYPTION_KEY = "ab".repeat(32);
const secrets = createSecrets(parseEncryptionKeys(TIDINGS_ENCRYPTION_KEY));
const { client, db } = await startTestService({ TIDINGS_ENCRYPTION_KEY });
const integration = (
  await client("integrations.create", {
    body: {
      providerId: "fcm",
      channel: "push",
      identifier: "phones",
      active: true,
      credentials: { serviceAccount: "{}" },
    },
  })
).body;

const setTokens = (subscriberId: string, deviceTokens: string[]) =>
  client("subscribers.replaceCredentials", {
    params: { subscriberId },
    body: { providerId: "fcm", integrationIdentifier: "phones", credentials: { deviceTokens } },
  });

async function withDevices(subscriberId: string, tokens: string[]): Promise<void> {
  await client("subscribers.create", { body: { subscriberId } });
  await setTokens(subscriberId, tokens);
}

const push = { name: "Push", type: "push", controlValues: { subject: "Hi", body: "Ho" } } as const;
await createWorkflow(client, "push", [push, inApp({ body: "behind" })]);

type Row = JobKey & { id: string; address: string; status: string; data: object };
async function messagesOf(transactionId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select m.id, m.environment_id, m.notification_id, m.job_id, m.address, m.status, m.outgoing as data from messages m
    join events e on e.id = m.event_id where e.transaction_id = ${transactionId} and m.channel = 'push'`.execute(db);
  const opened = rows.map((row) => ({ ...row, address: openText(secrets, row.address) }));
  return opened.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

test("a push whose provider refuses the integration: every device fails, the job once, each with a dead letter", async () => {
  await withDevices("ada", ["one", "two"]);
  const transactionId = await trigger(client, "push", "ada");
  const [done] = await settled(client, transactionId);
  const job = done!.jobs!.find((one) => one.type === "push") as Job;
  assert.deepEqual(
    done!.jobs!.map((one) => one.status),
    ["failed", "completed"],
  );
  const all = job.executionDetails.filter((entry) => entry.detail === "All devices failed");
  assert.equal(all.length, 1);
  const messages = await messagesOf(transactionId);
  const { failed, sent } = JSON.parse(all[0]!.raw ?? "{}") as { failed: { messageId: string }[]; sent: number };
  assert.deepEqual([failed.map((one) => one.messageId).sort(), sent], [messages.map((one) => one.id).sort(), 0]);
  assert.deepEqual(
    messages.map(({ address, status }) => [address, status]),
    [
      ["one", "error"],
      ["two", "error"],
    ],
  );
  const { data } = (await client("deadLetters.list", { query: { transactionId } })).body;
  assert.deepEqual(
    data.map((letter) => [letter.channel, letter.errorClass, letter.errorId, letter.integrationIdentifier]),
    Array.from({ length: 2 }, () => ["push", "config", "push_unexpected_error", "phones"]),
  );
});

/** Puts a job of two messages back to where both are in progress. */
async function reopened(subscriberId: string): Promise<Row[]> {
  await withDevices(subscriberId, ["a", "b"]);
  const transactionId = await trigger(client, "push", subscriberId);
  await settled(client, transactionId);
  const messages = await messagesOf(transactionId);
  await sql`update messages set status = 'pending' where id = any(${messages.map((one) => one.id)})`.execute(db);
  await sql`update jobs set status = 'queued', details = '[]' where id = ${messages[0]!.job_id}`.execute(db);
  return messages;
}

const endOf = (job: Row, status: JobStatus): MessageEnd => ({
  channel: "push",
  update: {
    ...emptyJobUpdate(job, new Date()),
    status,
    details: [{ d: status === "completed" ? "message_sent" : "provider_error", t: 1 }],
  },
});

async function settleOne(tx: Db, message: Row, isSent: boolean): Promise<Set<string>> {
  const { rows } = await sql<{
    integration_id: string;
  }>`select integration_id from messages where id = ${message.id}`.execute(tx);
  const integration_id = rows[0]!.integration_id;
  const outcome = { error_id: null, error_text: isSent ? null : "no", provider_id: "fcm", provider_message_id: null };
  await recordOutcomes(tx, [
    {
      ...outcome,
      environment_id: message.environment_id,
      id: message.id,
      status: isSent ? "sent" : "error",
      integration_id,
      updated_at: new Date(),
    },
  ]);
  const { updates, ended } = await endJobs(tx, [endOf(message, isSent ? "completed" : "failed")]);
  await updateJobs(tx, updates);
  return ended;
}

for (const [sends, expected, detail] of [
  [[true, true], "completed", null],
  [[true, false], "completed", "some_devices_failed"],
  [[false, true], "completed", "some_devices_failed"],
  [[false, false], "failed", "all_devices_failed"],
] as const) {
  test(`two workers settle the last two messages at once: ${sends.join(" and ")} makes ${expected}`, async () => {
    const messages = await reopened(`racer-${sends.join("-")}`);
    const ended = await Promise.all(
      messages.map((message, index) => inTransaction(db, (tx) => settleOne(tx, message, sends[index]!))),
    );
    assert.equal(ended.filter((jobs) => jobs.size > 0).length, 1, "exactly one of them ends the job");
    const { rows } = await sql<{ status: string; details: { d: string }[] }>`
      select status, details from jobs where id = ${messages[0]!.job_id}`.execute(db);
    assert.equal(rows[0]!.status, expected);
    const names = rows[0]!.details.map((one) => one.d);
    assert.equal(names.filter((name) => name === "message_sent").length, sends.filter(Boolean).length);
    assert.deepEqual(
      names.filter((name) => name.endsWith("devices_failed")),
      detail === null ? [] : [detail],
    );
  });
}

test("a dead token leaves its subscriber and nothing else does, and comes back when it is registered again", async () => {
  await withDevices("bob", ["keep", "dead", "also"]);
  await withDevices("eve", ["dead"]);
  const idOf = async (subscriberId: string) =>
    (await sql<{ id: string }>`select id from subscribers where subscriber_id = ${subscriberId}`.execute(db)).rows[0]!
      .id;
  const tokensOf = async (subscriberId: string) =>
    (await client("subscribers.retrieve", { params: { subscriberId } })).body.channels?.[0]?.credentials.deviceTokens;
  const integration_id = integration._id!;
  const gone = { subscriber_id: await idOf("bob"), integration_id, token: "dead" };
  const ctx = { db, secrets, now: () => new Date() } as Ctx;
  await removeDeviceTokens(ctx, [gone, { ...gone, token: "never-there" }]);
  assert.deepEqual(await tokensOf("bob"), ["keep", "also"]);
  assert.deepEqual(await tokensOf("eve"), ["dead"], "another person's token of the same name stays");
  await setTokens("bob", ["keep", "dead"]);
  assert.deepEqual(await tokensOf("bob"), ["keep", "dead"]);
});
