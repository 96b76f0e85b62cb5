import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";

const { client, production } = await shareService();
await connectInbox(client);

before(async () => {
  await client("workflows.delete", { params: { workflowId: "welcome" } });
  await createWorkflow(client, "alpha", [inApp()], { name: "Zebra", tags: ["red", "blue"] });
  await createWorkflow(client, "beta-shop", [inApp(), email()], { name: "Apple", tags: ["blue"], active: false });
  await createWorkflow(client, "gamma", [email({ subject: "S" })], { name: "Shop mail", tags: ["green"] });
  await createWorkflow(client, "delta", [inApp({})], { name: "Mango" });
  await createWorkflow(production, "elsewhere", [inApp()]);
});

type Query = Record<string, unknown>;
const list = async (query: Query) =>
  (await client.raw("workflows.list", { query })).body as {
    totalCount: number;
    workflows: { workflowId: string; status: string; stepTypeOverviews: string[]; steps: object[] }[];
  };
const found = async (query: Query) => (await list(query)).workflows.map(({ workflowId }) => workflowId);

const cases: [name: string, query: Query, expected: string[]][] = [
  ["newest first by default", {}, ["delta", "gamma", "beta-shop", "alpha"]],
  ["oldest first", { orderDirection: "ASC" }, ["alpha", "beta-shop", "gamma", "delta"]],
  ["by name", { orderBy: "name", orderDirection: "ASC" }, ["beta-shop", "delta", "gamma", "alpha"]],
  ["part of an identifier", { query: "SHOP" }, ["gamma", "beta-shop"]],
  ["part of a name", { query: "ebr" }, ["alpha"]],
  ["not across name and identifier", { query: "mango delta" }, []],
  ["a pattern is taken literally", { query: "%" }, []],
  ["one tag", { tags: "blue" }, ["beta-shop", "alpha"]],
  ["any of several tags", { tags: ["red", "green"] }, ["gamma", "alpha"]],
  ["a tag that no workflow has", { tags: "black" }, []],
  ["active ones", { status: "ACTIVE" }, ["alpha"]],
  ["inactive ones", { status: "INACTIVE" }, ["beta-shop"]],
  ["faulty ones", { status: "ERROR" }, ["delta", "gamma"]],
  ["any of several statuses", { status: ["ACTIVE", "INACTIVE"] }, ["beta-shop", "alpha"]],
  ["filters together", { tags: "blue", status: "ACTIVE" }, ["alpha"]],
];

for (const [name, query, expected] of cases) {
  test(`list: ${name}`, async () => {
    assert.deepEqual(await found(query), expected);
    assert.equal((await list(query)).totalCount, expected.length);
  });
}

test("offset and limit cut pages out of one order, and the total stays", async () => {
  const all = await found({});
  const pages = [];
  for (const offset of [0, 3, 6]) {
    const page = await list({ offset, limit: 3 });
    assert.equal(page.totalCount, 4);
    pages.push(...page.workflows.map(({ workflowId }) => workflowId));
  }
  assert.deepEqual(pages, all);
  assert.deepEqual(await found({ offset: 9_000_000_000_000_000 }), []);
});

test("an item shows its steps and their issues", async () => {
  const [item] = (await client("workflows.list", { query: { query: "gamma" } })).body.workflows;
  assert.deepEqual(item!.stepTypeOverviews, ["email"]);
  assert.deepEqual([item!.status, item!.origin, item!.lastTriggeredAt], ["ERROR", "svc-cloud", null]);
  assert.deepEqual(Object.keys(item!.steps[0]!.issues!.controls!), ["body"]);
  assert.match(item!.slug, /^shop-mail_wf_/);
});

test("the last trigger orders too, and those never triggered come last", async () => {
  await settled(client, await trigger(client, "gamma", { subscriberId: "ada", email: "ada@example.com" }));
  await settled(client, await trigger(client, "alpha", "ada"));
  const byTrigger = await found({ orderBy: "lastTriggeredAt" });
  assert.deepEqual(byTrigger.slice(0, 2), ["alpha", "gamma"]);
});

test("parameters outside their set are refused", async () => {
  const query = { limit: 101, offset: -1, orderBy: "id", status: ["ACTIVE", "on"] };
  assert.deepEqual(await faultsOf(client, "workflows.list", { query }), {
    limit: ["limit must not be greater than 100"],
    offset: ["offset must not be less than 0"],
    orderBy: ["orderBy must be one of: createdAt, updatedAt, name, lastTriggeredAt"],
    "status.1": ["status.1 must be one of: ACTIVE, INACTIVE, ERROR"],
  });
});
