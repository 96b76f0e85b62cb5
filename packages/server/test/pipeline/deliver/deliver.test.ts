import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Job, Notification } from "@tidings/contract";
import { gate, startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const slow = gate();
const dying = gate();
const racing = gate();
const outage = gate();
const stuck = gate();
const mail = await startScriptedMail(async (address, times) => {
  const [name] = address.split("@");
  if (name!.startsWith("busy")) return times < 2 ? 451 : null;
  if (name!.startsWith("refused")) return 550;
  if (name === "dropped") return 451;
  if (name === "slow") await slow.opened;
  if (name === "dying" && times === 0) await dying.opened;
  if (name === "outage") await outage.opened;
  if (name!.startsWith("stuck")) await stuck.opened;
  if (name === "racing") {
    await racing.opened;
    return 451;
  }
  return null;
});
// Sixteen calls in progress at once: a provider gets at most four of them. The tests of the first group fail eight
// calls of one integration in an order that nobody controls: five in a row would open its circuit breaker and hold up
// the rest.
const { client, production, db, database } = await startTestService({
  TIDINGS_DELIVERY_WINDOW: "16",
  TIDINGS_CIRCUIT_FAILURES: "50",
});

const server = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
const credentials = { ...server, from: "shop@example.com", senderName: "Shop" };
await production("integrations.create", {
  body: { providerId: "nodemailer", channel: "email", identifier: "smtp", active: true, credentials },
});
await createWorkflow(production, "mail", [email(), inApp({ body: "behind" })]);

const to = (name: string) => ({ subscriberId: name, email: `${name}@example.com` });
const emailJob = (notification: Notification | undefined): Job =>
  notification!.jobs!.find((job) => job.type === "email")!;

type Attempt = { number: number; outcome: string | null; reason: string | null; integration: string };

async function attemptsOf(messageId: string): Promise<Attempt[]> {
  const { rows } = await sql<Attempt>`
    select a.number, a.outcome, a.reason, i.identifier as integration
    from attempts a join integrations i on i.id = a.integration_id
    where a.message_id = ${messageId} order by a.id`.execute(db);
  return rows;
}

async function mailMessage(from: typeof client, transactionId: string) {
  const message = (await messagesOf(from, transactionId)).find((one) => one.channel === "email");
  assert.ok(message, "the message is there");
  return message;
}

/** The id of a message that is still in delivery: lists show it when it has an outcome. */
const pendingId = (address: string): Promise<string> =>
  eventually(async () => {
    const { rows } = await sql<{ id: string }>`select id from messages where address = ${address}`.execute(db);
    return rows[0]?.id;
  }, `the message to ${address}`);

const reaches = (from: typeof client, transactionId: string, status: string): Promise<Notification> =>
  eventually(async () => {
    const [notification] = await notificationsOf(from, transactionId);
    return notification && emailJob(notification).status === status ? notification : null;
  }, `the email job to be ${status}`);

describe("one mail server, many fates", { concurrency: true }, () => {
  test("a server that is busy twice gets the mail the third time", async () => {
    const transactionId = await trigger(production, "mail", to("busy"));
    const waiting = await reaches(production, transactionId, "delayed");
    const repeat = emailJob(waiting).executionDetails.at(-1);
    assert.deepEqual([repeat?.detail, repeat?.status], ["Provider error, will be repeated", "Warning"]);
    const raw = JSON.parse(repeat?.raw ?? "{}") as { attempt: number; next: string; reason: string };
    assert.ok(Date.parse(raw.next) > Date.parse(repeat!.createdAt!));
    assert.match(raw.reason, /451/);
    assert.equal(waiting.jobs!.at(-1)?.status, "pending", "the step behind it waits");

    const [done] = await settled(production, transactionId);
    const message = await mailMessage(production, transactionId);
    assert.deepEqual(
      (await attemptsOf(message._id!)).map(({ number, outcome }) => [number, outcome]),
      [
        [1, "retry"],
        [2, "retry"],
        [3, "accepted"],
      ],
    );
    assert.equal(mail.mailsTo("busy@example.com").length, 1);
    assert.equal(message.status, "sent");
    assert.ok(!message.errorId && !message.errorText, "a success leaves no error behind");
    const tried = emailJob(done).executionDetails.slice(-3);
    assert.deepEqual(
      tried.map((entry) => [entry.detail, entry.isRetry, entry.providerId]),
      [
        ["Provider error, will be repeated", true, "nodemailer"],
        ["Provider error, will be repeated", true, "nodemailer"],
        ["Message sent", true, "nodemailer"],
      ],
    );
    assert.deepEqual(
      done?.jobs?.map((job) => job.status),
      ["completed", "completed"],
    );
  });

  test("a refused recipient is final: one attempt, and the reason is told", async () => {
    const transactionId = await trigger(production, "mail", to("refused"));
    const [done] = await settled(production, transactionId);
    assert.deepEqual(
      done?.jobs?.map((job) => job.status),
      ["failed", "completed"],
    );
    const message = await mailMessage(production, transactionId);
    assert.deepEqual([message.status, message.errorId], ["error", "provider_rejected"]);
    assert.match(message.errorText ?? "", /: .*scripted 550/);
    const attempts = await attemptsOf(message._id!);
    assert.deepEqual(
      attempts.map((attempt) => attempt.outcome),
      ["rejected:recipient"],
    );
    assert.equal(mail.asked.get("refused@example.com"), 1);
    const last = emailJob(done).executionDetails.at(-1);
    assert.deepEqual([last?.detail, last?.status, last?.isRetry], ["Provider error", "Failed", false]);
  });

  test("a mail whose own recipient is refused goes to no copy; a refused copy is reported, and the others get the mail", async () => {
    const withCopies = async (name: string, copies: string[]) => {
      const overrides = { email: { cc: copies.map((copy) => `${copy}@example.com`) } };
      const body = { name: "mail", to: to(name), overrides };
      const transactionId = (await production("events.trigger", { body })).body.transactionId!;
      const [done] = await settled(production, transactionId);
      const { status } = await mailMessage(production, transactionId);
      return { status, details: emailJob(done).executionDetails };
    };
    const taken = (...names: string[]) => names.map((name) => mail.mailsTo(`${name}@example.com`).length);
    assert.equal((await withCopies("refused-own", ["spared"])).status, "error");
    assert.equal((await withCopies("busy-own", ["kept-waiting"])).status, "sent");
    assert.deepEqual(taken("refused-own", "spared", "busy-own", "kept-waiting"), [0, 0, 1, 1]);

    const { status, details } = await withCopies("copied", ["refused-copy", "copy"]);
    assert.equal(status, "sent");
    assert.deepEqual(taken("copied", "copy"), [1, 1]);
    const told = details.find(({ detail }) => detail === "Copies refused by the provider");
    assert.deepEqual(
      [told?.status, JSON.parse(told?.raw ?? "{}")],
      ["Warning", { refused: ["refused-copy@example.com: 550 scripted 550"] }],
    );
  });

  test("one slow recipient does not hold up the others of its batch", async () => {
    const names = ["slow", "quick-1", "quick-2", "quick-3"];
    const events = names.map((name) => ({ name: "mail", to: to(name) }));
    const results = (await production("events.triggerBulk", { body: { events } as never })).body;
    const [slowId, ...quickIds] = results.map((result) => result.transactionId!);
    await eventually(() => mail.asked.get("slow@example.com"), "the slow delivery to begin");
    for (const id of quickIds) await settled(production, id);
    assert.equal(emailJob((await notificationsOf(production, slowId!))[0]).status, "queued");
    const { rows } = await sql<{ left: string[] }>`select data->'messageIds' as left from queue.job
      where name = 'deliver' and data->'messageIds' ? ${await pendingId("slow@example.com")}`.execute(db);
    assert.equal(rows[0]!.left.length, 1, "the others have left the task that they shared");
    slow.open();
    const [done] = await settled(production, slowId!);
    assert.equal(emailJob(done).status, "completed");
  });

  test("an attempt whose worker vanished is recorded as unknown, and the mail is sent again", async () => {
    const transactionId = await trigger(production, "mail", to("dying"));
    await eventually(() => mail.asked.get("dying@example.com"), "the first attempt to be under way");
    const messageId = await pendingId("dying@example.com");
    assert.deepEqual(
      (await attemptsOf(messageId)).map(({ outcome }) => outcome),
      [null],
      "written before the call",
    );
    // What supervision does when the heartbeat of a worker stops.
    await sql`update queue.job set state = 'retry', start_after = now()
      where name = 'deliver' and data->'messageIds' ? ${messageId}`.execute(db);
    await announceDueTasks(db);
    const [done] = await settled(production, transactionId);
    assert.equal(emailJob(done).status, "completed");
    assert.deepEqual(
      (await attemptsOf(messageId)).map(({ number, outcome }) => [number, outcome]),
      [
        [1, "unknown"],
        [2, "accepted"],
      ],
    );
    // The first worker was only slow: the result that it brings now no longer changes anything.
    dying.open();
    await eventually(() => mail.mailsTo("dying@example.com").length === 2, "the slow attempt to end");
    const [first, second] = mail.mailsTo("dying@example.com");
    assert.equal(first?.messageId, second?.messageId, "receivers can tell that it is the same mail");
    await eventually(async () => (await deliveriesOf(messageId)) === 0, "its task to be gone");
    const message = await mailMessage(production, transactionId);
    assert.equal(message.status, "sent");
    assert.equal((await attemptsOf(messageId)).length, 2);
  });

  test("a mail that waits for its repeat is withdrawn with its workflow", async () => {
    await createWorkflow(production, "dropped", [email(), inApp()]);
    const transactionId = await trigger(production, "dropped", to("dropped"));
    // The wait after the second attempt is four times as long as the first: long enough for a request on a busy
    // machine.
    await eventually(() => mail.asked.get("dropped@example.com") === 2, "the second attempt");
    await reaches(production, transactionId, "delayed");
    const messageId = await pendingId("dropped@example.com");
    await production("workflows.delete", { params: { workflowId: "dropped" } });
    await eventually(async () => (await deliveriesOf(messageId)) === 0, "its task to be worked");
    await assertWithdrawn(transactionId, messageId);
    assert.equal(mail.asked.get("dropped@example.com"), 2, "it was not tried again");
  });

  test("a workflow deleted during an attempt that fails: it is not repeated", async () => {
    await createWorkflow(production, "racing", [email(), inApp()]);
    const transactionId = await trigger(production, "racing", to("racing"));
    await eventually(() => mail.asked.get("racing@example.com"), "the attempt to be under way");
    const messageId = await pendingId("racing@example.com");
    await production("workflows.delete", { params: { workflowId: "racing" } });
    racing.open();
    await eventually(async () => (await deliveriesOf(messageId)) === 0, "its tasks to be worked");
    await assertWithdrawn(transactionId, messageId);
    assert.equal(mail.asked.get("racing@example.com"), 1);
  });
});

async function deliveriesOf(messageId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from queue.job
    where name = 'deliver' and data->'messageIds' ? ${messageId}`.execute(db);
  return rows[0]!.count;
}

async function assertWithdrawn(transactionId: string, messageId: string): Promise<void> {
  const [ended] = await settled(production, transactionId);
  assert.deepEqual(
    ended?.jobs?.map((job) => job.status),
    ["canceled", "canceled"],
  );
  assert.ok(detailsOf(ended!, "email").includes("Step canceled"));
  const { rows } = await sql<{ status: string; error_text: string }>`
    select status, error_text from messages where id = ${messageId}`.execute(db);
  assert.deepEqual(rows, [{ status: "warning", error_text: "Canceled: the workflow was deleted" }]);
}

test("an integration that is refused hands over to the next one at once", async () => {
  const wrong = { ...credentials, user: "shop", password: "wrong" };
  await client("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: "locked", active: true, credentials: wrong },
  });
  await createWorkflow(client, "failover", [email()]);
  const transactionId = await trigger(client, "failover", to("moved"));
  const [done] = await settled(client, transactionId);
  const job = emailJob(done);
  assert.equal(job.status, "completed");
  assert.equal(job.providerId, "svc-email");
  const failed = job.executionDetails.find((entry) => entry.detail === "Provider error");
  assert.equal(failed?.providerId, "nodemailer");
  const next = job.executionDetails.find((entry) => entry.detail === "Next integration selected after a failure");
  assert.deepEqual([next?.status, next?.isRetry, next?.providerId], ["Warning", true, "svc-email"]);
  assert.deepEqual(JSON.parse(next?.raw ?? "{}"), { integration: "svc-email-default", after: "locked" });
  assert.ok(!JSON.stringify(job).includes("wrong"), "no detail names the password");
  const message = await mailMessage(client, transactionId);
  assert.equal(message.status, "sent");
  assert.deepEqual(
    (await attemptsOf(message._id!)).map(({ integration, number, outcome }) => [integration, number, outcome]),
    [
      ["locked", 1, "rejected:auth"],
      ["svc-email-default", 1, "accepted"],
    ],
  );
  assert.equal((await client("captured.list", { query: { transactionId } })).body.data.length, 1);
});

test("a server that cannot be reached is tried again, with the settings as they are then", async () => {
  const away = { ...credentials, port: await closedPort() };
  await client("integrations.update", { params: { integrationId: "locked" }, body: { credentials: away } });
  await createWorkflow(client, "away", [email()]);
  const transactionId = await trigger(client, "away", to("patient"));
  const waiting = await reaches(client, transactionId, "delayed");
  assert.match(emailJob(waiting).executionDetails.at(-1)?.raw ?? "", /ECONNREFUSED/);
  await client("integrations.update", { params: { integrationId: "locked" }, body: { credentials } });
  const [done] = await settled(client, transactionId);
  assert.equal(emailJob(done).status, "completed");
  const message = await mailMessage(client, transactionId);
  assert.deepEqual(
    (await attemptsOf(message._id!)).map(({ integration, outcome }) => [integration, outcome]),
    [
      ["locked", "retry"],
      ["locked", "accepted"],
    ],
  );
  assert.equal(mail.mailsTo("patient@example.com").length, 1);
});

test("a provider that hangs delays only its own messages", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `stuck-${index}`);
  await createWorkflow(client, "stuck", [email()]);
  const events = names.map((name) => ({ name: "stuck", to: to(name) }));
  const results = (await client("events.triggerBulk", { body: { events } as never })).body;
  const asked = () => names.filter((name) => mail.asked.has(`${name}@example.com`)).length;
  await eventually(() => asked() === 4, "the provider's share to be under way");
  for (const name of ["free-1", "free-2", "free-3"]) {
    const [done] = await settled(production, await trigger(production, "mail", to(name)));
    assert.equal(emailJob(done).status, "completed");
  }
  assert.equal(asked(), 4, "it was given no more than its share");
  stuck.open();
  for (const { transactionId } of results) {
    const [done] = await settled(client, transactionId!);
    assert.equal(emailJob(done).status, "completed");
  }
  for (const name of names) assert.equal(mail.mailsTo(`${name}@example.com`).length, 1);
});

test("a mail sent while the database is away is not sent again: its result is written later", async () => {
  const transactionId = await trigger(production, "mail", to("outage"));
  await eventually(() => mail.asked.get("outage@example.com"), "the attempt to be under way");
  const messageId = await pendingId("outage@example.com");
  await database.allowConnections(false);
  outage.open();
  await eventually(() => mail.mailsTo("outage@example.com").length === 1, "the mail to arrive");
  await database.allowConnections(true);
  const [done] = await eventually(() => settled(production, transactionId).catch(() => null), "the service to recover");
  assert.equal(emailJob(done).status, "completed");
  assert.deepEqual(
    (await attemptsOf(messageId)).map(({ number, outcome }) => [number, outcome]),
    [[1, "accepted"]],
  );
  assert.equal(mail.mailsTo("outage@example.com").length, 1);
});
