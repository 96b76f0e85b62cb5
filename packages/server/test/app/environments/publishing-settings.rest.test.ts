// Categories and the brand move with the rest: compared, selected, published, deleted by name, undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, production, db } = await startTestService();
await client("workflows.delete", { params: { workflowId: "welcome" } });

const params = { targetEnvironmentId: "production" };
const diff = async () => (await production("environments.diff", { params, body: {} })).body.resources;
const publish = async (body: object = {}) => (await production("environments.publish", { params, body })).body;
const named = (...keys: string[]) => ({
  resources: keys.map((key) => {
    const [resourceType, resourceId] = key.split(" ");
    return { resourceType, resourceId };
  }),
});
const categories = async () =>
  (await production("categories.list")).body.categories.map((one) => [one.categoryId, one.name, one.required]);
const brandName = async () => (await production("brand.retrieve")).body.own.name;
const create = (categoryId: string, more: object = {}, of = client) =>
  of("categories.create", { body: { categoryId, name: categoryId.toUpperCase(), ...more } });

test("they are listed, chosen like other resources, and a category comes along with its workflow", async () => {
  await client("brand.update", { body: { name: "Acme", colors: { primary: "#0b5fff" } } });
  await create("news", { channels: { sms: false } });
  await create("offers");
  await createWorkflow(client, "letter", [inApp({ body: "Hi" })], { categoryId: "news" });

  const listed = (await diff()).map((one) => [one.resourceType, one.sourceResource?.id, one.sentences?.[0]]);
  assert.deepEqual(listed, [
    ["brand", "brand", "The brand is set: messages, pages and inboxes show it"],
    ["category", "news", "The category is added as the last one"],
    ["category", "offers", "The category is added as the last one"],
    ["workflow", "letter", "The workflow is added: In-app"],
  ]);
  const dry = await publish({ ...named("workflow letter"), dryRun: true });
  assert.deepEqual(
    dry.results.flatMap(({ skipped }) => skipped.map((one) => [one.resourceType, one.resourceId, one.reason])),
    [
      ["workflow", "letter", "Dry run: would be created"],
      ["category", "news", "Dry run: would be created"],
    ],
  );
  assert.deepEqual(await categories(), []);
  assert.equal((await publish(named("workflow letter"))).summary.successful, 2);
  assert.deepEqual(await categories(), [["news", "NEWS", false]]);
  assert.equal(await brandName(), undefined);
  const { results } = await publish(named("brand brand", "category offers", "category none"));
  assert.deepEqual(
    results.map(({ resourceType, successful, failed }) => [resourceType, successful.length, failed[0]?.error]),
    [
      ["workflow", 0, undefined],
      ["layout", 0, undefined],
      ["category", 1, "No category has this identifier"],
      ["brand", 1, undefined],
    ],
  );
  assert.equal(await brandName(), "Acme");
  assert.deepEqual(await diff(), []);
});

test("what differs is said, published and undone; choices of subscribers stay", async () => {
  await production("subscribers.create", { body: { subscriberId: "ada" } });
  const choice = { categoryId: "news", channels: { in_app: false } };
  await production("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: choice });
  await client("categories.update", { params: { categoryId: "news" }, body: { required: true, name: "Newsletter" } });
  await client("brand.update", { body: { name: "Globex", cornerRadius: 2 } });
  assert.deepEqual(
    (await diff()).map(({ sentences }) => sentences),
    [
      ["Messages, pages and inboxes look different: the name, colours, corners"],
      ["The name becomes “Newsletter”, was “NEWS”", "Subscribers can no longer switch it off"],
    ],
  );
  const { publishId, summary } = await publish();
  assert.equal(summary.successful, 2);
  assert.deepEqual(await categories(), [
    ["news", "Newsletter", true],
    ["offers", "OFFERS", false],
  ]);
  const history = { environmentId: "production", publishId: publishId! };
  const { resources } = (await production("environments.retrievePublish", { params: history })).body;
  assert.deepEqual(
    resources.map((one) => [one.resourceType, one.action, one.sentences.length]),
    [
      ["brand", "updated", 1],
      ["category", "updated", 2],
    ],
  );
  await production("brand.update", { body: { name: "Changed since" } });
  const plan = (await production("environments.planRestore", { params: history })).body;
  assert.deepEqual(
    plan.resources.map((one) => [one.resourceType, one.action, one.changedSince !== null]),
    [
      ["brand", "restored", true],
      ["category", "restored", false],
    ],
  );
  await production("environments.restorePublish", { params: history, body: { overwriteChanges: true } });
  assert.equal(await brandName(), "Acme");
  assert.deepEqual((await categories())[0], ["news", "NEWS", false]);
  const preferences = await production("subscribers.retrievePreferences", {
    params: { subscriberId: "ada" },
    query: {},
  });
  assert.equal(preferences.body.categories?.[0]?.channels.in_app, false);
});

test("a category that only the target has says whose choices it takes along, and stays while it is used", async () => {
  await create("only", {}, production);
  const choice = { categoryId: "only", channels: { email: false } };
  await createWorkflow(production, "user", [inApp({ body: "Hi" })], { categoryId: "only" });
  await production("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: choice });
  const found = (await diff()).find(({ targetResource }) => targetResource?.id === "only");
  assert.deepEqual(found?.sentences, [
    "The category is deleted, and with it the choices that 1 subscriber made for it",
  ]);
  const kept = (await publish()).results.find(({ resourceType }) => resourceType === "category");
  assert.match(kept!.skipped.find(({ resourceId }) => resourceId === "only")!.reason, /Exists only in the target/);
  const used = (await publish(named("category only"))).results.find(({ resourceType }) => resourceType === "category");
  assert.equal(used!.failed[0]!.error, "Workflows are in it: user");
  await sql`update workflows set bridge_url = 'https://bridge.example' where workflow_id = 'user'`.execute(db);
  assert.equal((await publish(named("category only"))).summary.failed, 1, "a workflow of a bridge counts too");
  const { fingerprint, resources } = (await production("files.export")).body;
  const files = { resources: { categories: resources.categories!.filter(({ categoryId }) => categoryId !== "only") } };
  const plan = (await production("files.plan", { body: { ...files, prune: true } })).body;
  assert.deepEqual(
    [plan.fingerprint, plan.kept],
    [fingerprint, [{ type: "category", id: "only", reason: "workflow user is in it" }]],
  );
  await sql`update workflows set bridge_url = null where workflow_id = 'user'`.execute(db);
  assert.equal((await publish(named("category only", "workflow user"))).summary.successful, 2);
  assert.ok(!(await categories()).some(([id]) => id === "only"));
});

test("a target with 100 categories refuses one more, and the workflow is published without it", async () => {
  const free = 100 - (await categories()).length;
  for (let index = 0; index < free; index++) await create(`filler-${index}`, {}, production);
  await create("surplus");
  await createWorkflow(client, "late", [inApp({ body: "Hi" })], { categoryId: "surplus" });
  const { results, summary } = await publish(named("workflow late"));
  assert.deepEqual([summary.successful, summary.failed], [1, 1]);
  const category = results.find(({ resourceType }) => resourceType === "category");
  assert.match(category!.failed[0]!.error, /can have 100 categories/);
});
