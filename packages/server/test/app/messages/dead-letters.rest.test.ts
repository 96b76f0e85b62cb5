import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { only } from "@tidings/testkit/lists";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { untyped } from "@tidings/testkit/untyped";
import { createWorkflow, detailsOf, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { readCsv } from "../../../src/lib/text/csv.ts";
import { invite, signInOwner } from "../members/browsers.ts";

const mail = await startScriptedMail((address) => (address.startsWith("gone") ? 550 : null));
const service = await startTestService();
const { client, production, db } = service;

const server = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
const good = { ...server, from: "shop@example.com", senderName: "Shop" };
/** The server takes no login at all. */
const bad = { ...good, user: "shop", password: "wrong" };
const create = (identifier: string, credentials: object, active = true, by = production) =>
  by("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier, active, credentials },
  });
await create("smtp", bad);
const repair = (credentials: object) =>
  production("integrations.update", { params: { integrationId: "smtp" }, body: { credentials } });
await createWorkflow(production, "mail", [email(), inApp({ body: "behind" })]);

const to = (name: string) => ({ subscriberId: name, email: `${name}@example.com` });

async function fail(name: string) {
  const transactionId = await trigger(production, "mail", to(name));
  const notification = only(await settled(production, transactionId));
  const { data } = (await production("deadLetters.list", { query: { transactionId } })).body;
  return { transactionId, notification, letter: data[0]! };
}

const replayMany = async (body: object) => (await production("deadLetters.replayMany", { body })).body;
const replay = async (id: string) => (await production("deadLetters.replay", { params: { id } })).body;

test("a message that every integration refused becomes a dead letter with the workflow, the step and the error", async () => {
  const { transactionId, notification, letter } = await fail("ada");
  const [message] = (await messagesOf(production, transactionId)).filter((one) => one.channel === "email");
  assert.deepEqual([message!.status, message!.errorId], ["error", "mail_unexpected_error"]);
  const { createdAt, errorText, ...rest } = letter;
  assert.match(errorText, /^The provider did not take the message: /);
  assert.ok(Date.parse(createdAt) > Date.now() - 60_000);
  assert.deepEqual(rest, {
    id: letter.id,
    messageId: message!._id,
    notificationId: notification._id,
    transactionId,
    subscriberId: "ada",
    workflowId: "mail",
    stepId: "email",
    channel: "email",
    providerId: "nodemailer",
    integrationIdentifier: "smtp",
    errorClass: "auth",
    errorId: "mail_unexpected_error",
    attempts: 1,
    status: "open",
  });
  assert.equal(detailsOf(notification, "email").at(-1), "Message moved to dead letters");
  assert.ok(!JSON.stringify(letter).includes("wrong"), "no password is told");
  assert.deepEqual(
    notification.jobs!.map((job) => job.status),
    ["failed", "completed"],
  );
});

test("a fault of the recipient is no dead letter", async () => {
  await repair(good);
  const { notification, letter } = await fail("gone");
  assert.equal(letter, undefined);
  assert.ok(!detailsOf(notification, "email").includes("Message moved to dead letters"));
  await repair(bad);
});

test("a replay sends the stored content; a second one is refused; a new failure is a new letter", async () => {
  const { transactionId, letter } = await fail("bob");
  const again = await replay(letter.id);
  assert.deepEqual([again.status, again.id, typeof again.replayedAt], ["replayed", letter.id, "string"]);
  const opened = await eventually(async () => {
    const query = { transactionId, status: "open" as const };
    return (await production("deadLetters.list", { query })).body.data[0];
  }, "the second letter");
  assert.notEqual(opened.id, letter.id);
  assert.equal(opened.attempts, 1, "attempts of the replay");
  await refused(production, "deadLetters.replay", { params: { id: letter.id } }, "DEAD_LETTER_NOT_OPEN");

  await repair(good);
  await replay(opened.id);
  const [done] = await eventually(async () => {
    const list = await settled(production, transactionId);
    return list[0]!.jobs![0]!.status === "completed" ? list : null;
  }, "the mail to be sent");
  assert.equal(mail.mailsTo("bob@example.com").length, 1);
  assert.match(mail.mailsTo("bob@example.com")[0]!.html ?? "", /Hello/);
  const trail = detailsOf(done!, "email");
  assert.equal(trail.filter((text) => text === "Message replayed from dead letters").length, 2);
  assert.equal(trail.at(-1), "Message sent");
  const [message] = (await messagesOf(production, transactionId)).filter((one) => one.channel === "email");
  assert.deepEqual([message!.status, message!.errorId, message!.errorText], ["sent", undefined, undefined]);
  await repair(bad);
});

test("200 failed by wrong credentials, repaired, replayed: each is delivered once, and a second replay does nothing", async () => {
  await createWorkflow(production, "campaign", [email()]);
  const events = Array.from({ length: 200 }, (_, index) => ({ name: "campaign", to: to(`buyer-${index}`) }));
  for (let from = 0; from < 200; from += 100) {
    await untyped(production)("events.triggerBulk", { body: { events: events.slice(from, from + 100) } });
  }
  const filter = { workflowId: "campaign", errorClass: "auth" as const };
  const count = async (status: "open" | "replayed") =>
    (await production("deadLetters.list", { query: { ...filter, status } })).body.totalCount;
  await eventually(async () => (await count("open")) === 200, "200 dead letters", 60_000);
  await repair(good);
  // Two concurrent replays.
  const answers = await Promise.all([replayMany({ filter }), replayMany({ filter })]);
  assert.equal(answers[0]!.replayed + answers[1]!.replayed, 200);
  await eventually(
    async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from messages where address like 'buyer-%' and status = 'sent'`.execute(db);
      return rows[0]!.count === 200;
    },
    "all to be sent",
    60_000,
  );
  assert.deepEqual(await replayMany({ filter }), { replayed: 0, failed: 0 });
  assert.ok(
    events.every((event) => mail.mailsTo(event.to.email).length === 1),
    "no duplicate",
  );
  assert.deepEqual([await count("open"), await count("replayed")], [0, 200]);
});

test("a replay through another integration, at a set rate", async () => {
  await repair(bad);
  const letters = [await fail("eve"), await fail("mallory"), await fail("trent")].map(({ letter }) => letter);
  await create("spare", good, false);
  const ids = letters.map((letter) => letter.id);
  const inactive = await faultsOf(production, "deadLetters.replayMany", {
    body: { ids, integrationIdentifier: "spare" },
  });
  assert.deepEqual(inactive, { integrationIdentifier: ["integrationIdentifier must name an active integration"] });
  await production("integrations.update", { params: { integrationId: "spare" }, body: { active: true } });
  const answer = await replayMany({ ids: [...ids, "nobody"], integrationIdentifier: "spare", perSecond: 2 });
  assert.deepEqual(answer, { replayed: 3, failed: 1 });
  const { rows } = await sql<{ at: Date }>`select start_after as at from queue.job where name = 'deliver'
    and data->'messageIds'->>0 = any(${letters.map((letter) => letter.messageId)}) order by start_after`.execute(db);
  assert.ok(rows.length > 0 && rows.at(-1)!.at.getTime() > Date.now() - 1_000);
  for (const { transactionId, messageId } of letters) {
    await eventually(async () => {
      const messages = await messagesOf(production, transactionId);
      return messages.some((one) => one._id === messageId && one.status === "sent");
    }, "the mail");
    const { rows: tried } = await sql<{ identifier: string }>`
      select i.identifier from attempts a join integrations i on i.id = a.integration_id
      where a.message_id = ${messageId} order by a.id`.execute(db);
    assert.deepEqual(
      tried.map((row) => row.identifier),
      ["smtp", "spare"],
    );
  }
  await production("integrations.delete", { params: { integrationId: "spare" } });
});

test("a message that a replay sends later has its full time-out from then on, and the rate has a minimum", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00.000Z");
  const { client: own } = stage;
  await own("integrations.update", { params: { integrationId: "svc-email-default" }, body: { active: false } });
  await create("smtp", bad, true, own);
  await createWorkflow(own, "code", [{ ...email(), deadlineSeconds: 300 }]);
  const events = Array.from({ length: 10 }, (_, index) => ({ name: "code", to: to(`late-${index}`) }));
  await untyped(own)("events.triggerBulk", { body: { events } });
  await stage.advance(10, "minutes");
  await own("integrations.update", { params: { integrationId: "smtp" }, body: { credentials: good } });
  const body = { filter: {}, perSecond: 0.01 };
  assert.deepEqual((await own("deadLetters.replayMany", { body })).body, { replayed: 10, failed: 0 });
  await stage.advance(1, "hours");
  assert.deepEqual(
    events.map((event) => mail.mailsTo(event.to.email).length),
    events.map(() => 1),
  );
  assert.equal((await own("deadLetters.list", { query: { status: "open" } })).body.totalCount, 0);
  const slower = { body: { filter: {}, perSecond: 0.009 } };
  assert.deepEqual(await faultsOf(own, "deadLetters.replayMany", slower), {
    perSecond: ["perSecond must not be less than 0.01"],
  });
});

test("lists are filtered, paged and kept apart; bad requests change nothing", async () => {
  const { letter } = await fail("oscar");
  const list = async (query: object) => (await production("deadLetters.list", { query })).body;
  const ids = async (query: object) => (await list({ ...query, limit: 100 })).data.map((one) => one.id);
  assert.ok((await ids({ channel: "email", providerId: "nodemailer", status: "open" })).includes(letter.id));
  assert.deepEqual(await ids({ channel: "sms" }), []);
  assert.deepEqual(await ids({ errorClass: "quota" }), []);
  assert.deepEqual(await ids({ integrationIdentifier: "nobody" }), []);
  assert.ok((await ids({ integrationIdentifier: "smtp", after: letter.createdAt.replace("Z", "+00:00") })).length >= 0);
  assert.deepEqual(await ids({ after: new Date(Date.now() + 60_000).toISOString() }), []);
  const page = await list({ limit: 1 });
  assert.deepEqual([page.data[0]!.id, page.pageSize, page.hasMore], [letter.id, 1, true], "newest first");

  assert.equal((await client("deadLetters.list", {})).body.totalCount, 0, "of another environment");
  const missing = { params: { id: letter.id } };
  await refused(client, "deadLetters.replay", missing, "DEAD_LETTER_NOT_FOUND");
  assert.deepEqual((await client("deadLetters.replayMany", { body: { ids: [letter.id] } })).body, {
    replayed: 0,
    failed: 1,
  });
  await refused(production, "deadLetters.replay", { params: { id: "no-such" } }, "DEAD_LETTER_NOT_FOUND");
  const body = (given: object) => faultsOf(production, "deadLetters.replayMany", { body: given });
  assert.deepEqual(await body({}), { ids: ["ids or filter is required"] });
  assert.deepEqual(await body({ ids: ["x"], filter: {} }), { filter: ["filter cannot be used together with ids"] });
  assert.deepEqual(Object.keys(await body({ filter: { channel: "pigeon", after: "soon" }, perSecond: 0 })).sort(), [
    "filter.after",
    "filter.channel",
    "perSecond",
  ]);
  const named = { body: { ids: [letter.id], integrationIdentifier: "nobody" } };
  await refused(production, "deadLetters.replayMany", named, "INTEGRATION_NOT_FOUND");
  assert.deepEqual(await ids({ status: "open", transactionId: letter.transactionId }), [letter.id]);

  await production("messages.delete", { params: { messageId: letter.messageId } });
  await refused(production, "deadLetters.replay", { params: { id: letter.id } }, "DEAD_LETTER_NOT_OPEN");
});

test("dead letters are a CSV file for support: filtered, without formulas, with an entry in the audit log", async () => {
  const { letter } = await fail("-petra");
  const owner = await signInOwner(service);
  const [support, viewer] = [await invite(service, owner, "support"), await invite(service, owner, "viewer")];
  const prod = owner.session.environments.find(({ type }) => type === "prod")!._id;
  const read = async (query: string, by = support, environment = prod) => {
    const answer = await fetch(`${service.url}/v1/exports/dead-letters.csv${query}`, {
      headers: by.headers(environment),
    });
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  };
  const file = await read("?status=open");
  assert.deepEqual([file.status, file.type], [200, "text/csv; charset=utf-8"]);
  const rows = [...readCsv(file.text, ",")].map(({ cells }) => cells);
  const { totalCount } = (await production("deadLetters.list", { query: { status: "open" } })).body;
  assert.equal(rows.length, totalCount + 1);
  const cell = (name: string, row = rows[1]!) => row[rows[0]!.indexOf(name)];
  assert.deepEqual(
    [cell("id"), cell("subscriberId"), cell("errorClass"), cell("transactionId")],
    [letter.id, "'-petra", "auth", letter.transactionId],
  );
  assert.equal((await read("?errorClass=quota")).text.trim().split("\r\n").length, 1, "the names of the columns");
  assert.equal((await read("", support, owner.session.environments[0]!._id)).text.trim().split("\r\n").length, 1);
  const bad = await read("?errorClass=nonsense");
  assert.equal(bad.status, 422);
  assert.match(bad.text, /errorClass must be one of/);
  assert.equal((await read("", viewer)).status, 403);
  const { data } = (await owner.call("auditLog.list", { query: { operation: "exports.deadLetters" } })).body as {
    data: { actor: { name: string }; after: unknown }[];
  };
  assert.deepEqual(data.at(-1)!.actor.name, "support@example.com");
  assert.deepEqual(data.at(-1)!.after, { request: { status: "open" } });
  assert.equal(data.length, 3, "none for what was refused");
});
