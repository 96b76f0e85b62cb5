// Translations over HTTP: storing, reading and deleting the texts of workflows and layouts, one locale or all.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const { client, production } = service;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const workflow = await createWorkflow(client, "order", [inApp()], { name: "Order placed" });
const layout = (await client("layouts.create", { body: { layoutId: "house", name: "House" } })).body;

type Texts = { resourceId?: string; resourceType?: "workflow" | "layout"; locale?: string; content?: object };
const store = (texts: Texts) =>
  client("translations.create", {
    body: { resourceId: "order", resourceType: "workflow", locale: "en_US", content: { hi: "Hi" }, ...texts } as never,
  });
const at = (locale: string, resourceId = "order", resourceType: "workflow" | "layout" = "workflow") => ({
  params: { resourceType, resourceId, locale },
});

describe("create", () => {
  test("200 with every field; a second time replaces", async () => {
    const content = { greeting: "Hallo {{payload.name}}", nested: { a: "1", list: ["x"] } };
    const { status, body } = await store({ locale: "de_DE", content });
    assert.equal(status, 200);
    const { createdAt, updatedAt, ...rest } = body;
    assert.match(createdAt, isoTime);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { resourceId: "order", resourceType: "workflow", locale: "de_DE", content });
    const again = (await store({ locale: "de_DE", content: { other: "Text" } })).body;
    assert.equal(again.createdAt, createdAt);
    assert.ok(again.updatedAt > updatedAt);
    assert.deepEqual(again.content, { other: "Text" });
  });

  test("resources by id, slug or identifier; locales in any writing; layouts too; both may share a name", async () => {
    assert.equal((await store({ resourceId: workflow._id, locale: "fr-fr" })).body.locale, "fr_FR");
    assert.equal((await store({ resourceId: workflow.slug, locale: "zh-hant-TW" })).body.locale, "zh_Hant_TW");
    const own = (await store({ resourceType: "layout", resourceId: layout.slug, locale: "EN" })).body;
    assert.deepEqual([own.resourceId, own.resourceType, own.locale], ["house", "layout", "en"]);
  });

  test("many at once leave one row", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => store({ locale: "nl", content: { n } })));
    const { body } = await client("translations.retrieve", at("nl"));
    assert.ok(answers.some((answer) => JSON.stringify(answer.body.content) === JSON.stringify(body.content)));
  });

  test("422 for every fault at once", async () => {
    const body = { resourceId: "", resourceType: "message", locale: "english please", content: "hi" };
    await assertRefused(
      client,
      "translations.create",
      { body },
      {
        code: "VALIDATION_ERROR",
        errors: {
          resourceId: ["resourceId must not be empty"],
          resourceType: ["resourceType must be one of: workflow, layout"],
          locale: ["locale has an invalid format"],
          content: ["content must be an object"],
        },
      },
    );
    await assertRefused(
      client,
      "translations.create",
      { body: {} },
      {
        code: "VALIDATION_ERROR",
        errors: {
          resourceId: ["resourceId is required"],
          resourceType: ["resourceType is required"],
          locale: ["locale is required"],
          content: ["content is required"],
        },
      },
    );
    let deep: object = {};
    for (let i = 0; i < 30; i++) deep = { deep };
    const tooDeep = { resourceId: "order", resourceType: "workflow", locale: "sv", content: deep };
    await assertRefused(
      client,
      "translations.create",
      { body: tooDeep },
      {
        code: "VALIDATION_ERROR",
        errors: { content: ["content must not be nested deeper than 20 levels"] },
      },
    );
    const bad = { ...tooDeep, content: { a: "\0" } };
    await assertRefused(client, "translations.create", { body: bad }, { code: "VALIDATION_ERROR" });
    await assertRefused(client, "translations.retrieve", at("sv"), { code: "TRANSLATION_NOT_FOUND" });
  });

  test("unknown resources and those of another environment are 404", async () => {
    const body = { resourceId: "nope", resourceType: "workflow", locale: "de", content: {} };
    await assertRefused(
      client,
      "translations.create",
      { body },
      {
        code: "WORKFLOW_NOT_FOUND",
        message: "Workflow nope not found",
      },
    );
    await assertRefused(
      client,
      "translations.create",
      { body: { ...body, resourceType: "layout" } },
      {
        code: "LAYOUT_NOT_FOUND",
        message: "Layout nope not found",
      },
    );
    await assertRefused(
      production,
      "translations.create",
      { body: { ...body, resourceId: workflow._id } },
      {
        code: "WORKFLOW_NOT_FOUND",
      },
    );
  });
});

describe("one locale", () => {
  test("is read in any writing, and deleted once", async () => {
    await store({ locale: "pt_BR", content: { a: "b" } });
    for (const locale of ["pt_BR", "pt-br", "PT_BR"]) {
      assert.deepEqual((await client("translations.retrieve", at(locale))).body.content, { a: "b" });
    }
    const answer = await client.raw("translations.delete", at("pt-BR"));
    assert.deepEqual([answer.status, answer.body], [204, undefined]);
    for (const id of ["translations.retrieve", "translations.delete"] as const) {
      await assertRefused(client, id, at("pt_BR"), {
        code: "TRANSLATION_NOT_FOUND",
        message: "Translation pt_BR of workflow order not found",
      });
      await assertRefused(client, id, at("no locale"), { code: "TRANSLATION_NOT_FOUND" });
      await assertRefused(client, id, at("de", "nope"), { code: "WORKFLOW_NOT_FOUND" });
      await assertRefused(client, id, at("de", "nope", "layout"), { code: "LAYOUT_NOT_FOUND" });
      await assertRefused(production, id, at("de_DE"), { code: "WORKFLOW_NOT_FOUND" });
      const params = { resourceType: "message", resourceId: "order", locale: "de" };
      await assertRefused(
        client,
        id,
        { params },
        {
          code: "TRANSLATION_GROUP_NOT_FOUND",
          message: "Translations of message order not found",
        },
      );
    }
  });
});

describe("group", () => {
  test("lists the locales, and those that lack a key of the default locale", async () => {
    await createWorkflow(client, "grouped", [inApp()], { name: "Grouped" });
    const put = (locale: string, content: object) => store({ resourceId: "grouped", locale, content });
    const params = { resourceType: "workflow", resourceId: "grouped" } as const;
    await assertRefused(
      client,
      "translations.retrieveGroup",
      { params },
      {
        code: "TRANSLATION_GROUP_NOT_FOUND",
        message: "Translations of workflow grouped not found",
      },
    );
    await put("de_DE", { a: "1" });
    const before = (await client("translations.retrieveGroup", { params })).body;
    assert.equal("outdatedLocales" in before, false);
    await put("en_US", { a: "1", b: { c: "2" } });
    await client("translations.delete", { params: { ...params, locale: "de_DE" } });
    const alone = (await client("translations.retrieveGroup", { params })).body;
    assert.deepEqual(
      ["outdatedLocales" in alone, alone.locales],
      [false, ["en_US"]],
      "there is nothing to translate to",
    );
    await put("de_DE", { a: "1" });
    await put("fr_FR", { a: "1", b: { c: "2", d: "3" } });
    const { createdAt, updatedAt, ...rest } = (await client("translations.retrieveGroup", { params })).body;
    assert.match(createdAt, isoTime);
    assert.equal(createdAt, alone.createdAt);
    assert.ok(updatedAt > createdAt);
    assert.deepEqual(rest, {
      ...params,
      resourceName: "Grouped",
      locales: ["de_DE", "en_US", "fr_FR"],
      outdatedLocales: ["de_DE"],
    });
  });

  test("is deleted as a whole; with its workflow or layout it goes too", async () => {
    const params = { resourceType: "workflow", resourceId: "grouped" } as const;
    await assertRefused(production, "translations.deleteGroup", { params }, { code: "WORKFLOW_NOT_FOUND" });
    assert.equal((await client.raw("translations.deleteGroup", { params })).status, 204);
    await assertRefused(client, "translations.deleteGroup", { params }, { code: "TRANSLATION_GROUP_NOT_FOUND" });
    const unknown = { params: { resourceType: "layout", resourceId: "nope" } };
    await assertRefused(client, "translations.deleteGroup", unknown, { code: "LAYOUT_NOT_FOUND" });
    await assertRefused(client, "translations.retrieveGroup", unknown, { code: "LAYOUT_NOT_FOUND" });

    await store({ resourceId: "grouped", locale: "de_DE" });
    await client("workflows.delete", { params: { workflowId: "grouped" } });
    await createWorkflow(client, "grouped", [inApp()]);
    await assertRefused(client, "translations.retrieveGroup", { params }, { code: "TRANSLATION_GROUP_NOT_FOUND" });
  });
});

describe("master", () => {
  test("is the union of one locale, empty for an unused one; the default locale without a parameter", async () => {
    await store({ locale: "it_IT", content: { w: "1" } });
    await store({ locale: "it_IT", content: { l: "2" }, resourceId: "house", resourceType: "layout" });
    await store({ locale: "en_US", content: { en: "3" } });
    const read = async (query = {}) => (await client("translations.retrieveMaster", { query })).body;
    assert.deepEqual(await read({ locale: "it-it" }), {
      workflows: { order: { w: "1" } },
      layouts: { house: { l: "2" } },
    });
    assert.deepEqual(await read({ locale: "xx" }), { workflows: {}, layouts: {} });
    assert.deepEqual(await read(), { workflows: { order: { en: "3" } }, layouts: {} });
    assert.deepEqual((await production("translations.retrieveMaster")).body, { workflows: {}, layouts: {} });
    await assertRefused(
      client,
      "translations.retrieveMaster",
      { query: { locale: "?" } },
      {
        code: "VALIDATION_ERROR",
        errors: { locale: ["locale has an invalid format"] },
      },
    );
  });

  test("import stores what exists and names what does not", async () => {
    const masterJson = {
      workflows: { order: { x: "1" }, nope: { x: "1" } },
      layouts: { house: { y: "2" }, order: {} },
    };
    const input = { body: { locale: "fi-FI", masterJson }, headers: { "idempotency-key": "import-1" } };
    const { status, body } = await client("translations.importMaster", input);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      success: true,
      message: "2 of 4 resources imported for fi_FI",
      successful: ["order", "house"],
      failed: ["nope", "order"],
    });
    assert.deepEqual((await client("translations.importMaster", input)).body, body);
    const master = (await client("translations.retrieveMaster", { query: { locale: "fi_FI" } })).body;
    assert.deepEqual(master, { workflows: { order: { x: "1" } }, layouts: { house: { y: "2" } } });
    const all = await client("translations.importMaster", { body: { locale: "fi", masterJson: master } as never });
    assert.equal(all.body.success, true);
    assert.deepEqual(all.body.failed, []);
    const none = await client("translations.importMaster", { body: { locale: "fi", masterJson: {} } });
    assert.deepEqual([none.body.success, none.body.message], [false, "0 of 0 resources imported for fi"]);
    const texts = { body: { locale: "fi", masterJson: { workflows: { order: "text" } } } };
    assert.deepEqual((await client.raw("translations.importMaster", texts)).body, {
      success: false,
      message: "0 of 1 resources imported for fi",
      successful: [],
      failed: ["order"],
    });
    await assertRefused(
      client,
      "translations.importMaster",
      { body: { masterJson: { workflows: [] } } },
      {
        code: "VALIDATION_ERROR",
        errors: { locale: ["locale is required"], "masterJson.workflows": ["masterJson.workflows must be an object"] },
      },
    );
  });
});

test("all groups with how complete they are, found by name, in pages", async () => {
  const list = async (query: object) => (await client("translations.listGroups", { query })).body;
  const { groups, totalCount } = await list({ query: "ORDER" });
  assert.deepEqual([totalCount, groups[0]?.resourceId, groups[0]?.resourceType], [1, "order", "workflow"]);
  const { body: group } = await client("translations.retrieveGroup", {
    params: { resourceType: "workflow", resourceId: "order" },
  });
  const { completeness, ...rest } = groups[0]!;
  assert.deepEqual(rest, group);
  assert.deepEqual(
    completeness.map(({ locale }) => locale),
    group.locales,
  );
  const texts = { resourceType: "layout", resourceId: "house" } as const;
  await client("translations.create", { body: { ...texts, locale: "en_US", content: { a: "1", b: { c: "2" } } } });
  await client("translations.create", { body: { ...texts, locale: "nl_NL", content: { b: { c: "2" }, d: "3" } } });
  const house = (await list({ query: "house" })).groups[0]!.completeness.find(({ locale }) => locale === "nl_NL");
  assert.deepEqual(house, { locale: "nl_NL", keys: 2, missing: 1, extra: 1 });
  const all = await list({});
  const pages = [await list({ limit: 1 }), await list({ limit: 1, offset: 1 })].flatMap((page) => page.groups);
  assert.deepEqual(pages, all.groups.slice(0, 2));
  assert.deepEqual(await list({ query: "100%_" }), { groups: [], totalCount: 0 });
});
