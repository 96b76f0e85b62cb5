// Categories: what members write, what subscribers choose, and how both decide about messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, inApp, settled, trigger } from "@tidings/testkit/verbs";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "https://notify.example.com" });
const { client, production } = service;
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com", firstName: "Ada" } });
const params = { subscriberId: "ada" };

const create = (body: object) => client.raw("categories.create", { body });
const names = async () => (await client("categories.list", {})).body.categories.map(({ categoryId }) => categoryId);
const choose = (body: object) => client.raw("subscribers.updatePreferences", { params, body });
const preferences = async (criticality: "all" | "nonCritical" = "all") =>
  (await client("subscribers.retrievePreferences", { params, query: { criticality } })).body;

async function mailsOf(workflowId: string) {
  const transactionId = await trigger(client, workflowId, "ada");
  const [notification] = await settled(client, transactionId);
  const { data } = (await client("captured.list", { query: { transactionId } })).body;
  return {
    transactionId,
    details: detailsOf(notification!, "email"),
    mail: data.find(({ channel }) => channel === "email"),
  };
}

test("members create, change, order and delete them", async () => {
  assert.equal((await preferences()).categories, undefined, "an environment without categories shows none");
  const { status, body } = await create({
    categoryId: "product",
    name: " Product updates ",
    description: "What is new",
  });
  assert.equal(status, 201);
  const { _id, createdAt, updatedAt, ...rest } = body as Record<string, unknown>;
  assert.deepEqual(rest, {
    categoryId: "product",
    name: "Product updates",
    description: "What is new",
    required: false,
    channels: {},
    workflows: [],
  });
  await create({ categoryId: "security", name: "Security", required: true });
  await create({ categoryId: "tips", name: "Tips", channels: { email: false } });
  assert.deepEqual(await names(), ["product", "security", "tips"]);
  await client("categories.updateOrder", { body: { categoryIds: ["tips", "product", "security"] } });
  assert.deepEqual(await names(), ["tips", "product", "security"]);
  const patch = { params: { categoryId: "tips" }, body: { description: "Now and then" } };
  assert.equal((await client("categories.update", patch)).body.channels.email, false);
  await create({ categoryId: "gone", name: "Gone" });
  await client("categories.delete", { params: { categoryId: "gone" } });
  assert.deepEqual(await names(), ["tips", "product", "security"]);
  assert.deepEqual((await production("categories.list", {})).body.categories, []);
});

test("what is wrong is refused with its field, and changes nothing", async () => {
  const refused: [object, number, RegExp][] = [
    [{}, 422, /categoryId/],
    [{ categoryId: "a b", name: "X" }, 422, /categoryId/],
    [{ categoryId: "x", name: "  " }, 422, /name/],
    [{ categoryId: "x", name: "X", description: "d".repeat(501) }, 422, /description/],
    [{ categoryId: "x", name: "X", required: "yes" }, 422, /required/],
    [{ categoryId: "x", name: "X", channels: { pigeon: true } }, 422, /pigeon|channels/],
    [{ categoryId: "product", name: "X" }, 409, /CATEGORY_ID_TAKEN/],
  ];
  for (const [body, status, words] of refused) {
    const answer = await create(body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match(JSON.stringify(answer.body), words);
  }
  for (const categoryIds of [["tips"], ["tips", "tips", "product"], ["tips", "product", "ghost"]]) {
    const answer = await client.raw("categories.updateOrder", { body: { categoryIds } });
    assert.equal(answer.status, 422);
    assert.match(JSON.stringify(answer.body), /tips, product, security/);
  }
  const ghost = { params: { categoryId: "ghost" } };
  assert.equal((await client.raw("categories.retrieve", ghost)).status, 404);
  assert.equal((await client.raw("categories.update", { ...ghost, body: { name: "X" } })).status, 404);
  assert.equal((await client.raw("categories.delete", ghost)).status, 404);
  assert.equal((await production.raw("categories.retrieve", { params: { categoryId: "tips" } })).status, 404);
  const body = { name: "W", workflowId: "w", steps: [], categoryId: "ghost" };
  const workflow = await client.raw("workflows.create", { body });
  assert.equal(workflow.status, 422);
  assert.match(JSON.stringify(workflow.body), /categoryId must be the identifier of an existing category/);
  assert.deepEqual(await names(), ["tips", "product", "security"]);
});

test("the strongest level decides, and explain names the category", async () => {
  const categoryId = "product";
  await createWorkflow(client, "release", [inApp(), email()], { name: "Release", categoryId });
  await createWorkflow(client, "beta", [email()], { name: "Beta", categoryId });
  await createWorkflow(client, "trick", [email()], { name: "Trick", categoryId: "tips" });
  assert.ok((await mailsOf("release")).mail);

  const byDefault = await mailsOf("trick");
  assert.equal(byDefault.mail, undefined);
  assert.equal(byDefault.details.at(-1), "Step filtered by the defaults of the category");
  await choose({ categoryId: "tips", channels: { email: true } });
  assert.ok((await mailsOf("trick")).mail, "the choice of the person comes before the default");

  await choose({ categoryId, channels: { email: false } });
  const { transactionId, mail } = await mailsOf("release");
  assert.equal(mail, undefined);
  const explained = (await client("explain.retrieve", { query: { transactionId, ...params } })).body;
  const step = explained.steps.find(({ type }) => type === "email")!;
  assert.match(
    step.reason,
    /the category Product updates is off for email: the subscriber's choice since \d{4}-\d\d-\d\dT/,
  );
  assert.deepEqual(step.decidedBy, { kind: "preference", id: "ada", name: "Product updates" });
  const dry = (await client("explain.dryRun", { body: { name: "release", to: "ada" } })).body;
  assert.match(JSON.stringify(dry), /the category Product updates is off for email/);

  await choose({ workflowId: "beta", channels: { email: true } });
  assert.ok((await mailsOf("beta")).mail, "the choice for the workflow comes before that for its category");
  await choose({ channels: { email: true } });
  assert.equal((await mailsOf("release")).mail, undefined, "a global choice is weaker");

  const shown = await preferences();
  assert.deepEqual(
    shown.categories!.map(({ categoryId: id, channels, required }) => ({ id, channels, required })),
    [
      { id: "tips", channels: { email: true }, required: false },
      { id: "product", channels: { in_app: true, email: false }, required: false },
    ],
  );
  const release = shown.workflows.find(({ workflow }) => workflow.identifier === "release")!;
  assert.deepEqual([release.categoryId, release.channels], ["product", { in_app: true, email: false }]);
});

test("a required category cannot be switched off, and its mails have no link to do so", async () => {
  const body = email({ subject: "S", body: "<p>Link: {{ unsubscribeUrl }}</p>" });
  await createWorkflow(client, "sign-in", [body], { name: "New sign-in", categoryId: "security" });
  assert.equal((await choose({ categoryId: "security", channels: { email: false } })).status, 400);
  assert.equal((await choose({ workflowId: "sign-in", channels: { email: false } })).status, 400);
  await choose({ channels: { email: false } });
  const { mail } = await mailsOf("sign-in");
  assert.ok(mail);
  assert.equal(mail.headers?.["List-Unsubscribe"], undefined);
  assert.match(mail.html!, /Link: *</);
  const ids = (await preferences("nonCritical")).workflows.map(({ workflow }) => workflow.identifier);
  assert.ok(!ids.includes("sign-in"));
  await choose({ channels: { email: true } });
});

test("a choice names one target that exists", async () => {
  const channels = { email: false };
  assert.equal((await choose({ categoryId: "ghost", channels })).status, 404);
  const both = await choose({ categoryId: "product", workflowId: "release", channels });
  assert.equal(both.status, 422);
  assert.match(JSON.stringify(both.body), /workflowId and categoryId cannot be used together/);
  const schedule = { isEnabled: true };
  assert.equal((await choose({ categoryId: "product", schedule })).status, 422);
});

test("a choice for contexts counts there only", async () => {
  const context = { tenant: "acme" };
  await choose({ categoryId: "product", channels: { in_app: false }, context });
  const scoped = { params, query: { contextKeys: ["tenant:acme"] } };
  const there = (await client("subscribers.retrievePreferences", scoped)).body.categories!;
  assert.equal(there.find(({ categoryId }) => categoryId === "product")!.channels.in_app, false);
  assert.equal((await preferences()).categories!.find((one) => one.categoryId === "product")!.channels.in_app, true);
});

test("a commercial mail has the headers to unsubscribe, whatever the event says", async () => {
  await createWorkflow(client, "offer", [email()], { name: "Offer", isCommercial: true });
  const own = { "List-Unsubscribe": "<mailto:out@example.com>" };
  const headersOf = async (name: string) => {
    const body = { name, to: "ada", overrides: { email: { headers: own } } } as never;
    const { transactionId } = (await client("events.trigger", { body })).body;
    await settled(client, transactionId!);
    return (await client("captured.list", { query: { transactionId: transactionId! } })).body.data[0]!.headers!;
  };
  assert.deepEqual(await headersOf("beta"), own);
  const headers = (await headersOf("offer")) as Record<string, string>;
  assert.match(headers["List-Unsubscribe"]!, /^<https:\/\/notify\.example\.com\/u\//);
  assert.equal(headers["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
});

test("publishing brings a missing category along, and leaves an existing one alone", async () => {
  const { body: environments } = await client("environments.list", {});
  const [source, target] = ["dev", "prod"].map((type) => environments.find((one) => one.type === type)!._id);
  const publish = () =>
    production("environments.publish", {
      params: { targetEnvironmentId: target! },
      body: { sourceEnvironmentId: source, resources: [{ resourceType: "workflow", resourceId: "release" }] },
    });
  const diff = await production("environments.diff", {
    params: { targetEnvironmentId: target! },
    body: { sourceEnvironmentId: source },
  });
  assert.match(JSON.stringify(diff.body), /"categoryId":"product"/);
  await publish();
  const [copied] = (await production("categories.list", {})).body.categories;
  assert.deepEqual(
    [copied!.name, copied!.workflows],
    ["Product updates", [{ workflowId: "release", name: "Release" }]],
  );
  await production("categories.update", { params: { categoryId: "product" }, body: { name: "Here" } });
  await client("workflows.patch", { params: { workflowId: "release" }, body: { description: "Changed" } });
  await publish();
  assert.equal((await production("categories.retrieve", { params: { categoryId: "product" } })).body.name, "Here");
});

test("files name a category that exists", async () => {
  const file = (categoryId: string) => ({
    workflowId: "filed",
    name: "Filed",
    categoryId,
    isCommercial: true,
    steps: [],
  });
  const plan = async (categoryId: string) =>
    JSON.stringify((await client.raw("files.plan", { body: { resources: { workflows: [file(categoryId)] } } })).body);
  assert.match(await plan("ghost"), /The environment has no category ghost: add it to the files, or create it first/);
  assert.doesNotMatch(await plan("product"), /has no category/);
});

test("a category with workflows or choices is not deleted by mistake", async () => {
  const remove = (categoryId: string, query = {}) => client.raw("categories.delete", { params: { categoryId }, query });
  const used = await remove("product");
  assert.equal(used.status, 409);
  assert.match(JSON.stringify(used.body), /Category product has workflows: beta, release/);
  for (const workflowId of ["release", "beta"])
    await client("workflows.patch", { params: { workflowId }, body: { categoryId: null } });
  const chosen = await remove("product");
  assert.equal(chosen.status, 409);
  assert.match(JSON.stringify(chosen.body), /1 subscribers have made a choice for category product/);
  assert.equal((await remove("product", { force: true })).status, 204);
  await create({ categoryId: "product", name: "Product updates" });
  await client("workflows.patch", { params: { workflowId: "release" }, body: { categoryId: "product" } });
  assert.ok((await mailsOf("release")).mail, "a new category of the same name has no choices");
});

test("an environment has at most 100", async () => {
  const count = (await names()).length;
  for (let at = count; at < 100; at++)
    assert.equal((await create({ categoryId: `c${at}`, name: `C${at}` })).status, 201);
  const answer = await create({ categoryId: "one-more", name: "One more" });
  assert.equal(answer.status, 409);
  assert.match(JSON.stringify(answer.body), /already has 100 categories/);
});
