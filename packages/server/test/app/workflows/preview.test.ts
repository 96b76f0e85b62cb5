// Previews of content that is not saved, over HTTP.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ErrorCode, StepPreviewIn, StepType } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { errorOf } from "@tidings/testkit/http";
import { imageFile, pngOf } from "@tidings/testkit/images";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { filters } from "../../../../dashboard/src/fields/completion/filters.ts";
import { variableNames } from "../../../../dashboard/src/steps/variable-names.ts";

const { client, production } = await shareService();

const show = async (type: StepType, controlValues: object, rest: Partial<StepPreviewIn> = {}) =>
  (await client("workflows.preview", { body: { step: { type, controlValues: { ...controlValues } }, ...rest } })).body
    .data;

before(async () => {
  await client("subscribers.create", {
    body: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com", locale: "de_DE" },
  });
});

describe("a preview", () => {
  test("has the variables of the step in a draft, with the results of the steps before it", async () => {
    const draft = {
      steps: [
        { stepId: "limit", type: "throttle" as const },
        { stepId: "ask", type: "custom" as const, controlValues: { custom: { score: "1" } } },
        { stepId: "text", type: "sms" as const },
      ],
      payloadSchema: { type: "object", properties: { order: { type: "string" } } },
    };
    const { variables } = await show("email", { subject: "Hi", body: "Hi" }, { draft });
    const names = variableNames(variables);
    for (const name of ["payload.order", "steps.limit.throttledUntil", "steps.ask.score", "steps.text.sentAt"])
      assert.ok(names.includes(name), name);
    assert.ok(names.includes("actor.firstName") && names.includes("tenant.name") && names.includes("context"));
    assert.ok(!names.includes("steps.text.read"), "only in-app messages are read");
    assert.equal("variables" in (await show("email", { subject: "Hi", body: "Hi" })), false);
  });

  test("renders every filter that the dashboard offers", async () => {
    for (const { use } of filters) {
      const { faults } = await show("sms", { body: `{{ payload.x | ${use} }}` }, { payload: { x: [] } });
      assert.deepEqual(faults, [], use);
    }
  });

  test("has the HTML template of a block document, with its Liquid, when it is asked for", async () => {
    const content = [
      {
        type: "paragraph",
        content: [
          { type: "text", text: "Hi " },
          { type: "variable", attrs: { id: "payload.name" } },
        ],
      },
      { type: "repeat", attrs: { each: "payload.items" }, content: [{ type: "paragraph" }] },
    ];
    const body = JSON.stringify({ type: "doc", content });
    const { template = "" } = await show("email", { subject: "Hi", body }, { withTemplate: true, layoutId: null });
    assert.match(template, />Hi \{\{ payload\.name \}\}<\/p>/);
    assert.match(template, /\{% for current in payload\.items/);
    const payload = { name: "Ada", items: [1] };
    const html = async (given: string) =>
      (await show("email", { subject: "Hi", body: given, editorType: "html" }, { payload, layoutId: null })).result
        .html;
    assert.match((await html(template))!, />Hi Ada<\/p>/);
    for (const [given, rest] of [
      [body, {}],
      ["<p>Hi</p>", { withTemplate: true }],
      ['{"type":"doc", broken', { withTemplate: true }],
    ] as const)
      assert.equal("template" in (await show("email", { subject: "Hi", body: given }, rest)), false, given);
  });

  test("renders every channel for a real subscriber and payload", async () => {
    const rest = { subscriberId: "ada", payload: { order: 7 }, steps: { digest: { eventCount: 3 } } };
    const mail = await show(
      "email",
      { subject: "Order {{payload.order}}", body: "<p>Hi {{subscriber.firstName}}</p>", editorType: "html" },
      rest,
    );
    assert.deepEqual(mail.faults, []);
    assert.equal(mail.result.subject, "Order 7");
    assert.match(mail.result.html!, /<p>Hi Ada<\/p>/);
    assert.match(mail.result.text!, /Hi Ada/);
    const feed = await show(
      "in_app",
      {
        subject: "{{steps.digest.eventCount}} news",
        body: "<b>{{payload.order}}</b><script>x</script>",
        primaryAction: { label: "Open {{payload.order}}", redirect: { url: "/o/{{payload.order}}" } },
        redirect: { url: "javascript:alert(1)" },
      },
      rest,
    );
    assert.deepEqual(feed, {
      result: {
        subject: "3 news",
        body: "<b>7</b>",
        primaryAction: { label: "Open 7", redirect: { url: "/o/7", target: "_self" } },
      },
      faults: [],
    });
    assert.deepEqual((await show("sms", { body: "{{payload.order}}" }, rest)).result, { body: "7" });
    assert.deepEqual((await show("chat", { body: "{{payload.order}}" }, rest)).result, { body: "7" });
    assert.deepEqual((await show("push", { subject: "A", body: "{{payload.order}}" }, rest)).result, {
      subject: "A",
      body: "7",
    });
    assert.deepEqual(await show("delay", { amount: 1, unit: "days" }), { result: {}, faults: [] });
    assert.equal((await show("sms", { body: "{{subscriber.firstName}}" })).result.body, "Ada", "a sample reader");
  });

  test("tells faults with their field, line and column, and shows the other fields", async () => {
    const { result, faults } = await show("in_app", {
      subject: "fine",
      body: "one\n  {{ payload.name | nofilter }}",
      primaryAction: { label: "{% if %}" },
    });
    assert.deepEqual(result, { subject: "fine" });
    assert.deepEqual(
      faults.map(({ field, line, column }) => [field, line, column]),
      [
        ["body", 2, 3],
        ["primaryAction.label", 1, 6],
      ],
    );
    assert.match(faults[0]!.message, /nofilter/);
    const block = await show("email", { subject: "{{", body: '{"type":"list"}', editorType: "block" });
    assert.deepEqual(
      block.faults.map(({ field }) => field),
      ["subject", "body"],
    );
    assert.equal(block.faults[1]!.line, undefined);
  });

  test("uses the layout asked for, and tells whether the fault is in the layout", async () => {
    for (const [layoutId, frame] of [
      ["framed", "<main>{{content}}</main>"],
      ["faulty", "{{content}}{% for a in (1..100000000) %}{{a}}{% endfor %}"],
    ]) {
      await client("layouts.create", { body: { layoutId: layoutId!, name: layoutId! } });
      const controlValues = { email: { body: frame!, editorType: "html" as const } };
      await client("layouts.update", { params: { layoutId: layoutId! }, body: { name: layoutId!, controlValues } });
    }
    const mail = { subject: "S", body: "<p>B</p>", editorType: "html" };
    assert.match((await show("email", mail, { layoutId: "framed" })).result.html!, /<main><p>B<\/p><\/main>/);
    assert.doesNotMatch((await show("email", mail, { layoutId: null })).result.html!, /main/);
    const { result, faults } = await show("email", mail, { layoutId: "faulty" });
    assert.deepEqual(result, { subject: "S" });
    assert.deepEqual(
      faults.map(({ field }) => field),
      ["layoutId"],
    );
  });

  test("uses the translations of the workflow in the language asked for", async () => {
    await createWorkflow(client, "translated", [inApp()], { isTranslationEnabled: true });
    for (const [locale, hello] of [
      ["en_US", "Hello"],
      ["de_DE", "Hallo"],
    ] as const) {
      const resource = { resourceType: "workflow", resourceId: "translated" } as const;
      await client("translations.create", { body: { ...resource, locale, content: { hello } } });
    }
    const rest = { workflowId: "translated", subscriberId: "ada" };
    const text = "{{t.hello}} {{workflow.name}}";
    assert.equal((await show("sms", { body: text }, rest)).result.body, "Hallo translated");
    assert.equal((await show("sms", { body: text }, { ...rest, locale: "en_US" })).result.body, "Hello translated");
  });

  test("keeps hostile templates within the budget of a step", async () => {
    const hostile = "{% for a in (1..9999) %}{% for b in (1..9999) %}{{a}}{% endfor %}{% endfor %}";
    const { result, faults } = await show("push", { subject: "fine", body: hostile });
    assert.deepEqual(result, { subject: "fine" });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!.message, /limit exceeded/);
  });

  test("refuses unknown ids, ids of another environment and values of the wrong type", async () => {
    await createWorkflow(production, "theirs", [inApp()]);
    await production("subscribers.create", { body: { subscriberId: "their-reader" } });
    const cases: [object, ErrorCode][] = [
      [{ subscriberId: "their-reader" }, "SUBSCRIBER_NOT_FOUND"],
      [{ workflowId: "theirs" }, "WORKFLOW_NOT_FOUND"],
      [{ layoutId: "none" }, "LAYOUT_NOT_FOUND"],
      [{ step: { type: "email", controlValues: { subject: 7 } } }, "VALIDATION_ERROR"],
      [{ step: { type: "letter" } }, "VALIDATION_ERROR"],
    ];
    for (const [given, code] of cases) {
      const body = { step: { type: "email" }, ...given };
      errorOf(await client.raw("workflows.preview", { body }), code);
    }
  });
});

describe("checks of an email", () => {
  const draft = {
    steps: [],
    payloadSchema: {
      type: "object",
      properties: { comment: { type: "string" } },
      additionalProperties: false,
    },
  };
  const codes = (checks: { code: string }[] | undefined) => checks?.map(({ code }) => code);
  const body = '<p>{{ payload.coment }}</p><a href="{{ payload.url }}">Open</a><img src="https://example.com/a.png">';
  const values = { subject: "SALE for {{ subscriber.data.nick }}", body, editorType: "html" };

  test("sentences about what does not work for this person", async () => {
    const { checks, faults } = await show("email", values, { subscriberId: "ada", draft, layoutId: null });
    assert.deepEqual(faults, []);
    assert.deepEqual(codes(checks), [
      "capitals",
      "unknown_variable",
      "unknown_variable",
      "empty_variable",
      "empty_link",
      "missing_alt",
      "missing_unsubscribe",
    ]);
    assert.equal(checks![1]!.message, "payload.coment is not a variable of this step. Did you mean payload.comment?");
    assert.match(checks![3]!.message, /^\{\{ subscriber\.data\.nick \}\} is empty for this person/);
  });

  test("a critical workflow needs no unsubscribe link; other channels have no checks", async () => {
    const preferences = { user: { all: { enabled: true, readOnly: true } } };
    await createWorkflow(client, "critical", [inApp()], { preferences } as never);
    const plain = { subject: "Hi", body: "<p>Hi</p>", editorType: "html" };
    const { checks } = await show("email", plain, { workflowId: "critical", layoutId: null });
    assert.deepEqual(checks, []);
    assert.equal("checks" in (await show("sms", { body: "Hi" })), false);
  });

  test("an uploaded image of more than 1 MB", async () => {
    const bytes = Buffer.concat([pngOf(), Buffer.alloc(1_100_000)]);
    const { url } = (await client("assets.create", { body: { file: imageFile(bytes) } })).body;
    const block = { type: "doc", content: [{ type: "image", attrs: { src: url } }] };
    const { checks } = await show("email", { subject: "Hi", body: JSON.stringify(block) }, { layoutId: null });
    assert.deepEqual(codes(checks), ["missing_alt", "relative_image", "large_image", "missing_unsubscribe", "no_text"]);
    assert.match(checks![2]!.message, /has 1\.0 MB/);
  });

  test("a body with an error is not checked, and its error has its place", async () => {
    const broken = {
      subject: "Hi",
      body: "<p>{{ '2026-03-02T03:00:00Z' | date: '%Y', 'Nowhere' }}</p>",
      editorType: "html",
    };
    const { checks, faults } = await show("email", broken, { layoutId: null });
    assert.deepEqual(checks, []);
    assert.deepEqual(
      faults.map(({ field, line, column }) => [field, line, column]),
      [["body", 1, 4]],
    );
  });
});

describe("the lines of an email", () => {
  const lines = {
    subject: "Hi",
    body: "<html><head></head><body class='a'><p>Hi</p></body></html>",
    editorType: "html",
    preheader: "For {{ subscriber.firstName }} & co\n",
    senderName: "{{ payload.shop }}",
    replyTo: "Help <help@example.com>",
    cc: "{{ payload.boss }}, two@example.com",
    bcc: "{{ payload.nobody }}",
    text: "Hi {{ subscriber.firstName }}",
  };

  test("are shown; the preheader is hidden at the beginning of the mail", async () => {
    const payload = { shop: "Acme", boss: "boss@example.com" };
    const { result, faults } = await show("email", lines, { subscriberId: "ada", payload, layoutId: null });
    assert.deepEqual(faults, []);
    const { html, ...rest } = result;
    assert.deepEqual(rest, {
      subject: "Hi",
      preheader: "For Ada & co",
      senderName: "Acme",
      replyTo: "Help <help@example.com>",
      cc: ["boss@example.com", "two@example.com"],
      text: "Hi Ada",
    });
    assert.match(
      html!,
      /<body class="a"><div style="display:none;[^>]*>For Ada &amp; co[\u200c\u00a0]+<\/div><p>Hi<\/p>/,
    );
  });

  test("an error is reported with its field, and the mail is shown", async () => {
    const wrong = { ...lines, replyTo: "{{ subscriber.firstName }}", preheader: "{{ 'x' | nofilter }}", text: "{{" };
    const { result, faults } = await show("email", wrong, { layoutId: null });
    assert.deepEqual(faults.map(({ field }) => field).sort(), ["preheader", "replyTo", "text"]);
    assert.match(result.html!, /<p>Hi<\/p>/);
    assert.equal(result.text, "Hi");
  });
});
