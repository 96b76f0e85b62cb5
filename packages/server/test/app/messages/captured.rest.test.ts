// The development mailbox: mail through the capture provider never leaves the service and can be read back.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { faultsOf } from "@tidings/testkit/refusals";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { untyped } from "@tidings/testkit/untyped";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { purgeCapturedBeyond } from "../../../src/store/installation/purges.ts";
import { runRetentionAt } from "../../support/past-runs.ts";

const service = await startTestService();
const { client, production, db } = service;

const sent: Record<string, string> = {};

before(async () => {
  const controls = { subject: "Order {{ payload.order }}", body: "<p>Dear <b>{{ subscriber.firstName }}</b></p>" };
  await createWorkflow(client, "mail", [inApp(), email(controls)]);
  for (const name of ["ada", "bob"]) {
    const to = { subscriberId: name, firstName: name.toUpperCase(), email: `${name}@example.com` };
    sent[name] = await trigger(client, "mail", to, { order: name.length });
    await settled(client, sent[name]);
  }
});

const list = async (query: Record<string, string | number> = {}, by = client) =>
  (await by.raw("captured.list", { query })).body as {
    data: { subscriberId: string }[];
    next: string | null;
    previous: string | null;
    totalCount: number;
  };
const people = async (query: Record<string, string | number>) =>
  (await list(query)).data.map(({ subscriberId }) => subscriberId);

test("a captured mail shows its content, its address and where it came from", async () => {
  const { body } = await client("captured.list", { query: { transactionId: sent.ada! } });
  assertShape("captured.list", body);
  assert.deepEqual([body.totalCount, body.totalCountCapped, body.next, body.previous], [1, false, null, null]);
  const [mail] = body.data;
  assert.deepEqual(mail!.to, ["ada@example.com"]);
  assert.equal(mail!.subject, "Order 3");
  assert.equal(mail!.html, "<p>Dear <b>ADA</b></p>");
  assert.equal(mail!.text, "Dear ADA");
  const { channel, providerId, integrationIdentifier, transactionId, subscriberId } = mail!;
  assert.deepEqual(
    [channel, providerId, integrationIdentifier, transactionId, subscriberId],
    ["email", "svc-email", "svc-email-default", sent.ada, "ada"],
  );
  const message = (await messagesOf(client, sent.ada!)).find(({ channel }) => channel === "email")!;
  assert.equal(mail!.messageId, message._id);
  assert.deepEqual([message.status, message.email], ["sent", "ada@example.com"]);
});

test("the mailbox is listed newest first and can be filtered", async () => {
  assert.deepEqual(await people({}), ["bob", "ada"]);
  assert.deepEqual(await people({ orderDirection: "ASC" }), ["ada", "bob"]);
  assert.deepEqual(await people({ subscriberId: "ada" }), ["ada"]);
  assert.deepEqual(await people({ transactionId: sent.bob! }), ["bob"]);
  assert.deepEqual(await people({ transactionId: sent.bob!, subscriberId: "ada" }), []);
  assert.deepEqual(await people({ channel: "email" }), ["bob", "ada"]);
  assert.deepEqual(await people({ channel: "sms" }), []);
});

test("the mailbox is a cursor list", async () => {
  const first = await list({ limit: 1 });
  assert.deepEqual([first.previous, first.totalCount], [null, 2]);
  const second = await list({ limit: 1, after: first.next! });
  assert.deepEqual(
    [...first.data, ...second.data].map(({ subscriberId }) => subscriberId),
    ["bob", "ada"],
  );
  assert.equal(second.next, null);
  const back = await list({ limit: 1, before: second.previous! });
  assert.deepEqual(back.data, first.data);
  assert.deepEqual(await faultsOf(client, "captured.list", { query: { after: "x", limit: 101 } }), {
    limit: ["limit must not be greater than 100"],
  });
  assert.deepEqual(await faultsOf(client, "captured.list", { query: { after: "x" } }), {
    after: ["after is not a valid cursor"],
  });
});

test("links and codes of every channel are there to click and to type", async () => {
  const steps: StepIn[] = [
    email({
      subject: "Your code",
      body: '<h1>482 913</h1><p><a href="https://app.example/in?a=1&amp;b={{ payload.token }}">Sign in</a></p>',
    }),
    { name: "SMS", type: "sms", controlValues: { body: "482913 is your code. https://app.example/s" } },
  ];
  await createWorkflow(client, "login", steps);
  const to = { subscriberId: "eve", email: "eve@example.com", phone: "+491701234567" };
  const transactionId = await trigger(client, "login", to, { token: "x&y" });
  await settled(client, transactionId);
  const { body } = await client("captured.list", { query: { transactionId, orderDirection: "ASC" } });
  assertShape("captured.list", body);
  assert.deepEqual(
    body.data.map(({ channel, links, codes }) => ({ channel, links, codes })),
    [
      { channel: "email", links: ["https://app.example/in?a=1&b=x&y"], codes: ["482913"] },
      { channel: "sms", links: ["https://app.example/s"], codes: ["482913"] },
    ],
  );
});

test("a search finds by subject, text, person, address and transaction; a summary leaves the long parts out", async () => {
  assert.deepEqual(await people({ search: "oRDER 3" }), ["bob", "ada"]);
  assert.deepEqual(await people({ search: "dear ada" }), ["ada"]);
  assert.deepEqual(await people({ search: "BOB@example" }), ["bob"]);
  assert.deepEqual(await people({ search: "170123" }), ["eve"]);
  assert.deepEqual(await people({ search: sent.ada! }), ["ada"]);
  assert.deepEqual(await people({ search: "482913", channel: "sms" }), ["eve"]);
  for (const search of ["<b>", "%", "_____________________________", "\\", "'"])
    assert.deepEqual(await people({ search }), [], search);
  assert.equal((await list({ search: "example.com", limit: 1 })).totalCount, 3);
  assert.deepEqual(await faultsOf(client, "captured.list", { query: { search: "x".repeat(256), content: "half" } }), {
    content: ["content must be one of: full, summary"],
    search: ["search must not be longer than 255 characters"],
  });
  const { body } = await client("captured.list", {
    query: { search: "your code", channel: "email", content: "summary" },
  });
  assertShape("captured.list", body);
  const { html, text, codes, links, subject } = body.data[0]!;
  assert.deepEqual([html, codes, links, subject], [undefined, ["482913"], [], "Your code"]);
  assert.ok(text!.length <= 300);
});

test("one captured mail is read with its attachments, and deleted", async () => {
  const file = Buffer.from("Hello").toString("base64");
  const attachments = [
    { name: "for-sms.txt", mime: "text/plain", file, channels: ["sms"] },
    { name: "Bill.pdf", mime: "application/pdf", file },
  ];
  const to = { subscriberId: "fay", email: "fay@example.com" };
  const transactionId = await trigger(client, "mail", to, { order: 7, attachments });
  await settled(client, transactionId);
  const { id } = (await client("captured.list", { query: { transactionId } })).body.data[0]!;
  const { body } = await client("captured.retrieve", { params: { id } });
  assertShape("captured.retrieve", body);
  assert.deepEqual(body.attachments, [{ name: "Bill.pdf", mime: "application/pdf", size: 5 }]);
  const fileOf = (params: { id: string; index: string }, by = client) =>
    by.raw("captured.retrieveAttachment", { params });
  assert.deepEqual((await fileOf({ id, index: "0" })).body, {
    name: "Bill.pdf",
    mime: "application/pdf",
    size: 5,
    content: file,
  });
  for (const index of ["1", "-1", "x", "99999999999"])
    errorOf(await fileOf({ id, index }), "CAPTURED_ATTACHMENT_NOT_FOUND");
  for (const by of [production, client]) {
    const params = { id: by === client ? transactionId : id };
    errorOf(await by.raw("captured.retrieve", { params }), "CAPTURED_NOT_FOUND");
    errorOf(await fileOf({ ...params, index: "0" }, by), "CAPTURED_NOT_FOUND");
    errorOf(await by.raw("captured.deleteOne", { params }), "CAPTURED_NOT_FOUND");
  }
  assert.equal((await client("captured.deleteOne", { params: { id } })).status, 204);
  errorOf(await client.raw("captured.deleteOne", { params: { id } }), "CAPTURED_NOT_FOUND");
  assert.equal((await list({ transactionId })).data.length, 0);
  assert.equal((await messagesOf(client, transactionId)).length, 2, "what was sent stays on record");
});

test("a captured mail names the integration that took it in, not the one it was meant for", async () => {
  const stage = await newStage(service);
  const { _id } = await mailer(stage.client, "down", "https://mail.example.com/");
  await stage.client("integrations.setPrimary", { params: { integrationId: "down" } });
  await sql`insert into integration_health
    (integration_id, environment_id, state, failures, probes, next_probe_at, updated_at)
    values (${_id}, ${stage.environmentId}, 'open', 5, 0, now() + interval '1 hour', now())`.execute(db);
  await createWorkflow(stage.client, "mail", [email()]);
  const transactionId = await trigger(stage.client, "mail", { subscriberId: "ada", email: "ada@example.com" });
  await settled(stage.client, transactionId);
  const [mail] = (await stage.client("captured.list", { query: { transactionId } })).body.data;
  assert.deepEqual([mail!.providerId, mail!.integrationIdentifier], ["svc-email", "svc-email-default"]);
  await stage.client("captured.delete", {});
});

test("other environments have a mailbox of their own, empty here", async () => {
  assert.deepEqual((await list({}, production)).data, []);
  assert.deepEqual((await production("captured.delete", {})).body, { deleted: 0, hasMore: false });
  assert.deepEqual(await people({ orderDirection: "ASC" }), ["ada", "bob", "eve", "eve"]);
});

test("the mailbox can be emptied, in part or altogether", async () => {
  const empty = async (query: Record<string, string> = {}) => (await client("captured.delete", { query })).body;
  assert.deepEqual(await empty({ transactionId: "" }), { deleted: 0, hasMore: false });
  assert.deepEqual(await empty({ subscriberId: "nobody" }), { deleted: 0, hasMore: false });
  assert.deepEqual(await faultsOf(client, "captured.delete", { query: { channel: "pigeon" } }), {
    channel: ["channel must be one of: in_app, email, sms, chat, push"],
  });
  assert.deepEqual(await empty({ subscriberId: "eve", channel: "sms" }), { deleted: 1, hasMore: false });
  assert.deepEqual(await people({ orderDirection: "ASC" }), ["ada", "bob", "eve"]);
  assert.deepEqual(await empty({ transactionId: sent.bob! }), { deleted: 1, hasMore: false });
  await sql`insert into captured_messages select gen_random_uuid(), environment_id, gen_random_uuid(), event_id,
    'many', transaction_id, channel, provider_id, integration_identifier, content, created_at
    from captured_messages, generate_series(1, 5000)`.execute(db);
  assert.deepEqual(await empty(), { deleted: 10_000, hasMore: true });
  assert.deepEqual(await empty(), { deleted: 2, hasMore: false });
  assert.deepEqual(await list(), { data: [], next: null, previous: null, totalCount: 0, totalCountCapped: false });
  assert.equal((await messagesOf(client, sent.ada!)).length, 2, "what was sent stays on record");
});

test("the mailbox is kept within bounds: by age in real time, and by number in each environment", async () => {
  const fill = async (count: number) => {
    const stage = await newStage(service, "2020-01-01T00:00:00.000Z");
    await createWorkflow(stage.client, "mail", [email()]);
    const events = Array.from({ length: count }, (_, n) => ({
      name: "mail",
      to: { subscriberId: `r${n}`, email: "r@example.com" },
      transactionId: `r${n}`,
    }));
    await untyped(stage.client)("events.triggerBulk", { body: { events } });
    await stage.advance(1, "minutes");
    return stage.client;
  };
  const [many, few] = [await fill(5), await fill(2)];
  const left = async (by = many) => (await list({}, by)).data.length;
  await runRetentionAt(db, new Date());
  assert.equal(await left(), 5, "by a clock in the past they are old");
  const newest = (await list({ limit: 2 }, many)).data;
  assert.equal(await purgeCapturedBeyond(db, 2, 2), 2, "a page");
  assert.equal(await purgeCapturedBeyond(db, 2, 2), 1);
  assert.equal(await purgeCapturedBeyond(db, 2, 2), 0);
  assert.deepEqual((await list({}, many)).data, newest);
  assert.deepEqual([await left(), await left(few)], [2, 2]);
  await runRetentionAt(db, new Date(Date.now() + 32 * 86_400_000));
  assert.deepEqual([await left(), await left(few)], [0, 0]);
});
