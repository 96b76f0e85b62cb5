// What a layout holds: its issues, its preview, its copies, who uses it, and when it may go.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, production, db, environmentId } = service;

const create = async (layoutId: string) =>
  (await client("layouts.create", { body: { layoutId, name: `Layout ${layoutId}` } })).body;
const frame = (body: string) => ({ email: { body, editorType: "html" as const } });
const setBody = async (layoutId: string, body: string) => {
  const input = { params: { layoutId }, body: { name: layoutId, controlValues: frame(body) } };
  return (await client("layouts.update", input)).body;
};

await create("house");

describe("issues", () => {
  const issuesOf = async (body: string) => (await setBody("house", body)).issues?.controls?.["email.body"];

  test("a body has to show the content", async () => {
    const message = "The body must contain {{content}}";
    const missing = [{ issueType: "MISSING_VALUE", variableName: "content", message, severity: "error" }];
    assert.deepEqual(await issuesOf(""), missing);
    assert.deepEqual(await issuesOf("<p>Hello {{ subscriber.firstName }}</p>"), missing);
    assert.equal(await issuesOf("<p>{% if payload.x %}{{content}}{% endif %}</p>"), undefined);
  });

  test("unknown names, unknown filters, wrong arguments and faults of syntax", async () => {
    assert.deepEqual(await issuesOf("{{content}} {{ subscribr.name }}"), [
      {
        issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
        variableName: "subscribr.name",
        message: "subscribr.name is not a variable that can be used here",
        severity: "error",
      },
    ]);
    assert.equal(
      (await issuesOf("{{content}} {{ payload.a | shout }}"))![0]!.issueType,
      "INVALID_FILTER_ARG_IN_VARIABLE",
    );
    assert.deepEqual(await issuesOf("{{content}} {{ payload.a | append }}"), [
      { issueType: "INVALID_FILTER_ARG_IN_VARIABLE", message: "filter append needs 1 argument", severity: "error" },
    ]);
    assert.equal((await issuesOf("{{content"))![0]!.issueType, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE");
    assert.equal((await issuesOf("{{content}} {{ t.greeting }}"))![0]!.variableName, "t.greeting");
  });

  test("the same in block documents", async () => {
    const blocks = async (...content: object[]) => {
      const email = { body: JSON.stringify({ type: "doc", content }), editorType: "block" as const };
      const input = { params: { layoutId: "house" }, body: { name: "house", controlValues: { email } } };
      return (await client("layouts.update", input)).body.issues?.controls?.["email.body"];
    };
    const show = (id: string) => ({ type: "paragraph", content: [{ type: "variable", attrs: { id } }] });
    assert.equal(await blocks(show("content"), show("subscriber.firstName")), undefined);
    assert.equal((await blocks(show("subscriber.firstName")))![0]!.issueType, "MISSING_VALUE");
    assert.equal((await blocks(show("content"), show("subscribr.name")))![0]!.variableName, "subscribr.name");
    const button = {
      type: "button",
      attrs: { url: "nowhere.url", isUrlVariable: true, text: "{{ payload.a | shout }}" },
    };
    assert.deepEqual(
      (await blocks(show("content"), button))!.map(({ issueType, message }) => [issueType, message]),
      [
        ["INVALID_FILTER_ARG_IN_VARIABLE", "undefined filter: shout"],
        ["ILLEGAL_VARIABLE_IN_CONTROL_VALUE", "nowhere.url is not a variable that can be used here"],
      ],
    );
    const broken = { email: { body: '{"type":', editorType: "block" as const } };
    const input = { params: { layoutId: "house" }, body: { name: "house", controlValues: broken } };
    const { issues } = (await client("layouts.update", input)).body;
    assert.equal(issues!.controls!["email.body"]![0]!.message, "the block document is not valid JSON");
  });
});

describe("preview", () => {
  const preview = async (body: object = {}) => client("layouts.preview", { params: { layoutId: "house" }, body });
  const sample = "<p>Your email content goes here.</p>";

  test("201: the stored layout around sample content, html put in as it is, values escaped", async () => {
    await setBody("house", "<main>{{ content }}</main><i>{{ subscriber.firstName }}</i>");
    const { status, body } = await preview({ previewPayload: { subscriber: { firstName: "<Eve>", data: null } } });
    assert.equal(status, 201);
    assert.deepEqual(body.result, {
      type: "email",
      preview: { body: `<main>${sample}</main><i>&lt;Eve&gt;</i>` },
    });
    assert.equal(body.previewPayloadExample.subscriber!.firstName, "<Eve>");
    assert.equal(body.previewPayloadExample.subscriber!.lastName, "Lovelace");
    assert.equal(body.schema?.type, "object");
  });

  test("given values are rendered, sanitised and not stored", async () => {
    const before = (await client("layouts.retrieve", { params: { layoutId: "house" } })).body;
    const values = frame("<script>alert(1)</script>{{content}}{{content}}");
    const { body } = await preview({ controlValues: values });
    assert.equal(body.result.preview.body, sample + sample);
    assert.equal((await preview({ controlValues: {} })).body.result.preview.body, sample);
    assert.deepEqual((await client("layouts.retrieve", { params: { layoutId: "house" } })).body, before);
  });

  test("a block document, with texts of the layout in the language of the subscriber", async () => {
    await client("layouts.create", { body: { layoutId: "blocks", name: "Blocks", isTranslationEnabled: true } });
    const content = { hello: "Hallo {{ subscriber.firstName }}" };
    await client("translations.create", {
      body: { resourceType: "layout", resourceId: "blocks", locale: "de_DE", content },
    });
    const text = (value: string) => ({
      type: "heading",
      attrs: { level: 1 },
      content: [{ type: "text", text: value }],
    });
    const show = { type: "paragraph", content: [{ type: "variable", attrs: { id: "content" } }] };
    const document = { type: "doc", content: [text("{{ t.hello }} {{ t.bye.now }}"), show] };
    const email = { body: JSON.stringify(document), editorType: "block" as const };
    const { body } = await client("layouts.preview", {
      params: { layoutId: "blocks" },
      body: { controlValues: { email }, previewPayload: { subscriber: { locale: "de-DE" } } },
    });
    assert.match(body.result.preview.body, /<h1[^>]*>Hallo Ada bye\.now<\/h1><div[^>]*><p>Your email content/);
  });

  test("a template that does not render is 422 with its position; endless templates are stopped", async () => {
    const params = { layoutId: "house" };
    const bad = { controlValues: frame("{{ content | shout }}") };
    await assertRefused(
      client,
      "layouts.preview",
      { params, body: bad },
      {
        code: "VALIDATION_ERROR",
        errors: {
          "controlValues.email.body": [
            "controlValues.email.body could not be rendered: undefined filter: shout, line 1, column 1",
          ],
        },
      },
    );
    const wide = { controlValues: frame("{% for i in (1..100000000) %}x{% endfor %}") };
    await assertRefused(client, "layouts.preview", { params, body: wide }, { code: "VALIDATION_ERROR" });
    const wrong = { controlValues: { email: { editorType: "word" } }, previewPayload: { subscriber: "ada" } };
    await assertRefused(
      client,
      "layouts.preview",
      { params, body: wrong },
      {
        code: "VALIDATION_ERROR",
        errors: {
          "controlValues.email.body": ["controlValues.email.body is required"],
          "controlValues.email.editorType": ["controlValues.email.editorType must be one of: html, block"],
          "previewPayload.subscriber": ["previewPayload.subscriber must be an object"],
        },
      },
    );
    await assertRefused(
      client,
      "layouts.preview",
      { params: { layoutId: "nope" }, body: {} },
      {
        code: "LAYOUT_NOT_FOUND",
      },
    );
    await assertRefused(production, "layouts.preview", { params, body: {} }, { code: "LAYOUT_NOT_FOUND" });
  });
});

describe("duplicate", () => {
  test("201: another layout with the same body and texts; its identifier is made from the name", async () => {
    await create("original");
    const original = await setBody("original", "<b>{{content}}</b>");
    const texts = { resourceType: "layout", resourceId: "original", locale: "de_DE", content: { a: "b" } } as const;
    await client("translations.create", { body: texts });
    const params = { layoutId: original.slug };
    const copies = [];
    for (const name of ["Übersicht!", "Übersicht!", "***"]) {
      copies.push(await client("layouts.duplicate", { params, body: { name } }));
    }
    assert.deepEqual(
      copies.map(({ status }) => status),
      [201, 201, 201],
    );
    assert.deepEqual(
      copies.map(({ body }) => body.layoutId),
      ["ubersicht", "ubersicht-1", "layout"],
    );
    const copy = copies[0]!.body;
    assert.deepEqual([copy.isDefault, copy.isTranslationEnabled], [false, false]);
    assert.deepEqual(copy.controls.values, original.controls.values);
    assert.notEqual(copy._id, original._id);
    const read = { resourceType: "layout", resourceId: "ubersicht", locale: "de_DE" } as const;
    assert.deepEqual((await client("translations.retrieve", { params: read })).body.content, { a: "b" });
    const flagged = await client("layouts.duplicate", { params, body: { name: "F", isTranslationEnabled: true } });
    assert.equal(flagged.body.isTranslationEnabled, true);
  });

  test("422, 404 and another environment", async () => {
    const params = { layoutId: "original" };
    await assertRefused(
      client,
      "layouts.duplicate",
      { params, body: {} },
      {
        code: "VALIDATION_ERROR",
        errors: { name: ["name is required"] },
      },
    );
    await assertRefused(
      client,
      "layouts.duplicate",
      { params: { layoutId: "nope" }, body: { name: "x" } },
      {
        code: "LAYOUT_NOT_FOUND",
      },
    );
    await assertRefused(production, "layouts.duplicate", { params, body: { name: "x" } }, { code: "LAYOUT_NOT_FOUND" });
  });
});

describe("usage and delete", () => {
  test("workflows that name the layout; the default also those that name none", async () => {
    const side = await create("side");
    await createWorkflow(client, "plain-mail", [email()]);
    await createWorkflow(client, "side-mail", [email({ layoutId: "side" })], { name: "Side mail" });
    await createWorkflow(client, "bare-mail", [email({ layoutId: null })]);
    await createWorkflow(client, "no-mail", [inApp()]);
    const users = async (layoutId: string) => (await client("layouts.usage", { params: { layoutId } })).body;
    assert.deepEqual(await users("side"), { workflows: [{ name: "Side mail", workflowId: "side-mail" }] });
    assert.deepEqual(await users("house"), { workflows: [{ name: "plain-mail", workflowId: "plain-mail" }] });
    await createWorkflow(client, "by-id", [email({ layoutId: side._id })]);
    assert.equal((await users(side.slug)).workflows.length, 2);
    await client("workflows.delete", { params: { workflowId: "by-id" } });
    await assertRefused(client, "layouts.usage", { params: { layoutId: "nope" } }, { code: "LAYOUT_NOT_FOUND" });
    await assertRefused(production, "layouts.usage", { params: { layoutId: "side" } }, { code: "LAYOUT_NOT_FOUND" });
  });

  test("the default and one in use cannot be deleted; another is deleted with its translations", async () => {
    const remove = (layoutId: string) => ({ params: { layoutId } });
    await assertRefused(client, "layouts.delete", remove("house"), {
      code: "LAYOUT_IS_DEFAULT",
      message: "Layout house is the default layout and cannot be deleted",
    });
    await assertRefused(client, "layouts.delete", remove("side"), {
      code: "LAYOUT_IN_USE",
      message: "Layout side is used by workflows: side-mail",
    });
    await client("workflows.delete", { params: { workflowId: "side-mail" } });
    await assertRefused(production, "layouts.delete", remove("side"), { code: "LAYOUT_NOT_FOUND" });
    const texts = { resourceType: "layout", resourceId: "side", locale: "de_DE", content: { a: "b" } } as const;
    await client("translations.create", { body: texts });
    const answer = await client.raw("layouts.delete", remove("side"));
    assert.equal(answer.status, 204);
    assert.equal(answer.body, undefined);
    await assertRefused(client, "layouts.delete", remove("side"), { code: "LAYOUT_NOT_FOUND" });
    const left = await sql`select 1 from translations t where resource_type = 'layout'
      and environment_id = ${environmentId} and not exists (select 1 from layouts l where l.id = t.resource_id)`.execute(
      db,
    );
    assert.equal(left.rows.length, 0);
  });
});
