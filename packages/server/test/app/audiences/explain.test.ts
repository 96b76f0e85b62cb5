// Why is Ada in the audience, and why is Bob not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = await newStage(service, "2026-11-18T10:00:00.000Z");
const isPro = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
const isGerman = { beginsWith: [{ var: "subscriber.locale" }, "de"] };
const memberOf = (key: string, list = "audiences") => ({ in: [key, { var: list }] });
await client("subscribers.createBulk", {
  body: {
    subscribers: [
      { subscriberId: "ada", firstName: "Ada", lastName: "Lovelace", locale: "de_DE", data: { plan: "pro" } },
      { subscriberId: "bob", firstName: "Bob", locale: "de_AT", data: { plan: "free" } },
      { subscriberId: "cleo" },
    ],
  },
});

async function save(audienceId: string, rule?: object) {
  await client("audiences.create", {
    body: { audienceId, name: audienceId, allowEveryone: true, ...(rule && { rule: rule as never }) },
  });
}
const explain = async (audienceId: string, subscriberId: string) =>
  (await client("audiences.explain", { params: { audienceId, subscriberId } })).body;

test("the parts that decide, each with the value that was found", async () => {
  await save("pro-germany", { and: [isPro, isGerman] });
  assert.deepEqual(await explain("pro-germany", "ada"), {
    subscriberId: "ada",
    isMember: true,
    sentence:
      'Ada Lovelace is in the audience, because subscriber.data.plan is "pro" and subscriber.locale begins with "de".',
    reasons: [
      { text: 'subscriber.data.plan is "pro"', holds: true, value: "pro" },
      { text: 'subscriber.locale begins with "de"', holds: true, value: "de_DE" },
    ],
  });
  assert.deepEqual(await explain("pro-germany", "bob"), {
    subscriberId: "bob",
    isMember: false,
    sentence: 'Bob is not in the audience, because subscriber.data.plan is not "pro" (found: "free").',
    reasons: [{ text: 'subscriber.data.plan is not "pro"', holds: false, value: "free" }],
  });
  const cleo = await explain("pro-germany", "cleo");
  assert.match(cleo.sentence, /^cleo is not in the audience, because /);
  assert.deepEqual(
    cleo.reasons.map(({ text, holds, value }) => [text, holds, value]),
    [['subscriber.data.plan is not "pro"', false, null]],
    "the first part that fails decides",
  );
});

test("topics, preferences, activity and other audiences are explained too", async () => {
  await client("topicSubscriptions.create", { params: { topicKey: "beta" }, body: { subscriptions: ["ada"] } });
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "bob" },
    body: { workflowId: "news", channels: { in_app: false } },
  });
  await save("beta", memberOf("beta", "topics"));
  assert.equal((await explain("beta", "ada")).isMember, true);
  assert.equal((await explain("beta", "bob")).isMember, false);
  await save("silent", { "==": [{ var: "preferences.workflows.news.in_app" }, false] });
  assert.equal((await explain("silent", "bob")).isMember, true);
  assert.equal((await explain("silent", "ada")).isMember, false);
  await save("never-online", { null: { var: "activity.daysSinceOnline" } });
  assert.equal((await explain("never-online", "ada")).isMember, true);
  await save("nested", { and: [memberOf("pro-germany"), { "!": memberOf("silent") }] });
  const bob = await explain("nested", "bob");
  assert.equal(bob.isMember, false);
  assert.ok(
    bob.reasons.some(({ text }) => text === 'pro-germany: subscriber.data.plan is not "pro"'),
    JSON.stringify(bob.reasons),
  );
});

test("a rule counts days on the clock of the environment", async () => {
  const stage = await newStage(service, "2026-11-01T10:00:00.000Z");
  await stage.client("subscribers.create", { body: { subscriberId: "dan" } });
  const params = { subscriberId: "dan" };
  await stage.client("subscribers.updateOnlineStatus", { params, body: { isOnline: true } });
  await stage.client("subscribers.updateOnlineStatus", { params, body: { isOnline: false } });
  const rule = { ">": [{ var: "activity.daysSinceOnline" }, 14] };
  await stage.client("audiences.create", { body: { audienceId: "away", name: "Away", rule } });
  const isIn = async () => {
    const path = { audienceId: "away" };
    const { isMember } = (await stage.client("audiences.explain", { params: { ...path, ...params } })).body;
    assert.equal((await stage.client("audiences.count", { params: path })).body.people, Number(isMember));
    return isMember;
  };
  assert.equal(await isIn(), false);
  await stage.advance(15, "days");
  assert.equal(await isIn(), true);
});

test("a fixed audience says whether the person is on the list; unknown people and audiences are 404", async () => {
  await save("guests");
  await client("audiences.addMembers", { params: { audienceId: "guests" }, body: { subscriberIds: ["ada"] } });
  assert.equal((await explain("guests", "ada")).sentence, "Ada Lovelace is on the list.");
  assert.equal((await explain("guests", "bob")).sentence, "Bob is not on the list.");
  await assert.rejects(explain("guests", "zoe"), { status: 404, code: "SUBSCRIBER_NOT_FOUND" });
  await assert.rejects(explain("nobody", "ada"), { status: 404, code: "AUDIENCE_NOT_FOUND" });
});
