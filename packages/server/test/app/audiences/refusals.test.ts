// Rules that are refused when they are saved or previewed, each with what is wrong and what to write instead; nothing
// has changed then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";

const { client } = await shareService();
const isPro = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
const memberOf = (audienceId: string) => ({ in: [audienceId, { var: "audiences" }] });
await client("subscribers.createBulk", {
  body: {
    subscribers: ["ada", "bob"].map((subscriberId, n) => ({ subscriberId, data: { plan: n ? "free" : "pro" } })),
  },
});

const create = (audienceId: string, rule: object, more: object = {}) =>
  client("audiences.create", { body: { audienceId, name: audienceId, rule: rule as never, ...more } });

/** The messages about the rule, which saving and previewing have in common. */
async function faultsOf(rule: unknown): Promise<string> {
  const saved = await client.raw("audiences.create", { body: { audienceId: "refused", name: "Refused", rule } });
  const previewed = await client.raw("audiences.preview", { body: { rule } });
  const [first, second] = [saved, previewed].map(({ status, body }) => {
    assert.equal(status, 422, JSON.stringify(body));
    const { errors } = body as { errors: Record<string, { messages: string[] }> };
    assert.deepEqual(Object.keys(errors), ["rule"]);
    return errors.rule!.messages.join("; ");
  });
  assert.equal(first, second);
  await assert.rejects(client("audiences.retrieve", { params: { audienceId: "refused" } }), { status: 404 });
  return first!;
}

const wrong: [string, unknown, RegExp][] = [
  [
    "a field that belongs into data",
    { "==": [{ var: "subscriber.plan" }, 1] },
    /unknown field subscriber\.plan; did you mean subscriber\.data\.plan\?/,
  ],
  [
    "a misspelled field",
    { "==": [{ var: "subscriber.locle" }, "de"] },
    /subscriber\.locle; did you mean subscriber\.locale\?/,
  ],
  ["a field without its root", { "==": [{ var: "email" }, "a"] }, /did you mean subscriber\.email\?/],
  ["an unknown activity", { ">": [{ var: "activity.daysSinceOnlin" }, 1] }, /did you mean activity\.daysSinceOnline\?/],
  [
    "an unknown channel",
    { "==": [{ var: "preferences.global.emial" }, true] },
    /did you mean preferences\.global\.email\?/,
  ],
  [
    "an unknown workflow",
    { "==": [{ var: "preferences.workflows.newz.email" }, true] },
    /preference for the unknown workflow newz/,
  ],
  ["the payload of an event", { "==": [{ var: "payload.plan" }, "pro"] }, /has no payload; use subscriber\.data/],
  [
    "an operator that SQL cannot repeat",
    { ">": [{ "+": [1, { var: "subscriber.data.n" }] }, 1] },
    /uses the operator \+, which audiences do not have; use ==/,
  ],
  ["an unknown operator", { equals: [1, 1] }, /equals/],
  ["too few arguments", { "==": [{ var: "subscriber.email" }] }, /gives == 1 arguments: it needs 2/],
  ["no operator", {}, /must have an operator/],
  [
    "too many parts",
    { or: Array.from({ length: 70 }, (_, n) => ({ "==": [{ var: "subscriber.data.n" }, n] })) },
    /must not have more than 200 parts, but has \d+/,
  ],
  [
    "a list that is too long",
    { in: [{ var: "subscriber.email" }, Array.from({ length: 1_001 }, (_, n) => `p${n}`)] },
    /list of 1001 items, the limit is 1000/,
  ],
  ["audiences as a list", { "==": [{ var: "audiences" }, 1] }, /reads audiences as a list: write \{"in"/],
  ["an audience that does not exist", memberOf("nobody"), /reads the unknown audience nobody/],
  [
    "what is larger than 64 KB",
    { "==": [{ var: "subscriber.email" }, "x".repeat(70_000)] },
    /must not be larger than 64 KB/,
  ],
];

for (const [what, rule, message] of wrong) {
  test(`refused: ${what}`, async () => assert.match(await faultsOf(rule), message));
}

test("all that is wrong is said at once", async () => {
  const faults = await faultsOf({ and: [{ "==": [{ var: "subscriber.plan" }, 1] }, { cat: ["a", "b"] }] });
  assert.match(faults, /unknown field subscriber\.plan.*uses the operator cat/);
});

test("an unknown audience is compared with those that exist", async () => {
  await create("pro-germany", isPro);
  assert.match(await faultsOf(memberOf("pro-germny")), /unknown audience pro-germny; did you mean pro-germany\?/);
});

test("audiences read each other up to five levels, and never in a circle", async () => {
  await create("level-0", isPro);
  for (let level = 1; level <= 5; level++) await create(`level-${level}`, memberOf(`level-${level - 1}`));
  assert.match(await faultsOf(memberOf("level-5")), /reads audiences too deep: it would read 6 levels, the limit is 5/);
  const update = (audienceId: string, rule: object) =>
    client.raw("audiences.update", { params: { audienceId }, body: { rule } });
  const messageOf = async (answer: ReturnType<typeof update>) => {
    const { status, body } = await answer;
    assert.equal(status, 422);
    return JSON.stringify(body);
  };
  assert.match(
    await messageOf(update("level-0", memberOf("level-2"))),
    /rule reads itself: level-0 → level-2 → level-1 → level-0/,
  );
  assert.match(await messageOf(update("level-0", memberOf("level-0"))), /reads itself: level-0 → level-0/);
  // A change below is refused for what it would do to those above.
  await create("below", isPro);
  assert.match(
    await messageOf(update("level-0", memberOf("below"))),
    /too deep: the audience level-5, which reads it, would read 6 levels/,
  );
  assert.deepEqual((await client("audiences.retrieve", { params: { audienceId: "level-0" } })).body.rule, isPro);
});

test("two changes at the same time do not make a circle", async () => {
  await create("left", isPro);
  await create("right", isPro);
  const update = (audienceId: string, other: string) =>
    client("audiences.update", { params: { audienceId }, body: { rule: memberOf(other) } });
  const both = await Promise.allSettled([update("left", "right"), update("right", "left")]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a rule that matches everyone is asked back; one that matches nobody is a warning", async () => {
  const everyone = { notNull: { var: "subscriber.subscriberId" } };
  const refused = {
    status: 409,
    code: "AUDIENCE_MATCHES_EVERYONE",
    message: /matches all 2 subscribers\. Send allowEveryone: true/,
  };
  await assert.rejects(create("all", everyone), refused);
  await create("all", everyone, { allowEveryone: true });
  await assert.rejects(
    client("audiences.update", { params: { audienceId: "all" }, body: { rule: everyone } }),
    refused,
  );
  await client("audiences.update", { params: { audienceId: "all" }, body: { name: "A name asks nothing back" } });
  const preview = async (rule: object) => (await client("audiences.preview", { body: { rule: rule as never } })).body;
  assert.deepEqual((await preview(everyone)).warnings, ["The rule matches every subscriber."]);
  const nobody = { "==": [{ var: "subscriber.data.plan" }, "gold"] };
  assert.deepEqual((await preview(nobody)).warnings, ["The rule matches no subscriber."]);
  assert.equal((await create("nobody-yet", nobody)).status, 201);
  const topic = (await preview({ in: ["later", { var: "topics" }] })).warnings;
  assert.deepEqual(topic, ["The rule matches no subscriber.", "The topic later does not exist."]);
});

test("odd ids and names are refused by field", async () => {
  const fieldsOf = async (body: object) => {
    const answer = await client.raw("audiences.create", { body });
    assert.equal(answer.status, 422);
    return Object.keys((answer.body as { errors: object }).errors);
  };
  assert.deepEqual(await fieldsOf({ audienceId: "has spaces", name: "x" }), ["audienceId"]);
  assert.deepEqual(await fieldsOf({ audienceId: "ok", name: "" }), ["name"]);
  assert.deepEqual(await fieldsOf({ audienceId: "ok", name: "x", rule: "everyone" }), ["rule"]);
});
