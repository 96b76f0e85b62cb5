// The rules of a topic subscription: how they are saved, and how they read as preferences per workflow.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SubscriptionPreference } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const { client, production, db } = service;

await client("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada" } });
const shipped = await createWorkflow(client, "shipped", [inApp()], {
  name: "Shipped",
  tags: ["orders"],
  severity: "high",
});
const billed = await createWorkflow(client, "billed", [inApp()], {
  tags: ["orders", "money"],
  preferences: { workflow: { all: { enabled: false, readOnly: true }, channels: {} } },
});

const path = (identifier = "mine", topicKey = "orders") => ({ topicKey, identifier });
const subscribe = async (preferences?: unknown[], identifier = "mine") => {
  const body = { subscriptions: [{ subscriberId: "ada", identifier }], preferences } as never;
  const answer = await client("topicSubscriptions.create", { params: { topicKey: "orders" }, body });
  return answer.body.data[0]!;
};
const update = async (body: object, identifier = "mine") =>
  (await client("topicSubscriptions.update", { params: path(identifier), body: body as never })).body;
const retrieve = async (identifier = "mine") =>
  (await client("topicSubscriptions.retrieve", { params: path(identifier) })).body;

const brief = (preferences: SubscriptionPreference[] | undefined) =>
  preferences?.map(({ workflow, enabled }) => [workflow?.identifier, enabled]);

const mine = await subscribe();

describe("update and retrieve", () => {
  test("retrieve has its own shape; without rules there are no preferences", async () => {
    const body = await retrieve();
    assert.deepEqual(body, { id: mine._id, identifier: "mine", contextKeys: [] });
    assert.deepEqual(await retrieve(mine._id), body);
  });

  test("{} changes nothing; a name is set and kept; the internal id works", async () => {
    assert.deepEqual(await update({}), mine);
    const named = await update({ name: "Mine", unknown: 1 });
    assert.deepEqual({ ...named, updatedAt: "" }, { ...mine, name: "Mine", updatedAt: "" });
    assert.ok(named.updatedAt >= mine.updatedAt);
    const both = await update({ preferences: ["shipped"] }, mine._id);
    assert.equal(both.name, "Mine");
    assert.equal((await retrieve()).name, "Mine");
  });

  test("an internal id is tried before an identifier of the same text", async () => {
    await subscribe(undefined, mine._id);
    assert.equal((await retrieve(mine._id)).identifier, "mine");
  });
});

describe("preferences", () => {
  test("a list replaces all rules, an empty one clears them, none leaves them", async () => {
    assert.deepEqual(brief((await update({ preferences: ["shipped", "billed"] })).preferences), [
      ["shipped", true],
      ["billed", false],
    ]);
    assert.deepEqual(brief((await update({ name: "Still" })).preferences)?.length, 2);
    assert.deepEqual(brief((await update({ preferences: ["billed"] })).preferences), [["billed", false]]);
    assert.equal(Object.hasOwn(await update({ preferences: [] }), "preferences"), false);
  });

  test("an entry names its workflow in full", async () => {
    const condition = { "==": [{ var: "payload.city" }, "Köln"] };
    const { preferences } = await update({ preferences: [{ workflowId: "shipped", condition, enabled: false }] });
    assert.deepEqual(preferences, [
      {
        subscriptionId: mine._id,
        workflow: {
          id: shipped._id,
          identifier: "shipped",
          name: "Shipped",
          critical: false,
          tags: ["orders"],
          severity: "high",
        },
        enabled: false,
        condition,
      },
    ]);
    assert.deepEqual((await retrieve()).preferences, preferences);
    const critical = (await update({ preferences: [{ workflowId: billed._id }] })).preferences![0]!;
    assert.equal(critical.workflow!.critical, true);
    assert.equal(Object.hasOwn(critical, "condition"), false);
  });

  test("groups match by name or tag, the first match decides, unmatched rules stand without workflow", async () => {
    const { preferences } = await update({
      preferences: [
        { filter: { tags: ["money"] }, enabled: true },
        { filter: { workflowIds: ["shipped"], tags: ["later"] }, enabled: false, workflowId: "ignored" },
        { filter: { tags: ["orders"] }, enabled: true },
        "not-there-yet",
        { filter: {} },
      ],
    });
    assert.deepEqual(brief(preferences), [
      ["billed", true],
      ["shipped", false],
      [undefined, true],
      // Every new environment has this one; the empty filter matches it.
      ["welcome", true],
    ]);
  });

  test("rules are matched when read: a workflow made or tagged later counts, a deleted one does not", async () => {
    await update({ preferences: [{ filter: { tags: ["fresh"] }, enabled: false }, "not-there-yet"] });
    assert.deepEqual(brief((await retrieve()).preferences), [
      [undefined, false],
      [undefined, true],
    ]);
    await createWorkflow(client, "not-there-yet", [inApp()]);
    await client("workflows.patch", { params: { workflowId: "shipped" }, body: { tags: ["orders", "fresh"] } });
    assert.deepEqual(brief((await retrieve()).preferences), [
      ["shipped", false],
      ["not-there-yet", true],
    ]);
    await client("workflows.delete", { params: { workflowId: "not-there-yet" } });
    assert.deepEqual(brief((await retrieve()).preferences), [
      ["shipped", false],
      [undefined, true],
    ]);
  });

  test("rules given on create apply to every new subscription; an empty condition is none", async () => {
    const made = await subscribe([{ workflowId: "shipped", condition: {}, enabled: false }], "with-rules");
    assert.deepEqual(brief(made.preferences), [["shipped", false]]);
    assert.equal(Object.hasOwn(made.preferences![0]!, "condition"), false);
    const stored = await db.selectFrom("topic_subscriptions").where("id", "=", made._id).select("rules").execute();
    assert.deepEqual(stored[0]!.rules, [{ workflowId: "shipped", enabled: false }]);
  });
});

describe("refusals", () => {
  const faulty: [unknown, Record<string, string[]>][] = [
    [
      { name: "", preferences: "shipped" },
      { name: ["name must not be empty"], preferences: ["preferences must be an array"] },
    ],
    [{ name: null }, { name: ["name must be a string"] }],
    [{ name: "n".repeat(129) }, { name: ["name must not be longer than 128 characters"] }],
    [
      { preferences: Array.from({ length: 101 }, () => "shipped") },
      { preferences: ["preferences must contain no more than 100 elements"] },
    ],
    [
      { preferences: [5, "", {}, { workflowId: 7 }, { filter: { tags: "x" }, enabled: "yes" }] },
      {
        "preferences.0": ["preferences.0 must be a string or an object"],
        "preferences.1": ["preferences.1 must not be empty"],
        "preferences.2.workflowId": ["preferences.2.workflowId is required"],
        "preferences.2.filter": ["preferences.2.filter is required"],
        "preferences.3.workflowId": ["preferences.3.workflowId must be a string"],
        "preferences.4.filter.tags": ["preferences.4.filter.tags must be an array"],
        "preferences.4.enabled": ["preferences.4.enabled must be a boolean"],
      },
    ],
    [
      {
        preferences: [
          { workflowId: "a", condition: "x" },
          { workflowId: "b", condition: { nope: [1] } },
          { filter: {}, condition: { and: [{ "==": [1, 1] }, { eval: ["x"] }] } },
          { filter: {}, condition: { and: [], or: [] } },
        ],
      },
      {
        "preferences.0.condition": ["preferences.0.condition must be an object"],
        "preferences.1.condition": ["preferences.1.condition uses an unknown operator: nope"],
        "preferences.2.condition": ["preferences.2.condition uses an unknown operator: eval"],
        "preferences.3.condition": ["preferences.3.condition must have one operator per object, not and, or"],
      },
    ],
  ];

  test("bad rules are refused on update and on create, all faults at once, and nothing is written", async () => {
    const before = await update({ preferences: ["shipped"] });
    for (const [body, errors] of faulty) {
      const expected = { code: "VALIDATION_ERROR", errors } as const;
      await assertRefused(client, "topicSubscriptions.update", { params: path(), body }, expected);
    }
    const [body, errors] = faulty.at(-1)!;
    const create = { params: { topicKey: "unmade" }, body: { ...(body as object), subscriptions: [1] } };
    const entry = { "subscriptions.0": ["subscriptions.0 must be a string or an object"] };
    const expected = { code: "VALIDATION_ERROR", errors: { ...errors, ...entry } } as const;
    await assertRefused(client, "topicSubscriptions.create", create, expected);
    await assertRefused(client, "topics.retrieve", { params: { topicKey: "unmade" } }, { code: "TOPIC_NOT_FOUND" });
    assert.deepEqual((await retrieve()).preferences, before.preferences);
  });

  test("rules larger than 64 KB are refused", async () => {
    const preferences = Array.from({ length: 70 }, () => ({ workflowId: "w".repeat(1000) }));
    const errors = { preferences: ["preferences must not be larger than 65536 bytes of JSON"] };
    const input = { params: path(), body: { preferences } };
    await assertRefused(client, "topicSubscriptions.update", input, { code: "VALIDATION_ERROR", errors });
  });

  test("404 for an unknown topic, an unknown subscription, and another environment's", async () => {
    const body = { name: "x" };
    for (const id of ["topicSubscriptions.update", "topicSubscriptions.retrieve"] as const) {
      const input = (identifier: string, topicKey?: string) => ({ params: path(identifier, topicKey), body });
      const send =
        id === "topicSubscriptions.update"
          ? input
          : (...args: Parameters<typeof input>) => ({ params: input(...args).params });
      const noTopic = { code: "TOPIC_NOT_FOUND", message: "Topic with key nowhere not found" } as const;
      await assertRefused(client, id, send("mine", "nowhere"), noTopic);
      await assertRefused(production, id, send("mine"), { code: "TOPIC_NOT_FOUND" });
      const message = "Subscription with identifier nope not found in topic orders";
      const missing = await assertRefused(client, id, send("nope"), { code: "SUBSCRIPTION_NOT_FOUND", message });
      assert.deepEqual(missing.ctx, { identifier: "nope", topicKey: "orders" });
    }
    const elsewhere = await client("topicSubscriptions.create", {
      params: { topicKey: "other" },
      body: { subscriptions: ["ada"] },
    });
    const params = path(elsewhere.body.data[0]!._id);
    await assertRefused(client, "topicSubscriptions.retrieve", { params }, { code: "SUBSCRIPTION_NOT_FOUND" });
  });
});
