import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DeadLetterReplay, Input } from "@tidings/contract";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { untyped } from "@tidings/testkit/untyped";
import { createWorkflow, email, messagesOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { invite, signInOwner } from "../members/browsers.ts";

const encryptionKey = randomBytes(32).toString("base64");
const mail = await startScriptedMail(() => null);
// Workers are their own processes, so that one can be stopped in the middle of a replay.
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client, production, db } = service;
const start = () => startWorker(service, encryptionKey, { TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8" });
let worker = await start();

const server = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
const good = { ...server, from: "shop@example.com", senderName: "Shop" };
/** The server takes no login at all. */
const bad = { ...good, user: "shop", password: "wrong" };
await production("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "smtp",
    name: "Mail",
    active: true,
    credentials: bad,
  },
});
const change = (body: Input<"integrations.update">["body"]) =>
  production("integrations.update", { params: { integrationId: "smtp" }, body });

const addressOf = (name: string) => `${name}@example.com`;

/** Makes dead letters of a workflow, one for each name. */
async function fail(workflowId: string, names: string[]) {
  await createWorkflow(production, workflowId, [
    email({ subject: "Hi {{payload.name}}", body: "<p>{{payload.name}}</p>" }),
  ]);
  const events = names.map((name) => ({
    name: workflowId,
    to: { subscriberId: name, email: addressOf(name) },
    payload: { name },
  }));
  await untyped(production)("events.triggerBulk", { body: { events } });
  const query = { workflowId, status: "open" as const, limit: 100 };
  return eventually(async () => {
    const { data } = (await production("deadLetters.list", { query })).body;
    return data.length === names.length ? data : null;
  }, `${names.length} dead letters`);
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
type Replay = Input<"deadLetterReplays.create">["body"];
const begin = async (body: Replay) => (await production("deadLetterReplays.create", { body })).body;
const read = async ({ id }: DeadLetterReplay) =>
  (await production("deadLetterReplays.retrieve", { params: { replayId: id } })).body;
const until = (replay: DeadLetterReplay, isThere: (now: DeadLetterReplay) => boolean, what: string) =>
  eventually(async () => {
    const now = await read(replay);
    return isThere(now) ? now : null;
  }, what);
const mailsTo = (all: string[]) => all.map((name) => mail.mailsTo(addressOf(name)).length);
const once = (all: string[]) => all.map(() => 1);

test("one cause is one group, with its workflows and what the integration is like now", async () => {
  await fail("grouped", ["ann", "ben"]);
  await fail("single", ["cleo"]);
  const { data, totalCount } = (await production("deadLetters.listGroups")).body;
  assert.deepEqual([totalCount, data.length], [3, 1]);
  const { firstAt, lastAt, errorText, integrationId, ...rest } = data[0]!;
  assert.deepEqual(rest, {
    integrationIdentifier: "smtp",
    integrationName: "Mail",
    isIntegrationActive: true,
    isCircuitOpen: false,
    providerId: "nodemailer",
    channel: "email",
    errorClass: "auth",
    workflows: [
      { workflowId: "grouped", name: "grouped", stepIds: ["email"], count: 2 },
      { workflowId: "single", name: "single", stepIds: ["email"], count: 1 },
    ],
    workflowCount: 2,
    count: 3,
  });
  assert.ok(firstAt <= lastAt && errorText.length > 0 && integrationId);
  assert.deepEqual((await client("deadLetters.listGroups")).body, { data: [], totalCount: 0 }, "another environment");
  const { integrationIdentifier, errorClass } = data[0]!;
  const query = { integrationIdentifier, errorClass, status: "open" as const };
  const countOf = async (more: object) =>
    (await production("deadLetters.list", { query: { ...query, ...more } })).body.totalCount;
  assert.deepEqual([await countOf({}), await countOf({ workflowId: "single" })], [3, 1], "the filter of the group");
});

test("a preview tells what is not sent and why, and changes nothing", async () => {
  const [gone, blocked, deleted] = await fail("previewed", ["gina", "bob", "dan", "eve"]);
  await production("messages.delete", { params: { messageId: gone!.messageId } });
  await production("suppressions.create", { body: { channel: "email", address: addressOf(blocked!.subscriberId) } });
  await production("subscribers.delete", { params: { subscriberId: deleted!.subscriberId } });
  const ask = async (body: Input<"deadLetterReplays.preview">["body"]) =>
    (await production("deadLetterReplays.preview", { body })).body;
  const filter = { workflowId: "previewed" };
  const told = await ask({ filter });
  assert.deepEqual([told.total, told.examined, told.willBeSent], [4, 4, 1]);
  assert.deepEqual(
    told.others.map(({ reason, count }) => [reason, count]),
    [
      ["message_gone", 2],
      ["suppressed", 1],
    ],
  );

  await change({ active: false });
  const off = await ask({ filter });
  assert.deepEqual([off.total, off.willBeSent], [0, 0]);
  const inactive = off.others.find(({ reason }) => reason === "integration_inactive")!;
  assert.deepEqual([inactive.count, inactive.integrationIdentifier], [1, "smtp"]);
  assert.match(inactive.text, /smtp is switched off/);
  const nothing = await begin({ filter });
  assert.deepEqual([nothing.status, nothing.total], ["done", 0], "letters of an integration that is off stay open");
  await change({ active: true });
  const open = { query: { ...filter, status: "open" as const } };
  assert.equal((await production("deadLetters.list", open)).body.totalCount, 4);
  await production("workflows.delete", { params: { workflowId: "previewed" } });
  const canceled = (await ask({ ids: [blocked!.id] })).others;
  assert.deepEqual([canceled.length, canceled[0]!.reason], [1, "canceled"]);
});

test("a replay at a pace survives the end of its process and sends every letter once, beside another replay of the same", async () => {
  const all = names("paced", 30);
  await fail("paced", all);
  await change({ credentials: good });
  const filter = { workflowId: "paced" };
  const replay = await begin({ filter, perSecond: 10 });
  assert.deepEqual([replay.status, replay.total, replay.perSecond], ["running", 30, 10]);
  const other = await begin({ filter, perSecond: 5 });
  await until(replay, ({ done }) => done >= 10, "the first page");
  await worker.stop();
  const stopped = await read(replay);
  assert.equal(stopped.status, "running");
  worker = await start();
  const isDone = ({ status }: DeadLetterReplay) => status === "done";
  const ends = [await until(replay, isDone, "the end"), await until(other, isDone, "the end of the other")];
  assert.equal(ends[0]!.done + ends[1]!.done, 30);
  assert.ok(ends.every(({ finishedAt }) => finishedAt));
  await until(replay, ({ sent, done }) => sent === done, "all sent");
  await until(other, ({ sent, done }) => sent === done, "all sent");
  assert.deepEqual(mailsTo(all), once(all));
  assert.equal((await production("deadLetters.list", { query: { ...filter, status: "open" } })).body.totalCount, 0);
});

test("a replay is paused, resumed and stopped; what is left stays open", async () => {
  await change({ credentials: bad });
  const all = names("stopped", 12);
  await fail("stopped", all);
  await change({ credentials: good });
  const replay = await begin({ filter: { workflowId: "stopped" }, perSecond: 2 });
  const params = { replayId: replay.id };
  await until(replay, ({ done }) => done >= 2, "the first page");
  const paused = (await production("deadLetterReplays.pause", { params })).body;
  assert.equal(paused.status, "paused");
  // The task of the next page is due within a second: it does nothing.
  await eventually(async () => {
    const { rows } = await sql`select 1 from queue.job where name = 'replay' and state < 'completed'`.execute(db);
    return rows.length === 0;
  }, "no page in the queue");
  assert.equal((await read(replay)).done, paused.done);
  assert.equal((await production("deadLetterReplays.pause", { params })).body.status, "paused", "again");
  assert.equal((await production("deadLetterReplays.resume", { params })).body.status, "running");
  await until(replay, ({ done }) => done > paused.done, "a further page");
  const stopped = (await production("deadLetterReplays.stop", { params })).body;
  assert.equal(stopped.status, "stopped");
  for (const id of ["deadLetterReplays.pause", "deadLetterReplays.resume", "deadLetterReplays.stop"] as const) {
    await refused(production, id, { params }, "REPLAY_ENDED");
  }
  const open = (await production("deadLetters.list", { query: { workflowId: "stopped", status: "open" } })).body;
  assert.equal(open.totalCount, 12 - stopped.done);
  const { data } = (await production("deadLetterReplays.list", { query: { status: "stopped" } })).body;
  assert.deepEqual(
    data.map(({ id }) => id),
    [replay.id],
  );
});

test("one letter is sent with an edited payload, through another integration", async () => {
  await change({ credentials: bad });
  const [letter] = await fail("edited", ["edith"]);
  await production("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: "spare", active: true, credentials: good },
  });
  const ids = [letter!.id];
  const replay = await begin({ ids, payload: { name: "Edith the second" }, integrationIdentifier: "spare" });
  assert.deepEqual([replay.total, replay.integrationIdentifier, replay.filter], [1, "spare", { ids }]);
  await until(replay, ({ sent }) => sent === 1, "the mail");
  const [sent] = mail.mailsTo("edith@example.com");
  assert.equal(sent!.subject, "Hi Edith the second");
  assert.match(sent!.html!, /Edith the second/);
  const [message] = await messagesOf(production, letter!.transactionId);
  assert.deepEqual([message!._id, message!.status], [letter!.messageId, "sent"], "the same message");
  await production("integrations.delete", { params: { integrationId: "spare" } });
  const again = { body: { ids, payload: {} } };
  await refused(production, "deadLetterReplays.create", again, "DEAD_LETTER_NOT_OPEN");
});

test("wrong input, other environments and roles are refused, and change nothing", async () => {
  const [letter] = await fail("refused", ["rita"]);
  const faults = (body: object) => faultsOf(production, "deadLetterReplays.create", { body });
  assert.deepEqual(await faults({}), { ids: ["ids or filter is required"] });
  assert.deepEqual(Object.keys(await faults({ filter: {}, perSecond: 101 })), ["perSecond"]);
  assert.deepEqual(Object.keys(await faults({ filter: {}, perSecond: 0.5 })), ["perSecond"]);
  assert.deepEqual(await faults({ filter: {}, payload: {} }), { payload: ["payload needs exactly one id in ids"] });
  await refused(
    production,
    "deadLetterReplays.create",
    { body: { filter: {}, integrationIdentifier: "no" } },
    "INTEGRATION_NOT_FOUND",
  );
  const foreign = { body: { ids: [letter!.id], payload: {} } };
  await refused(client, "deadLetterReplays.create", foreign, "DEAD_LETTER_NOT_FOUND");
  const other = await begin({ filter: { workflowId: "refused" }, perSecond: 1 });
  await refused(client, "deadLetterReplays.retrieve", { params: { replayId: other.id } }, "REPLAY_NOT_FOUND");
  await refused(client, "deadLetterReplays.stop", { params: { replayId: "no-such" } }, "REPLAY_NOT_FOUND");

  const owner = await signInOwner(service);
  const [viewer, support] = [await invite(service, owner, "viewer"), await invite(service, owner, "support")];
  const body = { filter: { workflowId: "nothing" } };
  assert.equal((await viewer.call("deadLetterReplays.create", { body })).status, 403);
  assert.equal((await viewer.call("deadLetterReplays.preview", { body })).status, 200);
  assert.equal((await support.call("deadLetterReplays.create", { body })).status, 201);
});

test("an environment has a limited number of replays at a time", async () => {
  await change({ credentials: bad });
  await fail("many", names("many", 2));
  // Two letters at one a second: each is paused before its second page.
  const open: string[] = [];
  const next = async () => {
    const { id } = await begin({ filter: { workflowId: "many" }, perSecond: 1 });
    await production("deadLetterReplays.pause", { params: { replayId: id } }).catch(() => {});
    open.push(id);
  };
  const running = { query: { status: "running" as const } };
  await eventually(
    async () => (await production("deadLetterReplays.list", running)).body.data.length === 0,
    "the end of earlier replays",
  );
  await worker.stop();
  for (let count = 0; count < 10; count++) await next();
  await refused(production, "deadLetterReplays.create", { body: { filter: {} } }, "REPLAY_LIMIT");
  for (const replayId of open) await production("deadLetterReplays.stop", { params: { replayId } });
  assert.equal((await begin({ ids: ["no-such"] })).status, "done");
});
