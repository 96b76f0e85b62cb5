// Own texts and an own domain of the hosted pages: what is stored and refused, what readers see, and where links lead.
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled } from "@tidings/testkit/verbs";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "https://notify.example.com" });
const { client, production } = service;

before(async () => {
  const link = email({ subject: "Hi", body: '<p><a href="{{ unsubscribeUrl }}">Stop</a></p>' });
  await createWorkflow(client, "news", [link], { name: "News" });
});

async function mailTo(subscriberId: string, more: object = {}) {
  const to = { subscriberId, email: `${subscriberId}@example.com`, ...more };
  const { transactionId } = (await client("events.trigger", { body: { name: "news", to, payload: {} } })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const [, header] = /<(.+)>/.exec(String(mail!.headers?.["List-Unsubscribe"])) ?? [];
  const [, inside] = /href="([^"]+)"/.exec(String(mail!.html)) ?? [];
  return { header: header!, inside: inside! };
}

const pathOf = (url: string) => new URL(url).pathname;
const openPage = async (subscriberId: string, locale: string) =>
  (await fetch(service.url + pathOf((await mailTo(subscriberId, { locale })).header))).text();
const titles = (html: string) => [/<title>(.*)<\/title>/.exec(html)?.[1], /<h1>(.*)<\/h1>/.exec(html)?.[1]];

test("own texts replace those of the service in their language, are escaped, and nothing else changes", async () => {
  const own = { title: "Deine <Mails>", introduction: "Du bestimmst.\nImmer.", footer: "Acme & Söhne" };
  await client("brand.update", { body: { pageTexts: { "de-DE": own, de: { title: "Mails" }, fr: { title: "  " } } } });
  assert.deepEqual((await client("brand.retrieve")).body.own.pageTexts, { de_DE: own, de: { title: "Mails" } });
  const german = await openPage("ada", "de_DE");
  assert.deepEqual(titles(german), ["Deine &lt;Mails&gt;", "Deine &lt;Mails&gt;"]);
  assert.match(german, /<p class="own">Du bestimmst\.\nImmer\.<\/p>/);
  assert.match(german, /<footer class="note own">Acme &amp; Söhne<\/footer>/);
  assert.doesNotMatch(german, /class="brand"|--accent: #000000/, "texts alone are no look");
  const austrian = await openPage("grace", "de_AT");
  assert.deepEqual(titles(austrian), ["Mails", "Mails"]);
  assert.doesNotMatch(austrian, /<footer/);
  const english = titles(await openPage("alan", "en_GB"));
  assert.deepEqual(english, titles(await openPage("kurt", "is_IS")), "no words in Icelandic: English, as before");
  assert.notEqual(english[0], "Mails");
  assert.match((await openPage("jean", "fr"))!, /<html lang="fr"/);
});

test("a tenant overrides single texts, and a notice has the footer too", async () => {
  await client("brand.update", { body: { pageTexts: { en: { title: "Your mail", footer: "Acme" } } } });
  await client("contexts.create", { body: { type: "tenant", id: "globex" } });
  const params = { type: "tenant", id: "globex" };
  await client("brand.updateContext", { params, body: { pageTexts: { en: { footer: "Globex" } } } });
  const to = { subscriberId: "ada", email: "ada@example.com", locale: "en_US" };
  const event = { name: "news", to, payload: {}, context: { tenant: "globex" } };
  const { transactionId } = (await client("events.trigger", { body: event })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const [, url] = /<(.+)>/.exec(String(mail!.headers?.["List-Unsubscribe"]))!;
  const page = await (await fetch(service.url + pathOf(url!))).text();
  assert.deepEqual(titles(page), ["Your mail", "Your mail"]);
  assert.match(page, /<footer class="note own">Globex<\/footer>/);
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const done = await (await fetch(service.url + pathOf(url!), { method: "POST", body })).text();
  assert.match(done, /<footer class="note own">Globex<\/footer>/);
  assert.doesNotMatch(done, /<h1>Your mail/);
});

test("texts that are too long, of an unknown kind or given twice are refused by name, and nothing changes", async () => {
  const before = (await client("brand.retrieve")).body.own;
  const wrong = { de: { title: "x".repeat(121), footer: 7 }, "not a locale": { title: "a" } };
  const faults = await faultsOf(client, "brand.update", { body: { pageTexts: wrong } as never });
  assert.ok(Object.keys(faults).includes("pageTexts.de.title") && Object.keys(faults).includes("pageTexts.de.footer"));
  const twice = { "de-AT": { title: "a" }, de_at: { title: "b" } };
  assert.deepEqual(Object.keys(await faultsOf(client, "brand.update", { body: { pageTexts: twice } })), [
    "pageTexts.de_at",
  ]);
  assert.deepEqual((await client("brand.retrieve")).body.own, before);
});

test("links of mails lead to the own domain, and requests for it are served", async () => {
  const params = { environmentId: "development" };
  const pagesUrl = "https://Preferences.Acme.example/";
  const { body } = await client("environments.update", { params, body: { pagesUrl } });
  assert.equal(body.pagesUrl, "https://preferences.acme.example");
  const { header, inside } = await mailTo("mary");
  for (const url of [header, inside]) assert.match(url, /^https:\/\/preferences\.acme\.example\/u\//);
  const preview = { step: { type: "email" as const, controlValues: { subject: "{{ preferencesUrl }}", body: "x" } } };
  assert.match(
    (await client("workflows.preview", { body: preview })).body.data.result.subject!,
    /^https:\/\/preferences\.acme\.example\/u\/preview#/,
  );
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { host: "preferences.acme.example", "x-forwarded-proto": "https" };
    request(service.url + pathOf(header), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  assert.equal(status, 200);
  await client("environments.update", { params, body: { color: "#123456" } });
  assert.equal((await client("environments.list")).body.find(({ _id }) => _id === body._id)?.pagesUrl, body.pagesUrl);
  const all = { params: { targetEnvironmentId: "production" }, body: {} };
  await production("environments.publish", all);
  const [, target] = (await production("environments.list")).body;
  assert.equal(target!.pagesUrl, undefined, "a domain is not published");
  await client("environments.update", { params, body: { pagesUrl: null } });
  assert.match((await mailTo("mary")).header, /^https:\/\/notify\.example\.com\/u\//);
});

test("anything but https and a host name is refused, and nothing changes", async () => {
  const params = { environmentId: "development" };
  const wrong = [
    "http://preferences.acme.example",
    "https://preferences.acme.example/path",
    "https://preferences.acme.example?x=1",
    "https://preferences.acme.example#x",
    "https://user:secret@preferences.acme.example",
    "https://preferences.acme.example@evil.example",
    "https://preferences.acme.example\\evil.example",
    "https:preferences.acme.example",
    "//preferences.acme.example",
    "javascript:alert(1)",
    "https://a b.example",
    "https://x\r\nBcc: a@example.com",
    "https://localhost",
    "preferences.acme.example",
    `https://${"a".repeat(290)}.example`,
  ];
  for (const pagesUrl of wrong) {
    const faults = await faultsOf(client, "environments.update", { params, body: { pagesUrl } });
    assert.deepEqual(Object.keys(faults), ["pagesUrl"], pagesUrl);
  }
  assert.equal((await client("environments.list")).body[0]!.pagesUrl, undefined);
});
