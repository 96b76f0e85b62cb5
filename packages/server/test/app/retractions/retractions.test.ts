// Retracting an event: what waits is canceled, in-app messages disappear from open inboxes, and what cannot be unsent
// is named.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Retraction } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { encryptionKey, type LiveClient, openStream, tokenFor } from "../../live/clients.ts";

const mail = await startScriptedMail(() => null);
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_MAX_RECIPIENTS: "2000" });
const { client, production } = service;

const credentials = { host: "127.0.0.1", port: mail.port, secure: false, from: "sender@example.com" };
await client("integrations.create", {
  body: { providerId: "nodemailer", channel: "email", identifier: "mail", active: true, credentials },
} as never);
const hour = { amount: 1, unit: "hours" };
const delay = { name: "Wait", type: "delay", controlValues: hour } as const;
await createWorkflow(client, "notice", [inApp(), email()]);
await createWorkflow(client, "plain", [inApp()]);
await createWorkflow(client, "later", [delay, inApp(), email()]);
await createWorkflow(client, "digested", [
  { name: "Digest", stepId: "digest", type: "digest", controlValues: hour },
  inApp({ body: "{{steps.digest.eventCount}}" }),
]);

const people = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ subscriberId: `${prefix}${n}`, email: `${prefix}${n}@example.com` }));

const retract = async (body: object) =>
  (await client("retractions.create", { body: { reason: "sent twice", ...body } as never })).body;
const finished = (id: string): Promise<Retraction> =>
  eventually(async () => {
    const { body } = await client("retractions.retrieve", { params: { retractionId: id } });
    return body.status === "completed" ? body : null;
  }, `the end of retraction ${id}`);
const retractAll = async (body: object) => finished((await retract(body))._id);

const streams: LiveClient[] = [];
atEnd(() => {
  for (const one of streams) one.close();
});

test("an in-app message disappears from an open inbox, with right counts; the email is said to stay", async () => {
  const stream = openStream(service.url, await tokenFor(service, "ada"));
  streams.push(stream);
  const unread = () => stream.named("counts").at(-1)?.data.unread.total;
  await eventually(() => stream.named("counts").length > 0, "the first counts");
  await trigger(client, "plain", "ada", { name: "first" });
  const transactionId = await trigger(
    client,
    "notice",
    { subscriberId: "ada", email: "ada@example.com" },
    { name: "Ada" },
  );
  await settled(client, transactionId);
  await eventually(() => unread() === 2, "two unread messages");

  const preview = (await client("retractions.preview", { body: { transactionId } })).body;
  assert.deepEqual(preview, {
    people: 1,
    isCapped: false,
    results: { in_app: { removed: 1 }, email: { cannot_unsend: 1 } },
  });
  const begun = await retract({ transactionId });
  assert.equal(begun.status, "running");
  const done = await finished(begun._id);
  assert.deepEqual(
    { people: done.people, handled: done.handled, results: done.results, reason: done.reason },
    { people: 1, handled: 1, results: preview.results, reason: "sent twice" },
  );
  await eventually(() => unread() === 1, "one unread message is left");
  const feed = await feedOf(client, "ada");
  assert.deepEqual(
    feed.map(({ content }) => content),
    ["Hello first"],
  );
  const [run] = await notificationsOf(client, transactionId);
  assert.ok(detailsOf(run!, "in_app").includes("Retracted: the in-app message was removed"));
  assert.ok(detailsOf(run!, "email").includes("Could not be unsent: the message stays"));
  const { body: explained } = await client("explain.retrieve", { query: { transactionId, subscriberId: "ada" } });
  const sentences = explained.steps.map((step) => step.reason);
  assert.match(sentences[0]!, /In-app message was sent, and then: retracted: the in-app message was removed/);
  assert.match(sentences[1]!, /could not be unsent: .*an email that was sent stays sent/);
  assert.deepEqual(
    (await messagesOf(client, transactionId)).map(({ channel }) => channel),
    ["email"],
  );
});

test("what waits is canceled for everyone, page by page", async () => {
  const transactionId = await trigger(client, "later", people("p", 1_100));
  await eventually(
    async () => (await client("retractions.preview", { body: { transactionId } })).body.people === 1_100,
    "all runs",
  );
  const done = await retractAll({ transactionId });
  assert.deepEqual(done.results, { in_app: { canceled: 1_100 }, email: { canceled: 1_100 } });
  assert.deepEqual([done.people, done.handled], [1_100, 1_100]);
  const runs = await notificationsOf(client, transactionId);
  for (const run of runs)
    assert.deepEqual(
      run.jobs!.map((job) => job.status),
      ["canceled", "canceled", "canceled"],
    );
  const { body: explained } = await client("explain.retrieve", { query: { transactionId, subscriberId: "p0" } });
  assert.match(explained.steps[2]!.reason, /was not sent: the event was retracted/);
});

test("an event leaves an open digest; a digest that becomes empty is not sent", async () => {
  const events: string[] = [];
  for (const to of ["dora", "dora", "emil"]) {
    const id = await trigger(client, "digested", to);
    await eventually(async () => (await notificationsOf(client, id)).length > 0, "the run");
    events.push(id);
  }
  const done = await retractAll({ transactionId: events[0] });
  assert.deepEqual(done.results, { in_app: { canceled: 1 } });
  await retractAll({ transactionId: events[2] });
  const statuses = async (id: string) => (await notificationsOf(client, id))[0]!.jobs!.map((job) => job.status);
  assert.deepEqual(await statuses(events[1]!), ["delayed", "pending"], "the other event leads the digest");
  const open = (await client("digests.close", { params: { workflowId: "digested" }, body: {} } as never)).body;
  assert.ok(open);
  await settled(client, events[1]!);
  assert.deepEqual(
    (await feedOf(client, "dora")).map(({ content }) => content),
    ["1"],
  );
  assert.equal((await feedOf(client, "emil")).length, 0);
});

test("a digest that was sent stays for its other events, also if the event that led it is retracted", async () => {
  const run = async (subscriberId: string) => {
    const id = await trigger(client, "digested", subscriberId);
    await eventually(async () => (await notificationsOf(client, id)).length > 0, "the run");
    return id;
  };
  const [first, second, alone] = [await run("finn"), await run("finn"), await run("gina")];
  await client("digests.close", { params: { workflowId: "digested" }, body: {} } as never);
  await settled(client, first);
  await settled(client, alone);
  const expected = { in_app: { cannot_unsend: 1 } };
  for (const transactionId of [first, second]) {
    assert.deepEqual((await client("retractions.preview", { body: { transactionId } })).body.results, expected);
    assert.deepEqual((await retractAll({ transactionId })).results, expected);
  }
  const { body: explained } = await client("explain.retrieve", {
    query: { transactionId: first, subscriberId: "finn" },
  });
  assert.match(explained.steps[1]!.reason, /it is part of a digest that was sent/);
  assert.deepEqual(
    (await feedOf(client, "finn")).map(({ content }) => content),
    ["2"],
  );
  assert.deepEqual((await retractAll({ transactionId: alone })).results, { in_app: { removed: 1 } });
  assert.equal((await feedOf(client, "gina")).length, 0, "a digest of one event is about nothing else");
});

test("twice, by several callers at once: one retraction", async () => {
  const transactionId = await trigger(client, "plain", ["u1", "u2"]);
  await settled(client, transactionId);
  const calls = await Promise.all(
    Array.from({ length: 5 }, () => client("retractions.create", { body: { transactionId, reason: "oops" } })),
  );
  assert.equal(new Set(calls.map(({ body }) => body._id)).size, 1);
  assert.deepEqual(calls.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 201]);
  const done = await finished(calls[0]!.body._id);
  assert.deepEqual(done.results, { in_app: { removed: 2 } });
  const { body } = await client("retractions.list", { query: { transactionId } });
  assert.deepEqual(body.data, [done]);
});

test("a correction replaces in-app messages, keeps their marks, and is sent where nothing can be unsent", async () => {
  const [first] = people("c", 1);
  const transactionId = await trigger(client, "notice", first!, { name: "Cy", amount: 5 });
  await settled(client, transactionId);
  const [item] = await feedOf(client, "c0");
  await client("subscribers.markMessages", {
    params: { subscriberId: "c0" },
    body: { messageId: item!._id, markAs: "read" },
  } as never);
  const correction = {
    subject: "Correction for {{ payload.name }}",
    body: "It is {{ payload.amount }} < 6.\nSorry, {{ subscriber.subscriberId }}.",
  };
  const { body: preview } = await client("retractions.preview", { body: { transactionId, correction } });
  assert.deepEqual(preview.results, { in_app: { replaced: 1 }, email: { corrected: 1 } });
  const done = await retractAll({ transactionId, correction });
  assert.deepEqual(done.results, preview.results);
  const [after] = await feedOf(client, "c0");
  assert.deepEqual(
    { id: after!._id, content: after!.content, subject: after!.subject, read: after!.read, seen: after!.seen },
    {
      id: item!._id,
      content: "<p>It is 5 &lt; 6.<br>Sorry, c0.</p>",
      subject: "Correction for Cy",
      read: true,
      seen: true,
    },
  );
  const sent = await eventually(() => {
    const mails = mail.mailsTo("c0@example.com");
    return mails.length === 2 ? mails[1] : null;
  }, "the correction");
  assert.equal(sent.subject, "Correction for Cy");
  assert.match(sent.html ?? "", /It is 5 &lt; 6\.<br>Sorry, c0\./);
  const [run] = await settled(client, transactionId);
  assert.ok(detailsOf(run!, "email").includes("Could not be unsent: the message stays; a correction was sent"));
});

const valid = { reason: "r", transactionId: "known" };
const refused: [string, object, number, RegExp][] = [
  ["no event", { reason: "r" }, 422, /transactionId, or supersedeKey and to/],
  ["no reason", { transactionId: "known" }, 422, /reason/],
  ["an empty reason", { ...valid, reason: "  " }, 422, /reason must say why/],
  ["a long reason", { ...valid, reason: "r".repeat(501) }, 422, /reason/],
  ["a reason of another type", { ...valid, reason: 5 }, 422, /reason/],
  ["both", { ...valid, supersedeKey: "k" }, 422, /supersedeKey cannot be given together/],
  ["a key without a subscriber", { reason: "r", supersedeKey: "k" }, 422, /to must be the id/],
  ["a long key", { reason: "r", supersedeKey: "k".repeat(256), to: "ada" }, 422, /supersedeKey/],
  ["an unknown event", { ...valid, transactionId: "unknown" }, 404, /unknown not found/],
  ["an unknown key", { reason: "r", supersedeKey: "none", to: "ada" }, 404, /supersede key none/],
  ["an unknown subscriber", { reason: "r", supersedeKey: "none", to: "nobody" }, 404, /subscriber nobody/],
  ["a correction without a body", { ...valid, correction: { subject: "s" } }, 422, /body/],
  ["a template that does not parse", { ...valid, correction: { body: "{{ payload. | }" } }, 422, /correction\.body/],
  [
    "a subject that does not parse",
    { ...valid, correction: { subject: "{% if %}", body: "b" } },
    422,
    /correction\.subject/,
  ],
  [
    "a template that does not render",
    { ...valid, correction: { body: "{{ payload.name | date: 'x' | nope }}" } },
    422,
    /correction\.body/,
  ],
  [
    "a template without end",
    { ...valid, correction: { body: "{% for i in (1..99999999) %}x{% endfor %}" } },
    422,
    /correction\.body/,
  ],
];

test("bad input is refused and changes nothing", async () => {
  const body = { events: [{ name: "plain", to: "bad", transactionId: "known", payload: {} }] };
  await client("events.triggerBulk", { body } as never);
  await settled(client, "known");
  for (const [name, given, status, text] of refused) {
    const answer = await client.raw("retractions.create", { body: given });
    assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
    assert.match(JSON.stringify(answer.body), text, name);
  }
  const elsewhere = await production.raw("retractions.create", { body: valid });
  assert.equal(elsewhere.status, 404);
  assert.equal((await client.raw("retractions.retrieve", { params: { retractionId: "none" } })).status, 404);
  assert.deepEqual((await client("retractions.list", { query: { transactionId: "known" } })).body.data, []);
  assert.equal((await feedOf(client, "bad")).length, 1);
});
