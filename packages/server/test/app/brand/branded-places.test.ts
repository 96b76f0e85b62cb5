// Where people meet the brand apart from messages: the preference page and the session of an inbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "../../support/service.ts";
import { createWorkflow, email, settled } from "../../support/verbs.ts";

const publicUrl = "https://notify.example.com";
const service = await startTestService({ TIDINGS_PUBLIC_URL: publicUrl });
const { client } = service;

async function openPage() {
  const body = { name: "orders", to: { subscriberId: "ada", email: "ada@example.com" }, payload: {} };
  const { transactionId } = (await client("events.trigger", { body })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const [, path] = /<https:\/\/notify\.example\.com(.+)>/.exec(String(mail?.headers?.["List-Unsubscribe"])) ?? [];
  const response = await fetch(service.url + path);
  return { html: await response.text(), policy: response.headers.get("content-security-policy")! };
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
