// Where people meet the brand apart from messages: the preference page and the session of an inbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled } from "@tidings/testkit/verbs";

const publicUrl = "https://notify.example.com";
const service = await startTestService({ TIDINGS_PUBLIC_URL: publicUrl });
const { client } = service;

async function openPage(about: { context?: Record<string, string>; tenant?: { identifier: string } } = {}) {
  const body = { name: "orders", to: { subscriberId: "ada", email: "ada@example.com" }, payload: {}, ...about };
  const { transactionId } = (await client("events.trigger", { body })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const [, path] = /<https:\/\/notify\.example\.com(.+)>/.exec(String(mail?.headers?.["List-Unsubscribe"])) ?? [];
  const response = await fetch(service.url + path);
  return { html: await response.text(), policy: response.headers.get("content-security-policy")!, path: path! };
}

test("the preference page has the logo, the name and the colours of the brand, and loads nothing else", async () => {
  await createWorkflow(client, "orders", [email()], { name: "Orders" });
  const before = await openPage();
  assert.doesNotMatch(before.html, /class="brand"/);
  assert.doesNotMatch(before.policy, /img-src/);
  const brand = {
    name: 'Acme "&" Sons',
    logoUrl: "https://cdn.example.com/logo.png",
    logoDarkUrl: "/assets/0191/dark.png",
    colors: { primary: "#0b5fff" },
  };
  await client("brand.update", { body: brand });
  const after = await openPage();
  assert.match(after.html, /<img src="https:\/\/cdn\.example\.com\/logo\.png" alt="Acme &quot;&amp;&quot; Sons">/);
  assert.match(after.html, /<source srcset="\/assets\/0191\/dark\.png" media="\(prefers-color-scheme: dark\)">/);
  assert.match(after.html, /--accent: #0b5fff;/);
  assert.match(after.policy, /^default-src 'none'; .*; img-src https:\/\/cdn\.example\.com 'self'$/);
  await client("brand.update", { body: { name: "<Acme>" } });
  assert.match((await openPage()).html, /<p class="brand">&lt;Acme&gt;<\/p>/);
});

test("the page behind a mail of a tenant shows the brand of the tenant, also after one click and on a changed token", async () => {
  await client("brand.update", { body: { name: "Acme", colors: { primary: "#0b5fff" } } });
  await client("contexts.create", { body: { type: "tenant", id: "initech" } });
  await client("brand.updateContext", { params: { type: "tenant", id: "initech" }, body: { name: "Initech" } });
  const nameOn = (html: string) => /<p class="brand">(.*)<\/p>/.exec(html)?.[1];
  assert.equal(nameOn((await openPage()).html), "Acme");
  assert.equal(nameOn((await openPage({ context: { tenant: "other" } })).html), "Acme");
  assert.equal(nameOn((await openPage({ tenant: { identifier: "initech" } })).html), "Initech");
  const { html, path } = await openPage({ context: { tenant: "initech" } });
  assert.equal(nameOn(html), "Initech");
  assert.match(html, /--accent: #0b5fff;/, "what the tenant does not set comes from the environment");
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const clicked = await (await fetch(service.url + path, { method: "POST", body })).text();
  assert.equal(nameOn(clicked), "Initech");
  const [signed = "", mac = ""] = path.slice("/u/".length).split(".");
  const other = Buffer.from(Buffer.from(signed, "base64url").toString().replace("initech", "globexx"));
  assert.equal((await fetch(`${service.url}/u/${other.toString("base64url")}.${mac}`)).status, 404);
  await client("brand.deleteContext", { params: { type: "tenant", id: "initech" } });
  assert.equal(nameOn(await (await fetch(service.url + path)).text()), "Acme");
  await client("contexts.delete", { params: { type: "tenant", id: "initech" } });
  assert.equal(nameOn(await (await fetch(service.url + path)).text()), "Acme");
});

test("links in the text of a tenant's mail lead to the tenant's page too", async () => {
  await client("contexts.create", { body: { type: "tenant", id: "hooli" } });
  await client("brand.updateContext", { params: { type: "tenant", id: "hooli" }, body: { name: "Hooli" } });
  const link = email({ body: '<p><a href="{{ preferencesUrl }}">Preferences</a></p>' });
  await createWorkflow(client, "linked", [link], { name: "Linked" });
  const to = { subscriberId: "ada", email: "ada@example.com" };
  const event = { name: "linked", to, payload: {}, context: { tenant: "hooli" } };
  const { transactionId } = (await client("events.trigger", { body: event })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const [, path] = /https:\/\/notify\.example\.com(\/u\/[\w.-]+)#preferences/.exec(JSON.stringify(mail))!;
  assert.match(await (await fetch(service.url + path)).text(), /<p class="brand">Hooli<\/p>/);
});

test("a preview shows the brand and the data of its context, and creates none", async () => {
  await client("brand.update", { body: { name: "Acme" } });
  await client("contexts.create", { body: { type: "tenant", id: "umbrella", data: { plan: "gold" } } });
  await client("brand.updateContext", { params: { type: "tenant", id: "umbrella" }, body: { name: "Umbrella" } });
  const controlValues = {
    subject: "{{ brand.name }} {{ context.tenant.id }} {{ context.tenant.data.plan }}",
    body: "x",
  };
  const preview = async (context?: object) => {
    const body = { step: { type: "email" as const, controlValues }, context: context as never };
    return (await client("workflows.preview", { body })).body.data.result.subject?.trim();
  };
  assert.equal(await preview(), "Acme");
  assert.equal(await preview({ tenant: "umbrella" }), "Umbrella umbrella gold");
  assert.equal(await preview({ app: "x", tenant: { id: "umbrella" } }), "Umbrella umbrella gold");
  assert.equal(await preview({ tenant: { id: "unknown", data: { plan: "free" } } }), "Acme unknown free");
  await refused(client, "contexts.retrieve", { params: { type: "tenant", id: "unknown" } }, "CONTEXT_NOT_FOUND");
  const bad = { step: { type: "email" as const }, context: { tenant: "a:b" } };
  assert.deepEqual(Object.keys(await faultsOf(client, "workflows.preview", { body: bad })), ["context.tenant"]);
});

test("a session has the brand as variables of the widget, and none without a brand", async () => {
  await client("brand.update", { body: {} });
  const open = async (context?: Record<string, string>) => {
    const body = { applicationIdentifier: "development", subscriber: { subscriberId: "ada" }, context };
    return (await client("inbox.openSession", { body })).body.data.theme;
  };
  assert.equal(await open(), undefined);
  await client("contexts.create", { body: { type: "tenant", id: "globex" } });
  const params = { type: "tenant", id: "globex" };
  await client("brand.updateContext", { params, body: { cornerRadius: 20 } });
  assert.equal(await open(), undefined);
  assert.equal((await open({ tenant: "globex" }))?.radius, "20px");
  await client("brand.update", { body: { colors: { primary: "#0b5fff", primaryDark: "#8ab4ff" } } });
  const theme = await open({ tenant: "globex" });
  assert.deepEqual([theme?.accent, theme?.radius], ["light-dark(#0b5fff, #8ab4ff)", "20px"]);
  assert.equal((await open())?.radius, "6px");
});
