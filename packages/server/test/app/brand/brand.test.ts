// The brand of an environment and of a context: what is stored, what is refused, what is said, and what messages show.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BrandIn } from "@tidings/contract";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

const put = async (body: BrandIn) => (await client("brand.update", { body })).body;

describe("the brand of an environment", () => {
  test("has defaults, is replaced as a whole, and returns to its defaults", async () => {
    const before = (await client("brand.retrieve")).body;
    assert.deepEqual([before.isSet, before.own, before.warnings], [false, {}, []]);
    assert.equal(before.brand.colors.primary, "#000000");
    await put({ name: "Acme", colors: { primary: "#0b5fff", text: "#222222" }, fontStack: '"Open Sans", Arial' });
    const { brand, own, isSet } = (await client("brand.retrieve")).body;
    assert.equal(isSet, true);
    assert.equal(own.fontStack, "'Open Sans', Arial");
    assert.deepEqual(
      [brand.name, brand.colors.primary, brand.colors.primaryText, brand.colors.heading, brand.cornerRadius],
      ["Acme", "#0b5fff", "#ffffff", "#222222", 6],
    );
    assert.equal((await put({ cornerRadius: 0 })).brand.name, "");
    assert.equal((await put({})).isSet, false);
    assert.equal((await production("brand.retrieve")).body.isSet, false);
  });

  test("without contrast is saved, and the response says what is hard to read", async () => {
    const { warnings, isSet } = await put({
      colors: { text: "#cccccc", background: "#ffffff", primary: "#ffee00", primaryText: "#ffffff" },
    });
    assert.equal(isSet, true);
    const said = Object.fromEntries(warnings.map(({ field, message }) => [field, message]));
    assert.match(said["colors.text"]!, /#cccccc on #ffffff has a contrast of 1\.6, below 4\.5/);
    assert.match(said["colors.primaryText"]!, /text of buttons is hard to read/);
    const logo = await put({ logoUrl: "/assets/0191/abc.png", logoDarkUrl: "https://example.com/logo.svg?v=2" });
    assert.deepEqual(
      logo.warnings.map(({ field }) => field),
      ["logoUrl", "logoDarkUrl"],
    );
    await put({});
  });

  test("is refused with every wrong field, and nothing changes", async () => {
    await put({ name: "Before" });
    const hostile = {
      name: "x".repeat(101),
      colors: { primary: "red", text: "#12345" },
      fontStack: "Arial; background: url(https://evil.example)",
      cornerRadius: 33,
      socialLinks: [{ network: "myspace", url: "https://example.com" }],
    };
    assert.deepEqual(Object.keys(await faultsOf(client, "brand.update", { body: hostile })).sort(), [
      "colors.primary",
      "colors.text",
      "cornerRadius",
      "fontStack",
      "name",
      "socialLinks.0.network",
    ]);
    const addresses = {
      logoUrl: "javascript:alert(1)",
      logoDarkUrl: "data:image/svg+xml,<svg onload=alert(1)>",
      socialLinks: [{ network: "x", url: "ftp://example.com" }],
    };
    const faults = await faultsOf(client, "brand.update", { body: addresses });
    assert.deepEqual(Object.keys(faults), ["logoUrl", "logoDarkUrl", "socialLinks.0.url"]);
    assert.match(faults.logoUrl![0]!, /must be a web address \(http or https\)/);
    assert.equal((await client("brand.retrieve")).body.brand.name, "Before");
    await put({});
  });
});

describe("what messages show", () => {
  const block = JSON.stringify({
    type: "doc",
    content: [
      { type: "paragraph", content: [{ type: "text", text: "Hello" }] },
      { type: "button", attrs: { text: "Open", url: "https://example.com" } },
      { type: "button", attrs: { text: "Own", url: "https://example.com", buttonColor: "#00ff00" } },
    ],
  });

  const contentOf = async (event: object) => {
    const { transactionId } = (await client("events.trigger", { body: { payload: {}, ...event } as never })).body;
    await settled(client, transactionId!);
    const messages = await messagesOf(client, transactionId!);
    return Object.fromEntries(messages.map(({ channel, subject, content }) => [channel, { subject, content }]));
  };

  test("every channel has the brand, blocks take what they do not set, contexts and tenants override it", async () => {
    await createWorkflow(client, "branded", [
      inApp({ body: "From {{ brand.name }}" }),
      email({ subject: "{{ brand.name }}", body: block, editorType: "block" }),
    ]);
    const to = { subscriberId: "ada", email: "ada@example.com" };
    const plain = await contentOf({ name: "branded", to });
    assert.match(String(plain.email?.content), /background-color:#000000;color:#ffffff/);
    assert.match(String(plain.email?.content), /border-radius:6px/);

    await put({ name: "Acme", colors: { primary: "#0b5fff" }, cornerRadius: 3, fontStack: "Georgia, serif" });
    const own = await contentOf({ name: "branded", to });
    assert.deepEqual([own.in_app?.content, own.email?.subject], ["From Acme", "Acme"]);
    const html = String(own.email?.content);
    for (const part of ["background-color:#0b5fff", "background-color:#00ff00", "border-radius:3px", "Georgia, serif"])
      assert.ok(html.includes(part), `${part} in ${html}`);

    await client("contexts.create", { body: { type: "tenant", id: "globex" } });
    const params = { type: "tenant", id: "globex" };
    const { body } = await client("brand.updateContext", { params, body: { name: "Globex" } });
    assert.deepEqual([body.brand.name, body.brand.colors.primary, body.own], ["Globex", "#0b5fff", { name: "Globex" }]);
    const inContext = await contentOf({ name: "branded", to, context: { tenant: "globex" } });
    assert.equal(inContext.in_app?.content, "From Globex");
    assert.match(String(inContext.email?.content), /background-color:#0b5fff/);
    assert.equal(
      (await contentOf({ name: "branded", to, tenant: { identifier: "globex" } })).in_app?.content,
      "From Globex",
    );
    assert.equal((await contentOf({ name: "branded", to, context: { tenant: "other" } })).in_app?.content, "From Acme");

    assert.equal((await client("brand.deleteContext", { params })).status, 204);
    assert.equal((await client("brand.retrieveContext", { params })).body.isSet, false);
    assert.equal(
      (await contentOf({ name: "branded", to, tenant: { identifier: "globex" } })).in_app?.content,
      "From Acme",
    );
    const unknown = { params: { type: "tenant", id: "none" } };
    await refused(client, "brand.retrieveContext", unknown, "CONTEXT_NOT_FOUND");
    await refused(client, "brand.updateContext", { ...unknown, body: {} }, "CONTEXT_NOT_FOUND");
    await refused(client, "brand.deleteContext", unknown, "CONTEXT_NOT_FOUND");
    await put({});
  });

  test("previews and dry runs have it too, and no variable of it is unknown", async () => {
    await put({ name: "Acme", socialLinks: [{ network: "github", url: "https://github.com/acme" }] });
    const text = "{{ brand.name }} {{ brand.socialLinks[0].name }} {{ brand.colors.primaryDark }}";
    const step = { type: "sms" as const, controlValues: { body: text } };
    const preview = (await client("workflows.preview", { body: { step } })).body.data;
    assert.deepEqual([preview.result.body, preview.faults], ["Acme GitHub #ffffff", []]);
    const workflow = await createWorkflow(client, "names", [{ name: "Text", ...step }]);
    assert.equal(workflow.steps[0]?.issues?.controls, undefined);
    const wrong = await createWorkflow(client, "wrong-name", [inApp({ body: "{{ brand.nmae }}" })]);
    assert.match(JSON.stringify(wrong.steps[0]?.issues), /brand\.nmae/);
    const event = { name: "branded", to: { subscriberId: "ada", email: "ada@example.com" }, payload: {} };
    const dry = (await client("explain.dryRun", { body: event })).body;
    assert.match(JSON.stringify(dry), /From Acme/);
    await put({});
  });
});

describe("the layout of the brand", () => {
  test("is the default of an environment without layouts, and not by itself of another", async () => {
    const first = (await client("brand.createLayout", { body: {} })).body;
    assert.deepEqual([first.layoutId, first.isDefault, first.issues], ["brand", true, undefined]);
    const second = (await client("brand.createLayout", { body: {} })).body;
    assert.deepEqual([second.layoutId, second.isDefault], ["brand-1", false]);
    const third = (await client("brand.createLayout", { body: { isDefault: true } })).body;
    const { layouts } = (await client("layouts.list", { query: {} })).body;
    assert.deepEqual(
      layouts.filter(({ isDefault }) => isDefault).map(({ layoutId }) => layoutId),
      [third.layoutId],
    );
  });

  test("shows logo, name, address and links, in light and dark colours", async () => {
    const brand: BrandIn = {
      name: "Acme & Sons",
      logoUrl: "https://example.com/logo.png",
      logoDarkUrl: "https://example.com/dark.png",
      colors: { primary: "#0b5fff", backgroundDark: "#101010" },
      address: "1 Main Street\n<Springfield>",
      socialLinks: [{ network: "youtube", url: "https://youtube.com/@acme" }],
    };
    const { mail } = (await client("brand.preview", { body: { brand } })).body;
    const parts = [
      'src="https://example.com/logo.png"',
      'src="https://example.com/dark.png"',
      "Acme &amp; Sons<br",
      "1 Main Street<br",
      "&lt;Springfield&gt;",
      ">YouTube</a>",
      ">Unsubscribe</a>",
      ">Preferences</a>",
      "@media (prefers-color-scheme: dark)",
      "#101010 !important",
      "@media (max-width: 480px)",
    ];
    for (const part of parts) assert.ok(mail.includes(part), `${part} in ${mail}`);
    assert.match(mail, /class="button"[^>]*style="[^"]*background-color: ?#0b5fff/);
    await put({ name: "Stored" });
    const over = await client("brand.preview", { body: { brand: { cornerRadius: 1 }, isOverride: true } });
    assert.equal(over.body.brand.name, "Stored");
    await put({});
  });
});
