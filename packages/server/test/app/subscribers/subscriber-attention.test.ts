// How many messages a subscriber wants at most, over the interface: what is offered, stored, shown and refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget, ChannelAttention, Output } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { openInbox } from "../inbox/browser.ts";

const service = await shareService();
const params = { subscriberId: "ada" };
const day = { amount: 1, unit: "day" } as const;
const budgets: AttentionBudget[] = [
  { channel: "email", limit: 5, window: day },
  { channel: "email", limit: 20, window: { amount: 7, unit: "day" } },
  { channel: "sms", limit: 2, window: day, classes: ["promotional"] },
  { channel: "sms", limit: 3, window: day, classes: ["transactional"] },
  { channel: "push", limit: 1, window: { amount: 1, unit: "week" }, classes: ["promotional"] },
];

async function withBudgets() {
  const { client, environmentId } = await newStage(service);
  await client("attention.update", { body: { budgets } });
  await client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada" } });
  const choose = (channels: unknown) =>
    client.raw("subscribers.updateAttention", { params, body: { channels } as never });
  const shown = async () => (await client("subscribers.retrieveAttention", { params })).body.channels;
  const stored = async () => Object.fromEntries((await shown()).map(({ channel, own }) => [channel, own]));
  return { client, environmentId, choose, shown, stored };
}

test("limits are offered for channels with a budget, chosen, replaced and removed one by one", async () => {
  const { client, choose, shown, stored } = await withBudgets();
  const { body: before } = await client("subscribers.retrieve", { params });
  assert.deepEqual((await shown()).map(({ channel }) => channel).sort(), ["email", "push", "sms"]);
  const email = (await shown()).find(({ channel }) => channel === "email");
  assert.deepEqual(email!.environment, [
    { classes: ["transactional", "promotional"], limit: 5, window: day },
    { classes: ["transactional", "promotional"], limit: 20, window: { amount: 7, unit: "day" } },
  ]);
  assert.deepEqual([email!.offered, email!.own], [true, null]);
  assert.deepEqual(
    email!.choices.map(({ limit, unit }) => `${limit} ${unit}`),
    ["1 hour", "3 hour", "1 day", "2 day", "3 day", "1 week", "3 week", "5 week", "10 week"],
  );

  const { status, body } = await choose({
    email: { limit: 4, unit: "day", note: "x" },
    sms: { limit: 4, unit: "day" },
  });
  assert.equal(status, 200);
  const { own, choices } = (body as Output<"subscribers.updateAttention">).channels.find(
    (one) => one.channel === "email",
  )!;
  assert.deepEqual(own, { limit: 4, unit: "day" });
  assert.ok(
    choices.some(({ limit }) => limit === 4),
    "what was chosen is among the choices",
  );
  await choose({ sms: null });
  assert.deepEqual(await stored(), { email: { limit: 4, unit: "day" }, sms: null, push: null });
  await choose({});
  await Promise.all([choose({ email: { limit: 1, unit: "hour" } }), choose({ push: { limit: 9, unit: "week" } })]);
  assert.deepEqual(await stored(), { email: { limit: 1, unit: "hour" }, sms: null, push: { limit: 9, unit: "week" } });

  const { body: after } = await client("subscribers.retrieve", { params });
  assert.deepEqual(after, before, "a subscriber is shown as before");
  await client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada L." } });
  assert.deepEqual((await stored()).email, { limit: 1, unit: "hour" }, "a change of the profile keeps it");

  await client("attention.update", { body: { budgets: [budgets[2]!, budgets[3]!] } });
  const withoutEffect = (await shown()).filter(({ offered }) => !offered);
  assert.deepEqual(withoutEffect.map(({ channel, environment }) => [channel, environment.length]).sort(), [
    ["email", 0],
    ["push", 0],
  ]);
  assert.equal((await choose({ email: null, push: null })).status, 200, "a limit can always be removed");
  assert.deepEqual(await stored(), { sms: null });
});

test("what is not lower than the budget is refused with its words, and changes nothing", async () => {
  const { choose, stored } = await withBudgets();
  await choose({ email: { limit: 2, unit: "day" } });
  const before = await stored();
  const table: [channels: unknown, field: string, message?: string][] = [
    [
      { email: { limit: 5, unit: "day" } },
      "channels.email",
      "must be lower than 5 messages per day: the environment allows no more than 5 messages per day already",
    ],
    [
      { email: { limit: 20, unit: "week" } },
      "channels.email",
      "must be lower than 20 messages per week: the environment allows no more than 20 messages in 7 days already",
    ],
    [
      { email: { limit: 5, unit: "hour" } },
      "channels.email",
      "must be lower than 5 messages per hour: the environment allows no more than 5 messages per day already",
    ],
    [
      { sms: { limit: 5, unit: "day" } },
      "channels.sms",
      "must be lower than 5 messages per day: the environment allows no more than 3 transactional messages per day and " +
        "2 promotional messages per day already",
    ],
    [
      { chat: { limit: 1, unit: "day" } },
      "channels.chat",
      "cannot be set: the environment has no attention budget for chat",
    ],
    [{ email: { limit: 0, unit: "day" } }, "channels.email.limit", "must not be less than 1"],
    [{ email: { limit: 101, unit: "week" } }, "channels.email.limit", "must not be greater than 100"],
    [{ email: { limit: 1.5, unit: "day" } }, "channels.email.limit", "must be a whole number"],
    [{ email: { limit: "3", unit: "day" } }, "channels.email.limit", "must be a number"],
    [{ email: { limit: 3 } }, "channels.email.unit", "is required"],
    [{ email: { limit: 3, unit: "month" } }, "channels.email.unit", "must be one of: hour, day, week"],
    [{ email: { limit: 3, unit: "constructor" } }, "channels.email.unit"],
    [{ email: 3 }, "channels.email"],
    [{ email: false }, "channels.email"],
    [{ fax: { limit: 1, unit: "day" } }, "channels.fax"],
    [{ constructor: { limit: 1, unit: "day" } }, "channels.constructor"],
    [{ "<script>": null }, "channels.<script>"],
    [[], "channels"],
    ["email", "channels"],
    [undefined, "channels"],
    [{ sms: { limit: 1, unit: "day" }, chat: { limit: 1, unit: "day" } }, "channels.chat"],
  ];
  for (const [channels, field, message] of table) {
    const reply = await choose(channels);
    const { errors } = errorOf(reply, "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors ?? {}), [field], JSON.stringify([channels, errors]));
    if (message) assert.deepEqual(errors?.[field]?.messages, [`${field} ${message}`]);
  }
  assert.deepEqual(await stored(), before);
});

test("it belongs to the environment of the subscriber, and to the audit log and webhooks like preferences", async () => {
  const mine = await withBudgets();
  const other = await newStage(service);
  for (const id of ["subscribers.retrieveAttention", "subscribers.updateAttention"] as const) {
    const input = { params, ...(id === "subscribers.updateAttention" && { body: { channels: {} } }) };
    errorOf(await other.client.raw(id, input), "SUBSCRIBER_NOT_FOUND");
    errorOf(await mine.client.raw(id, { ...input, params: { subscriberId: "nobody" } }), "SUBSCRIBER_NOT_FOUND");
  }
  const receiver = await startReceiver();
  const eventTypes = ["preference.updated" as const];
  await mine.client("webhooks.create", { body: { url: `${receiver.url}/limits`, eventTypes } });
  await mine.choose({ email: { limit: 3, unit: "day" } });
  await mine.choose({ email: null });
  await mine.choose({ email: { limit: 99, unit: "day" } });
  await eventually(() => receiver.of("/limits").length === 2, "the webhooks");
  assert.deepEqual(
    receiver.of("/limits").map(({ event: { data } }) => [data.subscriberId, data.object]),
    [
      ["ada", { level: "attention", limits: { email: { limit: 3, unit: "day" } } }],
      ["ada", { level: "attention", limits: {} }],
    ],
  );
});

test("in the inbox a person reads and changes their own limits, with their own token only", async () => {
  const { client, environmentId, stored } = await withBudgets();
  await client("subscribers.create", { body: { subscriberId: "bob" } });
  const open = (subscriberId: string) =>
    openInbox(service, { applicationIdentifier: environmentId, subscriber: { subscriberId } });
  const inbox = await open("ada");
  const changed = await inbox.call("PATCH", "/attention", { channels: { email: { limit: 3, unit: "day" } } });
  assert.equal(changed.status, 200, changed.text);
  const listed = await inbox.call("GET", "/attention");
  assert.deepEqual(listed.body, changed.body);
  const { data } = listed.body as { data: ChannelAttention[] };
  assert.deepEqual(data.find(({ channel }) => channel === "email")?.own, { limit: 3, unit: "day" });
  assert.deepEqual((await stored()).email, { limit: 3, unit: "day" });
  const refused = await inbox.call("PATCH", "/attention", { channels: { email: { limit: 5, unit: "day" } } });
  assert.deepEqual(Object.keys(errorOf(refused, "VALIDATION_ERROR").errors ?? {}), ["channels.email"]);

  const bob = (await (await open("bob")).call("GET", "/attention")).body as { data: ChannelAttention[] };
  assert.ok(bob.data.every(({ own }) => own === null));
  const headers = { authorization: "Bearer nobody" };
  const stranger = await inbox.call("PATCH", "/attention", { channels: { email: null } }, headers);
  errorOf(stranger, "INBOX_TOKEN_INVALID");
  assert.deepEqual((await stored()).email, { limit: 3, unit: "day" });
});
