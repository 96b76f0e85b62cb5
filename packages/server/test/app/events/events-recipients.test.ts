// Who an event is for, and that one transaction id is accepted once.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerResult } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, notificationsOf, settled } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, db, environmentId } = await shareService();

before(() => createWorkflow(client, "plain", [inApp({ body: "From {{ actor.firstName }}" })]));

const bulk = async (...events: Record<string, unknown>[]): Promise<TriggerResult[]> => {
  const { status, body } = await client.raw("events.triggerBulk", { body: { events } });
  assert.equal(status, 201, JSON.stringify(body));
  return body as TriggerResult[];
};
const send = async (event: Record<string, unknown>) => {
  const [result] = await bulk({ name: "plain", ...event });
  assert.equal(result!.status, "processed", JSON.stringify(result));
  const notifications = await settled(client, result!.transactionId!);
  return { ...result!, reached: notifications.map(({ subscriber }) => subscriber!.subscriberId).sort() };
};
const retrieve = async (subscriberId: string) =>
  (await client("subscribers.retrieve", { params: { subscriberId } })).body;
const countEvents = async (transactionId: string) =>
  (
    await sql<{ count: number }>`
      select count(*) as count from events where transaction_id = ${transactionId} and environment_id = ${environmentId}`.execute(
      db,
    )
  ).rows[0]!.count;

const forms: [name: string, to: unknown, reached: string[]][] = [
  ["a text", "form-1", ["form-1"]],
  ["an address", "form-2@example.com", ["form-2@example.com"]],
  ["an object", { subscriberId: "form-3" }, ["form-3"]],
  ["a list of texts", ["form-4", "form-5"], ["form-4", "form-5"]],
  ["a mixed list", ["form-6", { subscriberId: "form-7" }], ["form-6", "form-7"]],
  ["the same person several times", ["form-8", { subscriberId: " form-8 " }, "form-8"], ["form-8"]],
];

for (const [name, to, reached] of forms) {
  test(`recipients as ${name}`, async () => {
    const result = await send({ to });
    assert.deepEqual(result.reached, reached);
    assert.equal(result.error, undefined);
  });
}

test("invalid recipients are reported one by one and do not stop the others", async () => {
  const bad: [entry: unknown, id: string, reason: string][] = [
    ["", "", "subscriberId must not be empty"],
    ["with space", "with space", "subscriberId has an invalid format"],
    [{}, "", "subscriberId is required"],
    [{ subscriberId: "m", email: "x" }, "m", "email has an invalid format"],
    [{ subscriberId: "n", email: "n\u0085@example.com" }, "n", "email has an invalid format"],
    [{ subscriberId: "t", timezone: "Moon" }, "t", "timezone has an invalid format"],
    [{ subscriberId: "o", timezone: "+02:00" }, "o", "timezone has an invalid format"],
    [{ subscriberId: "l", locale: "?" }, "l", "locale has an invalid format"],
    [{ subscriberId: "n", firstName: "x".repeat(256) }, "n", "firstName must not be longer than 255 characters"],
    [{ subscriberId: "d", data: { a: "x".repeat(65_536) } }, "d", "data must not be larger than 65536 bytes of JSON"],
    [{ subscriberId: "c", channels: [{}] }, "c", "channels.0.providerId is required"],
    [
      { subscriberId: "e", channels: [{ providerId: "nodemailer", credentials: {} }] },
      "e",
      "channels.0.providerId must be a chat or push provider",
    ],
    [{ subscriberId: "f", channels: [{ providerId: "fcm" }] }, "f", "channels.0.credentials is required"],
    [
      {
        subscriberId: "g",
        channels: [{ providerId: "fcm", credentials: { deviceTokens: Array.from({ length: 101 }, String) } }],
      },
      "g",
      "channels.0.credentials.deviceTokens must contain no more than 100 elements",
    ],
  ];
  const result = await send({ to: ["good-1", ...bad.map(([entry]) => entry), { subscriberId: "good-2" }] });
  assert.deepEqual(result.reached, ["good-1", "good-2"]);
  assert.deepEqual(
    result.error,
    bad.map(([, id, reason]) => `Recipient '${id}' is not valid: ${reason}`),
  );
  const [tooLong] = (await send({ to: ["good-1", "x".repeat(5_000)] })).error!;
  assert.equal(
    tooLong,
    `Recipient '${"x".repeat(255)}…' is not valid: subscriberId must not be longer than 255 characters`,
  );
  const list = (await client("subscribers.list", { query: { limit: 100 } })).body.data;
  for (const [, id] of bad) assert.ok(!list.some(({ subscriberId }) => subscriberId === id), id);
});

test("a recipient object creates the subscriber, and updates the fields it names", async () => {
  const fields = {
    ...{ firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", phone: "+44" },
    ...{ avatar: "https://example.com/a.png", locale: "en_GB", timezone: "Europe/London", data: { plan: "gold" } },
  };
  await send({ to: { subscriberId: "made", ...fields, unknown: "dropped" } });
  const made = await retrieve("made");
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name as keyof typeof fields], value, name);
  await send({
    to: [
      { subscriberId: "made", firstName: "B" },
      { subscriberId: "made", phone: "+1", data: { x: 1 } },
    ],
  });
  const changed = await retrieve("made");
  assert.deepEqual(
    [changed._id, changed.firstName, changed.lastName, changed.phone, changed.data],
    [made._id, "B", "Lovelace", "+1", { x: 1 }],
  );
  await send({ to: "made" });
  assert.deepEqual(await retrieve("made"), changed);
});

test("the actor is created like a recipient and speaks in the message, but receives nothing unless named", async () => {
  const actor = { subscriberId: "boss", firstName: "Grace", avatar: "https://example.com/g.png" };
  assert.deepEqual((await send({ to: "worker", actor })).reached, ["worker"]);
  assert.equal((await retrieve("boss")).firstName, "Grace");
  const [item] = await feedOf(client, "worker");
  assert.equal(item!.content, "From Grace");
  assert.deepEqual(item!.actor, { type: "user", data: "https://example.com/g.png" });
  assert.deepEqual(await feedOf(client, "boss"), []);
  assert.deepEqual((await send({ to: ["worker", "boss"], actor: "boss" })).reached, ["boss", "worker"]);
});

test("a transaction id is accepted once: before, in one request, and in many at the same time", async () => {
  const event = { name: "plain", to: "once", transactionId: "used" };
  const processed = { acknowledged: true, status: "processed", transactionId: "used" };
  assert.deepEqual(await bulk(event), [processed]);
  // A repeat says the same, whatever else it carries.
  assert.deepEqual(await bulk({ ...event, to: [] }, { ...event, name: "missing" }), [processed, processed]);

  const twice = { ...event, transactionId: "twice" };
  assert.equal((await bulk(twice, { ...twice, to: "other" })).length, 2);

  const many = { ...event, transactionId: "many" };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => bulk(many, { ...event, transactionId: `beside ${index}` })),
  );
  for (const [first] of answers) assert.deepEqual(first, { ...processed, transactionId: "many" });

  for (const transactionId of ["used", "twice", "many", "beside 3"]) {
    await settled(client, transactionId);
    assert.equal(await countEvents(transactionId), 1, transactionId);
    assert.equal((await notificationsOf(client, transactionId)).length, 1, transactionId);
  }
});

test("an id that was refused is not used up", async () => {
  const event = { name: "plain", to: [] as string[], transactionId: "second chance" };
  assert.equal((await bulk(event, { ...event, to: ["lucky"] }))[1]!.status, "processed");
  await settled(client, "second chance");
  assert.equal((await feedOf(client, "lucky")).length, 1);
});

test("requests that name the same ids in opposite order do not block each other", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `crossed ${index}`);
  const events = ids.map((transactionId) => ({ name: "plain", to: "crossed", transactionId }));
  const rounds = Array.from({ length: 8 }, (_, round) => bulk(...(round % 2 === 0 ? events : events.toReversed())));
  for (const results of await Promise.all(rounds)) {
    assert.ok(results.every(({ status }) => status === "processed"));
  }
  for (const transactionId of ids) assert.equal(await countEvents(transactionId), 1);
});

test("a generated id, sent again, counts as used", async () => {
  const { transactionId } = await send({ to: "echo" });
  assert.equal((await bulk({ name: "plain", to: "echo", transactionId }))[0]!.status, "processed");
  assert.equal(await countEvents(transactionId!), 1);
});
