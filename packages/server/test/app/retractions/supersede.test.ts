// Supersede keys: a later event with the same key replaces the earlier one for the same subscriber.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, feedOf, inApp, notificationsOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const mail = await startScriptedMail(() => null);
const { client, production } = await shareService();
const credentials = { host: "127.0.0.1", port: mail.port, secure: false, from: "sender@example.com" };
await client("integrations.create", {
  body: { providerId: "nodemailer", channel: "email", identifier: "mail", active: true, credentials },
} as never);
const delay = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } } as const;
await createWorkflow(client, "status", [inApp({ body: "{{ payload.text }}" })]);
await createWorkflow(client, "mailed", [inApp({ body: "{{ payload.text }}" }), email()]);
await createWorkflow(client, "later", [delay, inApp({ body: "{{ payload.text }}" })]);

const send = async (name: string, to: unknown, text: string, supersedeKey?: string) => {
  const event = { name, to, payload: { text }, ...(supersedeKey && { supersedeKey }) };
  return (await client("events.trigger", { body: event as never })).body.transactionId!;
};
const textsOf = async (subscriberId: string) => (await feedOf(client, subscriberId)).map(({ content }) => content);
const statuses = async (id: string) => (await notificationsOf(client, id))[0]?.jobs?.map((job) => job.status);

test("the new in-app message takes the place of the old one and keeps that it was read", async () => {
  const first = await send("status", "ada", "shipped", "order-1");
  await send("status", "ada", "another order", "order-2");
  await send("status", "ada", "without a key");
  const [, , shipped] = await feedOf(client, "ada");
  await client("subscribers.markMessages", {
    params: { subscriberId: "ada" },
    body: { messageId: shipped!._id, markAs: "read" },
  } as never);
  await send("status", "ada", "delivered", "order-1");
  const feed = await feedOf(client, "ada");
  assert.deepEqual(
    feed.map(({ content, read, seen }) => ({ content, read, seen })),
    [
      { content: "delivered", read: true, seen: true },
      { content: "without a key", read: false, seen: false },
      { content: "another order", read: false, seen: false },
    ],
  );
  const [run] = await notificationsOf(client, first);
  assert.ok(detailsOf(run!, "in_app").includes("Replaced by a later event with the same key"));
  await send("status", "bob", "of bob", "order-1");
  assert.equal((await feedOf(client, "ada")).length, 3, "another person's event replaces nothing");
});

test("a digest that has other events too is not replaced", async () => {
  const digest = {
    name: "Digest",
    stepId: "digest",
    type: "digest",
    controlValues: { amount: 1, unit: "hours" },
  } as const;
  const body = "{% for event in steps.digest.events %}{{ event.payload.text }} {% endfor %}";
  await createWorkflow(client, "collected", [digest, inApp({ body })]);
  const events = [await send("collected", "dan", "one", "k-1"), await send("collected", "dan", "two", "k-2")];
  for (const id of events) await eventually(() => statuses(id), "the run");
  await client("digests.close", { params: { workflowId: "collected" }, body: {} } as never);
  await settled(client, events[0]!);
  await send("status", "dan", "three", "k-1");
  await eventually(async () => (await textsOf("dan")).includes("three"), "the new message");
  assert.deepEqual(
    (await textsOf("dan")).map((text) => text.trim()),
    ["three", "one two"],
  );
});

test("what waits is canceled, and the message before it is replaced too", async () => {
  await send("status", "cleo", "one", "k");
  const waiting = await send("later", "cleo", "two", "k");
  await eventually(() => statuses(waiting), "the run");
  assert.deepEqual(await textsOf("cleo"), ["one"], "shown until the new message is there");
  await send("status", "cleo", "three", "k");
  await eventually(async () => (await textsOf("cleo")).join() === "three", "one message");
  assert.deepEqual(await statuses(waiting), ["canceled", "canceled"]);
  const { body } = await client("explain.retrieve", { query: { transactionId: waiting, subscriberId: "cleo" } });
  assert.match(body.steps[1]!.reason, /was not sent: a later event with the same key replaced it/);
});

test("an email that was sent stays, says so, and the new one is sent", async () => {
  const to = { subscriberId: "dora", email: "dora@example.com" };
  const first = await send("mailed", to, "one", "k");
  await settled(client, first);
  await settled(client, await send("mailed", to, "two", "k"));
  await eventually(() => mail.mailsTo("dora@example.com").length === 2, "both mails");
  const { body } = await client("explain.retrieve", { query: { transactionId: first, subscriberId: "dora" } });
  assert.match(body.steps[1]!.reason, /and then: replaced by a later event .*an email that was sent stays sent/);
  assert.deepEqual(await textsOf("dora"), ["two"]);
});

test("16 callers at once: exactly one in-app message stays, that of the last accepted event", async () => {
  await send("status", "emil", "before", "race");
  const sent = await Promise.all(
    Array.from({ length: 16 }, (_, n) => send(n % 4 === 0 ? "mailed" : "status", "emil", `race ${n}`, "race")),
  );
  await Promise.all(sent.map((id) => settled(client, id)));
  const feed = await feedOf(client, "emil");
  assert.equal(feed.length, 1);
  const last = sent.toSorted().at(-1);
  assert.equal(feed[0]!.transactionId, last);
});

test("in bulk and for everyone; of one request, the last event stays", async () => {
  const events = ["a", "b", "c"].map((text) => ({
    name: "status",
    to: "fred",
    payload: { text },
    supersedeKey: "bulk",
  }));
  const { body } = await client("events.triggerBulk", { body: { events } as never });
  await Promise.all(body.map(({ transactionId }) => settled(client, transactionId!)));
  assert.deepEqual(await textsOf("fred"), ["c"]);
  const broadcast = { name: "status", payload: { text: "all" }, supersedeKey: "bulk" };
  await client("events.broadcast", { body: broadcast as never });
  await eventually(async () => (await textsOf("fred"))[0] === "all", "the broadcast");
  assert.deepEqual(await textsOf("fred"), ["all"]);
});

test("the newest event of a key is retracted for its subscriber alone", async () => {
  await send("status", ["gina", "hugo"], "both", "news");
  const body = { supersedeKey: "news", to: "gina", reason: "wrong person" };
  assert.equal((await production.raw("retractions.create", { body })).status, 404);
  const { body: begun } = await client("retractions.create", { body });
  const done = await eventually(async () => {
    const { body } = await client("retractions.retrieve", { params: { retractionId: begun._id } });
    return body.status === "completed" ? body : null;
  }, "the end");
  assert.deepEqual(
    { ...done.results, people: done.people, to: done.to },
    { in_app: { removed: 1 }, people: 1, to: "gina" },
  );
  assert.deepEqual([await textsOf("gina"), await textsOf("hugo")], [[], ["both"]]);
  assert.equal((await client("retractions.create", { body })).body._id, begun._id);
});

test("keys that are not valid are refused", async () => {
  for (const supersedeKey of ["", "k".repeat(256), "a\nb", 5, null, {}]) {
    const body = { name: "status", to: "ada", payload: {}, supersedeKey };
    const answer = await client.raw("events.trigger", { body });
    assert.equal(answer.status, 422, JSON.stringify(supersedeKey));
    assert.match(JSON.stringify(answer.body), /supersedeKey/);
  }
});
