// Canceling the event that led a digest, after the digest has closed: the other events continue, led by the oldest of
// them, from where the canceled run was.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { only } from "@tidings/testkit/lists";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { shareService } from "@tidings/testkit/service";
import { untyped } from "@tidings/testkit/untyped";
import { createWorkflow, email, feedOf, inApp, notificationsOf } from "@tidings/testkit/verbs";

const mail = await startScriptedMail((_address, times) => (times < 1 ? 451 : null));
const service = await shareService();
/** A Sunday. */
const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
const { client } = stage;

const wait = (stepId: string, type: "delay" | "digest", amount: number, settings: object = {}): StepIn => ({
  name: stepId,
  stepId,
  type,
  controlValues: { amount, unit: "minutes", ...settings },
});

const listOf = (stepId: string): string =>
  `{{ payload.n }};{{ steps.${stepId}.eventCount }};{% for e in steps.${stepId}.events %}{{ e.payload.n }}{% endfor %}`;

async function triggerAll({ client }: Stage, name: string, payloads: object[]): Promise<string[]> {
  const events = payloads.map((payload) => ({ name, to: name, payload }));
  const { body } = await untyped(client)("events.triggerBulk", { body: { events } });
  return (body as { transactionId: string }[]).map(({ transactionId }) => transactionId);
}

const numbered = (...numbers: number[]) => numbers.map((n) => ({ n }));
const cancel = async (transactionId: string) => (await client("events.cancel", { params: { transactionId } })).body;
const contentsOf = async (subscriberId: string) =>
  (await feedOf(client, subscriberId)).map(({ content }) => content).reverse();
const statusesOf = async (transactionId: string) =>
  only(await notificationsOf(client, transactionId)).jobs!.map((job) => job.status);

test("behind a delay: finished steps are not repeated, their results count, and the canceled event is not in the digest", async () => {
  const shown = { ...inApp({ body: listOf("digest") }), stepId: "shown" };
  const unread = { ...inApp({ body: `late ${listOf("digest")}`, skip: { var: "steps.shown.read" } }), stepId: "late" };
  for (const name of ["behind-delay", "behind-delay-read"]) {
    await createWorkflow(client, name, [wait("digest", "digest", 10), shown, wait("delay", "delay", 60), unread]);
    const [first, second, third] = (await triggerAll(stage, name, numbered(1, 2, 3))) as [string, string, string];
    await stage.advance(30, "minutes");
    assert.equal(await cancel(first), true);
    assert.deepEqual(await statusesOf(first), ["completed", "completed", "canceled", "canceled"]);
    assert.deepEqual(await statusesOf(second), ["completed", "completed", "delayed", "pending"]);
    const [[led], [leader]] = [await notificationsOf(client, third), await notificationsOf(client, second)];
    assert.equal(led!._digestedNotificationId, leader!._id);
    if (name === "behind-delay-read") {
      const [item] = await feedOf(client, name);
      const body = { messageId: item!._id, markAs: "read" as const };
      await client("subscribers.markMessages", { params: { subscriberId: name }, body });
    }
    await stage.advance(2, "hours");
    const late = name === "behind-delay" ? ["late 2;2;23"] : [];
    assert.deepEqual(await contentsOf(name), ["1;3;123", ...late]);
  }
});

test("canceling one leader after the other: the events that are left are sent", async () => {
  await createWorkflow(client, "one-by-one", [
    wait("digest", "digest", 10),
    wait("delay", "delay", 60),
    inApp({ body: listOf("digest") }),
  ]);
  const ids = await triggerAll(stage, "one-by-one", numbered(1, 2, 3, 4));
  const all = await triggerAll(stage, "one-by-one", numbered(5));
  await stage.advance(30, "minutes");
  for (const id of ids.slice(0, 3)) assert.equal(await cancel(id), true);
  await stage.advance(2, "hours");
  assert.deepEqual(await contentsOf("one-by-one"), ["4;2;45"]);
  assert.equal(await cancel(all[0]!), false);
});

test("an event that was canceled before its leader does not continue without it", async () => {
  const steps = [wait("digest", "digest", 10), wait("delay", "delay", 60), inApp({ body: listOf("digest") })];
  const ids: Record<string, string[]> = {};
  for (const [name, canceled] of [
    ["one-left", [1, 0]],
    ["none-left", [2, 1, 0]],
    ["leader-stays", [1, 2]],
  ] as const) {
    await createWorkflow(client, name, steps);
    const own = await triggerAll(stage, name, numbered(1, 2, 3));
    ids[name] = own;
    await stage.advance(30, "minutes");
    for (const index of canceled) assert.equal(await cancel(own[index]!), index === 0);
  }
  await stage.advance(2, "hours");
  assert.deepEqual(await contentsOf("one-left"), ["3;1;3"]);
  assert.deepEqual(await contentsOf("none-left"), []);
  assert.deepEqual(await contentsOf("leader-stays"), ["1;3;123"], "they are part of what the leader sends");
  const [leader, second] = ids["leader-stays"]!;
  const query = { transactionId: second!, subscriberId: "leader-stays" };
  const { verdict, steps: ended } = (await client("explain.retrieve", { query })).body;
  const told = `was merged into the digest of transaction ${leader}, which had closed when this event was canceled.`;
  assert.ok(verdict.endsWith(told), verdict);
  assert.notEqual(ended[0]!.code, "step_canceled");
});

test("behind a second digest: as its leader, and merged into it", async () => {
  await createWorkflow(client, "second-leads", [
    wait("one", "digest", 10),
    wait("two", "digest", 60),
    inApp({ body: listOf("two") }),
  ]);
  const [first] = (await triggerAll(stage, "second-leads", numbered(1, 2, 3))) as [string];
  await stage.advance(12, "minutes");
  await triggerAll(stage, "second-leads", numbered(4));
  await stage.advance(15, "minutes");
  assert.equal(await cancel(first), true);
  await stage.advance(2, "hours");
  assert.deepEqual(await contentsOf("second-leads"), ["2;3;234"]);

  await createWorkflow(client, "second-merged", [
    wait("one", "digest", 10, { digestKey: "key" }),
    wait("two", "digest", 60),
    inApp({ body: listOf("two") }),
  ]);
  const keyed = [
    { n: 1, key: "a" },
    { n: 2, key: "b" },
    { n: 3, key: "b" },
  ];
  const [, second] = (await triggerAll(stage, "second-merged", keyed)) as [string, string];
  await stage.advance(30, "minutes");
  assert.equal(await cancel(second), true);
  await stage.advance(2, "hours");
  assert.deepEqual(await contentsOf("second-merged"), ["1;2;13"]);
});

test("behind a closed second digest: the events of both digests go on", async () => {
  await createWorkflow(client, "both-closed", [
    wait("one", "digest", 10, { digestKey: "key" }),
    wait("two", "digest", 10),
    wait("delay", "delay", 60),
    inApp({ body: listOf("two") }),
  ]);
  const keyed = [
    { n: 1, key: "a" },
    { n: 2, key: "a" },
    { n: 3, key: "b" },
  ];
  const [first, second] = (await triggerAll(stage, "both-closed", keyed)) as [string, string];
  await stage.advance(30, "minutes");
  assert.equal(await cancel(first), true);
  assert.equal(await cancel(second), true);
  await stage.advance(2, "hours");
  assert.deepEqual(await contentsOf("both-closed"), ["3;1;3"]);
});

test("behind an email that waits for its retry, and one that is held by the schedule", async () => {
  const credentials = { host: "127.0.0.1", port: String(mail.port), ignoreTls: true, from: "a@example.com" };
  const body = { providerId: "nodemailer", channel: "email", active: true, credentials } as const;
  await client("integrations.create", { body: body as never });
  const mailed = email({ subject: "{{ payload.n }}", body: `<p>${listOf("digest")}</p>` });
  await createWorkflow(client, "retried", [wait("digest", "digest", 10), mailed]);
  await createWorkflow(client, "held", [wait("digest", "digest", 10), mailed]);
  for (const subscriberId of ["retried", "held"]) {
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  }
  const monday = { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] };
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "held" },
    body: { schedule: { isEnabled: true, weeklySchedule: { monday } } },
  });
  const texts = (name: string) =>
    mail.mailsTo(`${name}@example.com`).map(({ html }) => /\d;\d;\d+/.exec(html ?? "")?.[0]);
  const [retried] = (await triggerAll(stage, "retried", numbered(1, 2, 3))) as [string];
  const [held] = (await triggerAll(stage, "held", numbered(1, 2, 3))) as [string];
  await stage.advance(10, "minutes");
  assert.deepEqual(await statusesOf(retried), ["completed", "delayed"]);
  assert.deepEqual(await statusesOf(held), ["completed", "delayed"]);
  assert.equal(await cancel(retried), true);
  assert.equal(await cancel(held), true);
  await stage.advance(3, "days");
  assert.deepEqual(texts("retried"), ["2;2;23"]);
  assert.deepEqual(texts("held"), ["2;2;23"]);
});
