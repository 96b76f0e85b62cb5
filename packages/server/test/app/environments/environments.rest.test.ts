// Environments over HTTP: creating, listing, updating, deleting, their tags.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Environment } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { openQueue } from "../../../src/store/queue/queue.ts";
import { openShop } from "../../pipeline/sources/shop.ts";

const service = await startTestService();
const { client, production, db } = service;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const list = async () => (await client("environments.list")).body;
const byIdentifier = async (identifier: string) => (await list()).find((one) => one.identifier === identifier)!;
const create = async (name: string, more: object = {}) =>
  (await client("environments.create", { body: { name, color: "#00AA00", ...more } })).body;
const clientOf = (environment: Environment) =>
  createClient({ baseUrl: service.url, apiKey: environment.apiKeys![0]!.key });

describe("create", () => {
  test("201: a dev environment with a key that works, an in-app integration and the development mailboxes", async () => {
    const { status, body } = await client("environments.create", { body: { name: "Größe 1", color: "#FF5733" } });
    assert.equal(status, 201);
    const { _id, _organizationId, slug, apiKeys, ...rest } = body;
    assert.match(_id, uuid);
    assert.match(_organizationId, uuid);
    assert.match(slug!, /^grosse-1_env_[0-9A-Za-z]{22}$/);
    assert.deepEqual(rest, { name: "Größe 1", identifier: "grosse-1", type: "dev" });
    assert.deepEqual(Object.keys(apiKeys![0]!).sort(), [
      "_id",
      "_userId",
      "allowedNetworks",
      "createdAt",
      "expiresAt",
      "key",
      "lastUsedAt",
      "mayRaisePriority",
      "name",
      "owner",
      "scope",
    ]);

    const inside = clientOf(body);
    const integrations = (await inside("integrations.list")).body;
    assert.deepEqual(
      integrations.map(({ providerId, active, primary }) => ({ providerId, active, primary })),
      [
        { providerId: "svc", active: true, primary: false },
        { providerId: "svc-email", active: true, primary: true },
        { providerId: "svc-sms", active: true, primary: true },
        { providerId: "svc-slack", active: true, primary: false },
      ],
    );
    await createWorkflow(inside, "hello", [inApp(), email()]);
    const transactionId = await trigger(inside, "hello", { subscriberId: "ada", email: "ada@example.com" });
    await settled(inside, transactionId);
    assert.equal((await feedOf(inside, "ada")).length, 1);
    assert.equal((await inside("captured.list")).body.data.length, 1);
    await assertRefused(
      client,
      "workflows.retrieve",
      { params: { workflowId: "hello" } },
      { code: "WORKFLOW_NOT_FOUND" },
    );
  });

  test("the same name gets another identifier; a name without letters gets one too", async () => {
    assert.deepEqual(
      [(await create("Staging")).identifier, (await create("staging")).identifier],
      ["staging", "staging-1"],
    );
    assert.equal((await create("***")).identifier, "environment");
  });

  test("with a parent, by id or identifier", async () => {
    const development = await byIdentifier("development");
    assert.equal((await create("Child", { parentId: "development" }))._parentId, development._id);
    await assertRefused(
      client,
      "environments.create",
      { body: { name: "X", color: "red", parentId: "nope" } },
      {
        code: "ENVIRONMENT_NOT_FOUND",
        message: "Environment with id nope not found",
      },
    );
    assert.equal(
      (await list()).some((one) => one.name === "X"),
      false,
    );
  });

  test("422 for every fault at once", async () => {
    await assertRefused(
      client,
      "environments.create",
      { body: { parentId: 1 } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          name: ["name is required"],
          color: ["color is required"],
          parentId: ["parentId must be a string"],
        },
      },
    );
    await assertRefused(
      client,
      "environments.create",
      { body: { name: "n".repeat(129), color: "" } },
      {
        code: "VALIDATION_ERROR",
        errors: { name: ["name must not be longer than 128 characters"], color: ["color must not be empty"] },
      },
    );
    for (const name of ["\u001b]0;title\u0007", "two\nlines", "txt\u202eexe", "\u009b2J"])
      await assertRefused(
        client,
        "environments.create",
        { body: { name, color: "red" } },
        { code: "VALIDATION_ERROR", errors: { name: ["name must not contain control characters"] } },
      );
  });

  test("a replay answers the same key, and what is kept of it is not readable in the database", async () => {
    const input = { body: { name: "Once", color: "red" }, headers: { "idempotency-key": "env-1" } };
    const first = await client("environments.create", input);
    const second = await client("environments.create", input);
    assert.equal(second.headers.get("idempotency-replay"), "true");
    assert.deepEqual(second.body, first.body);
    const kept = await sql<{ body: string }>`select body from idempotency_keys where key = 'env-1'`.execute(db);
    assert.equal(kept.rows[0]!.body.includes(first.body.apiKeys![0]!.key), false);
    const refused = { body: { name: "", color: "red" }, headers: { "idempotency-key": "env-2" } };
    for (let i = 0; i < 2; i++) {
      await assertRefused(client, "environments.create", refused, { code: "VALIDATION_ERROR" });
    }
  });
});

test("list shows keys of the caller's own environment only", async () => {
  const rows = await list();
  assert.deepEqual(
    rows.slice(0, 2).map((one) => one.identifier),
    ["development", "production"],
  );
  assert.deepEqual(
    rows.flatMap((one) => one.apiKeys ?? []).map((key) => key.key),
    [service.apiKey],
  );
  assert.match((await byIdentifier("development")).apiKeys![0]!._id!, uuid);
});

describe("update", () => {
  test("what is given changes, the rest stays; the identifier can be used at once", async () => {
    const own = await create("Renamed");
    const inside = clientOf(own);
    const params = { environmentId: own._id };
    const body = {
      name: "New name",
      identifier: "new-name",
      color: "blue",
      dns: { inboundParseDomain: "x" },
      other: 1,
    };
    const answer = await inside.raw("environments.update", { params, body });
    assert.equal(answer.status, 200);
    const { slug, ...rest } = answer.body as Environment;
    assert.match(slug!, /^new-name_env_/);
    assert.deepEqual(rest, {
      _id: own._id,
      _organizationId: own._organizationId,
      name: "New name",
      identifier: "new-name",
      type: "dev",
    });
    const again = await inside("environments.update", { params: { environmentId: "new-name" }, body: {} });
    assert.deepEqual(again.body, answer.body);
  });

  test("a parent that is no descendant", async () => {
    const parent = await create("Parent");
    const child = await create("Below", { parentId: parent._id });
    const update = (id: string, parentId: string) => ({ params: { environmentId: id }, body: { parentId } });
    for (const below of [parent._id, child._id]) {
      await assertRefused(clientOf(parent), "environments.update", update(parent._id, below), {
        code: "VALIDATION_ERROR",
        errors: { parentId: ["parentId must not lie below the environment"] },
      });
    }
    const moved = await clientOf(child)("environments.update", update(child._id, "development"));
    assert.equal(moved.body._parentId, (await byIdentifier("development"))._id);
  });

  test("403 for another environment, 404, 409 and 422", async () => {
    const update = (environmentId: string, body: object) => ({ params: { environmentId }, body });
    await assertRefused(client, "environments.update", update("production", { name: "Mine" }), {
      code: "FORBIDDEN",
      message: "This API key may not act on another environment",
    });
    assert.equal((await byIdentifier("production")).name, "Production");
    await assertRefused(client, "environments.update", update("nope", {}), { code: "ENVIRONMENT_NOT_FOUND" });
    await assertRefused(client, "environments.update", update("development", { identifier: "production" }), {
      code: "ENVIRONMENT_IDENTIFIER_TAKEN",
      message: "Environment with identifier production already exists",
    });
    await assertRefused(client, "environments.update", update("development", { identifier: "a b", name: null }), {
      code: "VALIDATION_ERROR",
      errors: { identifier: ["identifier has an invalid format"], name: ["name must be a string"] },
    });
  });
});

describe("link schemes", () => {
  const body = '<p><a href="myapp://order/7">Order</a> <a href="other:x">x</a></p>';
  const kept = '<a href="myapp://order/7">Order</a> <a>x</a>';
  const removed = "<a>Order</a> <a>x</a>";
  const button = { type: "button", attrs: { text: "Go", url: "myapp://order/{{ payload.id }}" } };
  const card = { type: "linkCard", attrs: { title: "Card", link: "myapp://constant" } };
  const blocks = JSON.stringify({ type: "doc", content: [button, card] });
  const linksIn = (html = "") => html.match(/<a\b.*<\/a>/)?.[0];
  const appLinksIn = (html = "") => html.match(/myapp:[^"]*(?=")/g) ?? [];

  /** What delivery, dry run and preview make of the bodies. */
  const contentsOf = async (environment: Environment) => {
    const inside = clientOf(environment);
    const payload = { id: 8 };
    await createWorkflow(inside, "apps", [inApp({ body }), email({ subject: "s", body })]);
    await createWorkflow(inside, "blocks", [email({ subject: "s", body: blocks, editorType: "block" })]);
    const to = { subscriberId: "ada", email: "ada@example.com" };
    for (const name of ["apps", "blocks"]) await settled(inside, await trigger(inside, name, to, payload));
    const captured = (await inside("captured.list")).body.data;
    const [blockMail, mail] = captured.map(({ html }) => html ?? "");
    const [feedMessage] = (await feedOf(inside, "ada")).map(({ content }) => String(content));
    const told = (await inside("explain.dryRun", { body: { name: "apps", to: "ada", payload } })).body;
    const toldContents = told.recipients[0]!.steps.flatMap(({ messages = [] }) => messages.map((one) => one.content));
    const show = async (type: "email" | "in_app", values: Record<string, unknown>) =>
      (await inside("workflows.preview", { body: { step: { type, controlValues: values }, payload } })).body.data
        .result;
    const shown = await show("email", { subject: "s", body });
    const { html: shownBlocks } = await show("email", { subject: "s", body: blocks, editorType: "block" });
    const { body: shownFeed } = await show("in_app", { body });
    await inside("layouts.create", { body: { name: "Frame", layoutId: "frame" } });
    const layout = await inside("layouts.preview", {
      params: { layoutId: "frame" },
      body: { controlValues: { email: { editorType: "html", body: `${body}{{ content }}` } } },
    });
    return {
      bodies: [mail, feedMessage, ...toldContents, shown.html, shownFeed, layout.body.result.preview.body].map(linksIn),
      blocks: [blockMail, shownBlocks].map(appLinksIn),
      text: shown.text,
    };
  };

  test("links to the apps of an environment stay in delivery, dry run and preview, and those of others do not", async () => {
    const apps = await create("Apps", { linkSchemes: ["myapp", "web+shop"] });
    assert.deepEqual(apps.linkSchemes, ["myapp", "web+shop"]);
    const plain = await create("No apps", { parentId: apps._id });
    assert.equal(plain.linkSchemes, undefined);
    const links = ["myapp://order/8", "myapp://constant"];
    const withApps = await contentsOf(apps);
    assert.deepEqual(withApps.bodies, Array(7).fill(kept));
    assert.deepEqual(
      withApps.blocks.map((found) => [...new Set(found)]),
      [links, links],
    );
    assert.equal(withApps.text, "Order (myapp://order/7) x");
    const without = await contentsOf(plain);
    assert.deepEqual(without.bodies, Array(7).fill(removed));
    assert.deepEqual(without.blocks, [[], []]);
    assert.equal(without.text, "Order x");
  });

  test("an update changes them, an empty list ends them, publishing leaves those of the target", async () => {
    const own = await create("Other apps");
    const target = await create("Target of apps");
    const inside = clientOf(own);
    const update = async (linkSchemes?: string[]) =>
      (await inside("environments.update", { params: { environmentId: own._id }, body: { linkSchemes } })).body
        .linkSchemes;
    const show = async () => {
      const step = { type: "in_app" as const, controlValues: { body } };
      return linksIn((await inside("workflows.preview", { body: { step } })).body.data.result.body);
    };
    assert.deepEqual([await update(["myapp"]), await update(), await show()], [["myapp"], ["myapp"], kept]);
    await createWorkflow(inside, "apps", [inApp({ body })]);
    await clientOf(target)("environments.publish", {
      params: { targetEnvironmentId: target._id },
      body: { sourceEnvironmentId: own._id },
    });
    assert.equal((await byIdentifier(target.identifier)).linkSchemes, undefined);
    assert.deepEqual((await byIdentifier(own.identifier)).linkSchemes, ["myapp"]);
    assert.deepEqual([await update([]), await show()], [undefined, removed]);
  });

  test("422 for schemes that run code or read local data, and for what is no scheme; nothing changes", async () => {
    const own = await create("Careful");
    const refuse = (linkSchemes: unknown, errors: Record<string, string[]>) =>
      assertRefused(
        clientOf(own),
        "environments.update",
        { params: { environmentId: own._id }, body: { name: "Changed", linkSchemes } },
        { code: "VALIDATION_ERROR", errors },
      );
    const names = "javascript data vbscript file blob filesystem about view-source chrome resource jar".split(" ");
    const messageOf = (name: string, index: number) =>
      `linkSchemes.${index} must not be ${name}: its links can run code or read local data`;
    await refuse(
      ["myapp", ...names],
      Object.fromEntries(names.map((name, i) => [`linkSchemes.${i + 1}`, [messageOf(name, i + 1)]])),
    );
    for (const text of ["myapp:", "myapp://", "MyApp", "m", "7up", "java script", "java\tscript", "a".repeat(33), ""])
      await refuse([text], { "linkSchemes.0": ["linkSchemes.0 has an invalid format"] });
    await refuse([7], { "linkSchemes.0": ["linkSchemes.0 must be a string"] });
    for (const value of ["myapp", null]) await refuse(value, { linkSchemes: ["linkSchemes must be an array"] });
    await refuse(["myapp", "myapp"], { linkSchemes: ["linkSchemes must not contain the same element twice"] });
    const many = Array.from({ length: 21 }, (_, i) => `app${i}`);
    await refuse(many, { linkSchemes: ["linkSchemes must contain no more than 20 elements"] });
    const { name, linkSchemes } = await byIdentifier(own.identifier);
    assert.deepEqual([name, linkSchemes], ["Careful", undefined]);
    const input = { body: { name: "Not made", color: "red", linkSchemes: ["file"] } };
    await assertRefused(client, "environments.create", input, {
      code: "VALIDATION_ERROR",
      errors: { "linkSchemes.0": [messageOf("file", 0)] },
    });
  });
});

describe("delete", () => {
  test("200 without a body: its keys stop, its identifier is free, what hung on it stays without it", async () => {
    const doomed = await create("Doomed");
    const child = await create("Orphan", { parentId: doomed._id });
    const inside = clientOf(doomed);
    await createWorkflow(inside, "hello", [
      { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "days" } },
      inApp(),
    ]);
    await trigger(inside, "hello", "ada");
    await eventually(async () => (await inside("notifications.list")).body.data.length === 1, "the notification");
    const shop = await openShop(service, inside);
    for (const sibling of [client, production]) {
      const input = { params: { environmentId: "doomed" } };
      await assertRefused(sibling, "environments.delete", input, { code: "FORBIDDEN" });
    }
    const answer = await inside.raw("environments.delete", { params: { environmentId: "doomed" } });
    assert.deepEqual([answer.status, answer.body], [200, undefined]);
    assert.equal(answer.headers.get("content-type"), null);
    assert.equal(
      (await list()).some((one) => one._id === doomed._id),
      false,
    );
    assert.equal((await byIdentifier(child.identifier))._parentId, undefined);
    await eventually(async () => (await inside.raw("workflows.list")).status === 401, "the key to stop working");
    await assert.rejects(shop.query("select tidings.upsert_subscriber('ada')"), /may not trigger events/);
    await assertRefused(
      client,
      "environments.delete",
      { params: { environmentId: doomed._id } },
      {
        code: "ENVIRONMENT_NOT_FOUND",
      },
    );
    assert.equal((await create("Doomed")).identifier, "doomed");

    // Two days later the housekeeping removes what it left.
    await sql`update environments set deleted_at = now() - interval '2 days' where id = ${doomed._id}`.execute(db);
    const queue = await openQueue({ url: service.database.url, onError: () => {} });
    try {
      await queue.enqueue(db, "housekeeping", [{ data: { name: "environments" } }]);
      await eventually(async () => {
        const left = await sql`select 1 from environments where id = ${doomed._id}`.execute(db);
        return left.rows.length === 0;
      }, "the rows of the deleted environment to go");
    } finally {
      await queue.stop();
    }
  });

  test("409 for production, 403 with a key of another environment, 404", async () => {
    const input = { params: { environmentId: "production" } };
    await assertRefused(production, "environments.delete", input, {
      code: "ENVIRONMENT_PROTECTED",
      message: "Environment production is protected and cannot be deleted",
    });
    await assertRefused(client, "environments.delete", input, { code: "FORBIDDEN" });
    await assertRefused(
      production,
      "environments.delete",
      { params: { environmentId: "nope" } },
      {
        code: "ENVIRONMENT_NOT_FOUND",
      },
    );
  });
});

test("tags are those of the environment's workflows, each once", async () => {
  await createWorkflow(client, "tagged-1", [inApp()], { tags: ["b", "a"] });
  await createWorkflow(client, "tagged-2", [inApp()], { tags: ["a", "c"] });
  await createWorkflow(client, "tagged-3", [inApp()], { tags: ["gone"] });
  await client("workflows.delete", { params: { workflowId: "tagged-3" } });
  const { status, body } = await client("environments.listTags", { params: { environmentId: "development" } });
  assert.equal(status, 200);
  assert.deepEqual(body, [{ name: "a" }, { name: "b" }, { name: "c" }]);
  const tags = (environmentId: string) => ({ params: { environmentId } });
  await assertRefused(client, "environments.listTags", tags("production"), { code: "FORBIDDEN" });
  await assertRefused(client, "environments.listTags", tags("nope"), { code: "ENVIRONMENT_NOT_FOUND" });
});
