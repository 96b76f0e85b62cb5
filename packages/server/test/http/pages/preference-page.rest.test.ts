// From the header of a mail to the preference page: one click unsubscribes, a GET changes nothing, and the token is the
// only authorisation. Pages are parsed as a browser without JavaScript reads them: form fields and checked boxes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, inApp, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import fastify from "fastify";
import { Parser } from "htmlparser2";
import type { Ctx } from "../../../src/context.ts";
import { createRateLimiter } from "../../../src/http/auth/rate-limit.ts";
import { addPreferencePage } from "../../../src/http/pages/preference-page.ts";
import { createSecrets, parseEncryptionKeys } from "../../../src/lib/secrets.ts";

const receiver = await startReceiver();
const publicUrl = "https://notify.example.com/tidings";
const service = await startTestService({ TIDINGS_PUBLIC_URL: `${publicUrl}/` });
const { client, production } = service;
const critical = { preferences: { workflow: { all: { enabled: true, readOnly: true } } } as never };

for (const name of ["Orders", "News"]) await createWorkflow(client, name.toLowerCase(), [email(), inApp()], { name });
await createWorkflow(client, "alarm", [email()], { name: "Alarm", ...critical });
await createWorkflow(client, "draft", [email()], { name: "Secret plans", active: false });

type Sent = { name?: string; overrides?: object; context?: object };

async function fire(subscriberId: string, { name = "orders", ...more }: Sent = {}) {
  const to = { subscriberId, email: `${subscriberId}@example.com`, firstName: "Ada <b>" };
  const { transactionId } = (await client("events.trigger", { body: { name, to, ...more } as never })).body;
  const [notification] = await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  return { notification: notification!, headers: (mail?.headers ?? {}) as Record<string, string>, isSent: !!mail };
}

async function mailTo(subscriberId: string, name: string): Promise<{ html: string }> {
  const { notification } = await fire(subscriberId, { name });
  const { body } = await client("captured.list", { query: { transactionId: notification.transactionId } });
  return body.data[0] as never;
}

async function linkFor(subscriberId: string): Promise<string> {
  const { headers } = await fire(subscriberId);
  const link = /^<(.+)>$/.exec(headers["List-Unsubscribe"]!)![1]!;
  assert.ok(link.startsWith(`${publicUrl}/u/`), link);
  return link.slice(publicUrl.length);
}

const get = async (path: string) => {
  const response = await fetch(`${service.url}${path}`);
  return { status: response.status, headers: response.headers, html: await response.text() };
};
const post = async (path: string, body: string | URLSearchParams | FormData, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.url}${path}`, { method: "POST", body, headers, redirect: "manual" });
  return { status: response.status, html: await response.text() };
};
const oneClick = () => new URLSearchParams({ "List-Unsubscribe": "One-Click" });

/** The fields that the form with rows would send. */
function formIn(html: string): URLSearchParams {
  const forms: URLSearchParams[] = [];
  let select = "";
  const parser = new Parser({
    onopentag: (tag, { type, name = "", value = "", checked, selected }) => {
      if (tag === "select") select = name;
      if (tag === "option" && selected !== undefined) forms.at(-1)!.append(select, value);
      if (tag === "form") forms.push(new URLSearchParams());
      if (tag === "input" && (type === "hidden" || checked !== undefined)) forms.at(-1)!.append(name, value);
    },
  });
  parser.end(html);
  return forms.at(-1)!;
}

const keyOf = (html: string, name: string) => new RegExp(`id="n-(\\w+)">${name}`).exec(html)![1]!;

const chosen = async (subscriberId: string, workflow = "orders", contextKeys: string[] = []) => {
  const input = { params: { subscriberId }, query: { contextKeys } };
  const { global, workflows } = (await client("subscribers.retrievePreferences", input)).body;
  return workflow === "" ? global.channels : workflows.find((one) => one.workflow.identifier === workflow)!.channels;
};

test("a mail that may be switched off says how, once and in the words of RFC 8058", async () => {
  const { headers } = await fire("ada", { overrides: { email: { headers: { "X-Kept": "yes" } } } });
  assert.equal(headers["X-Kept"], "yes");
  assert.match(headers["List-Unsubscribe"]!, /^<https:\/\/notify\.example\.com\/tidings\/u\/[\w.-]{100,200}>$/);
  assert.equal(headers["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
  assert.deepEqual((await fire("ada", { name: "alarm" })).headers, {});
  const own = { "list-unsubscribe": "<mailto:out@example.com>" };
  assert.deepEqual((await fire("ada", { overrides: { email: { headers: own } } })).headers, own);
});

test("templates of emails and layouts have both links, each signed for its reader", async () => {
  await client("layouts.create", { body: { layoutId: "linked", name: "Linked" } });
  const controlValues = {
    email: { body: '{{ content }}<a href="{{ preferencesUrl }}">Preferences</a>', editorType: "html" },
  };
  const { body: saved } = await client("layouts.update", {
    params: { layoutId: "linked" },
    body: { name: "Linked", controlValues } as never,
  });
  assert.equal(saved.issues, undefined);
  const body = '<p>Hello <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>';
  const step = email({ subject: "News", body, layoutId: "linked" });
  const workflow = await createWorkflow(client, "linked", [step]);
  assert.equal(workflow.steps[0]!.issues?.controls, undefined);
  assert.ok("unsubscribeUrl" in (workflow.steps[0]!.variables.properties as object));
  const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
  const [unsubscribe, preferences] = hrefs((await mailTo("ada", "linked")).html);
  const { headers } = await fire("ada", { name: "linked" });
  assert.equal(`<${unsubscribe}>`, headers["List-Unsubscribe"], "the link in the text is the one of the header");
  assert.equal(preferences, `${unsubscribe}#preferences`);
  assert.match((await get(unsubscribe!.slice(publicUrl.length))).html, /id="preferences"/);
  assert.notEqual(hrefs((await mailTo("bob", "linked")).html)[0], unsubscribe);

  const { result } = (await client("workflows.preview", { body: { workflowId: "linked", step } })).body.data;
  assert.deepEqual(hrefs(result.html!), [`${publicUrl}/u/preview`, `${publicUrl}/u/preview#preferences`]);
});

test("a critical workflow has no link to unsubscribe, and a message of another channel has none at all", async () => {
  const text = "Links: {{ unsubscribeUrl }}|{{ preferencesUrl }}";
  const workflow = await createWorkflow(
    client,
    "locked",
    [inApp({ body: text }), email({ subject: "S", body: text })],
    critical,
  );
  assert.match(JSON.stringify(workflow.steps[0]!.issues), /unsubscribeUrl/);
  const { html } = await mailTo("ada", "locked");
  assert.match(html, /Links: \|https:\/\/notify\.example\.com\/tidings\/u\/[\w.-]+#preferences/);
});

test("looking changes nothing and gives nothing away", async () => {
  const link = await linkFor("bea");
  const { status, headers, html } = await get(link);
  assert.equal(status, 200);
  assert.match(headers.get("content-security-policy")!, /^default-src 'none'; style-src 'unsafe-inline'; /);
  assert.deepEqual(
    ["cache-control", "referrer-policy", "x-robots-tag"].map((name) => headers.get(name)),
    ["no-store", "no-referrer", "noindex"],
  );
  assert.match(html, /For Ada &lt;b&gt; \(b•••@example\.com\)/);
  assert.ok(!html.includes("bea@"));
  assert.ok(html.indexOf(">Orders<") > 0 && html.includes(">News<"));
  assert.ok(!html.includes("Alarm") && !html.includes("Secret plans"));
  assert.ok(!/<script|https?:|<link|<img|\son\w+=/.test(html));
  assert.equal((await fetch(`${service.url}${link}`, { method: "HEAD" })).status, 200);
  assert.equal((await fetch(`${service.url}${link}`, { method: "DELETE" })).headers.get("allow"), "GET, HEAD, POST");
  assert.deepEqual(await chosen("bea"), { email: true, in_app: true });
});

test("one click switches off the mails of this workflow, and webhooks hear of it once", async () => {
  const { body: webhook } = await client("webhooks.create", {
    body: { url: `${receiver.url}/preferences`, eventTypes: ["preference.updated"] },
  });
  const link = await linkFor("cleo");
  const { status, html } = await post(link, oneClick());
  assert.equal(status, 200);
  assert.match(html, /You will no longer receive “Orders” by email\./);
  assert.deepEqual(await chosen("cleo"), { email: false, in_app: true });
  assert.deepEqual(await chosen("cleo", "news"), { email: true, in_app: true });
  const { notification, isSent } = await fire("cleo");
  assert.equal(isSent, false);
  assert.deepEqual(detailsOf(notification, "email").at(-1), "Step filtered by subscriber workflow preferences");

  // Mailboxes repeat, and may send the other kind of form.
  const form = new FormData();
  form.set("List-Unsubscribe", "One-Click");
  assert.equal((await post(link, form)).status, 200);
  const other = await linkFor("dora");
  assert.equal((await post(other, form)).status, 200);
  assert.deepEqual(await chosen("dora"), { email: false, in_app: true });
  const heard = () => receiver.of("/preferences").map(({ event }) => event.data.subscriberId);
  await eventually(() => heard().includes("dora"), "the webhooks");
  assert.deepEqual(heard().sort(), ["cleo", "dora"]);
  await client("webhooks.delete", { params: { webhookId: webhook.id } });
});

test("it counts in every context, whatever was chosen for one of them", async () => {
  const link = await linkFor("eve");
  const context = { tenant: "acme" };
  const body = { workflowId: "orders", channels: { email: true, in_app: false }, context };
  await client("subscribers.updatePreferences", { params: { subscriberId: "eve" }, body });
  await post(link, oneClick());
  assert.equal((await fire("eve", { context })).isSent, false);
  assert.deepEqual(await chosen("eve", "orders", ["tenant:acme"]), { email: false, in_app: false });
});

test("saving writes what the reader changed, and nothing else", async () => {
  const link = await linkFor("fay");
  const { html } = await get(link);
  const [orders, news] = [keyOf(html, "Orders"), keyOf(html, "News")];
  const form = formIn(html);
  assert.deepEqual(form.getAll(news), ["in_app", "email"] satisfies Channel[]);
  assert.match((await post(link, form)).html, /Nothing was changed\./);

  // Meanwhile another page switches something off; this one does not bring it back.
  await post(link, oneClick());
  form.delete(news, "email");
  form.delete("all", "in_app");
  const saved = await post(link, form);
  assert.equal(saved.status, 200);
  assert.match(saved.html, /role="status">Your preferences have been saved\./);
  const after = formIn(saved.html);
  assert.deepEqual([after.getAll("all"), after.getAll(orders), after.getAll(news)], [["email"], [], []]);
  const everything = { email: true, in_app: false };
  const { email: mail, in_app } = await chosen("fay", "");
  assert.deepEqual({ email: mail, in_app }, everything);
  assert.deepEqual(await chosen("fay", "news"), { email: false, in_app: false });

  // And back on. What is not on offer is not taken: a critical workflow, an unknown one, a word that is not a channel.
  after.append(news, "email");
  after.append("shown", "0000000000000000000000:email");
  after.append("shown", "nonsense");
  after.append(orders, "pigeon");
  assert.equal((await post(link, after)).status, 200);
  assert.deepEqual(await chosen("fay", "news"), { email: true, in_app: false });
});

test("unsubscribing can be undone, and leaves what was chosen before", async () => {
  const link = await linkFor("ina");
  const undone = formIn((await post(link, oneClick())).html);
  assert.deepEqual(await chosen("ina"), { email: false, in_app: true });
  const again = await post(link, undone);
  assert.match(again.html, /Undone: your earlier choice applies again\./);
  assert.deepEqual(await chosen("ina"), { email: true, in_app: true });
  // No choice is left: a later one for everything counts.
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "ina" },
    body: { channels: { email: false } },
  });
  assert.deepEqual(await chosen("ina"), { email: false, in_app: true });
});

test("everything but what is required can be switched off at once, and back on", async () => {
  await client("categories.create", {
    body: {
      categoryId: "product",
      name: "Product <i>",
      description: "News of the product",
      channels: { email: false },
    },
  });
  await client("categories.create", { body: { categoryId: "safety", name: "Safety", required: true } });
  await createWorkflow(client, "launch", [email()], { name: "Launch", categoryId: "product" });
  await createWorkflow(client, "breach", [email()], { name: "Breach", categoryId: "safety" });
  const subscriberId = "jo";
  const link = await linkFor(subscriberId);
  await client("subscribers.updatePreferences", {
    params: { subscriberId },
    body: { workflowId: "news", channels: { email: true } },
  });
  const { html } = await get(link);
  assert.match(html, /Product &lt;i&gt;[\s\S]*News of the product[\s\S]*Launch/);
  assert.match(html, /Safety[\s\S]*Always sent: this cannot be turned off\./);
  assert.ok(!html.includes(">Breach<"));
  const category = /id="n-(c_\w+)">Product/.exec(html)![1]!;
  const form = formIn(html);
  assert.deepEqual(form.getAll(category), [], "off by default");
  form.append(category, "email");
  await post(link, form);
  assert.deepEqual(await chosen(subscriberId, "launch"), { email: true });

  const stop = formIn((await get(link)).html);
  stop.append("stop", "all");
  const stopped = await post(link, stop);
  assert.match(stopped.html, /You are unsubscribed from everything that can be turned off\./);
  for (const name of ["orders", "news", "launch"]) assert.equal((await chosen(subscriberId, name)).email, false, name);
  assert.equal((await fire(subscriberId, { name: "breach" })).isSent, true);
  const forms = stopped.html.split("<form").slice(1);
  const undo = forms.find((one) => one.includes('name="was"'))!;
  const was = new URLSearchParams(
    [...undo.matchAll(/name="was" value="([^"]+)"/g)].map(([, value]): [string, string] => ["was", value!]),
  );
  await post(link, was);
  assert.deepEqual(await chosen(subscriberId), { email: true, in_app: true });
  assert.deepEqual(await chosen(subscriberId, "launch"), { email: true });
});

test("the page speaks the language of its reader, and says which", async () => {
  const link = await linkFor("kai");
  const read = async (locale: string | null, accepts = "") => {
    await client("subscribers.update", { params: { subscriberId: "kai" }, body: { locale } as never });
    const response = await fetch(`${service.url}${link}`, { headers: { "accept-language": accepts } });
    return response.text();
  };
  assert.match(await read("de_DE"), /<html lang="de" dir="ltr">[\s\S]*Einstellungen für Benachrichtigungen/);
  assert.match(await read("ar"), /<html lang="ar" dir="rtl">/);
  assert.match(await read("tlh"), /<html lang="en" dir="ltr">/);
  assert.match(await read("tlh", "ja,en;q=0.5"), /<html lang="ja" dir="ltr">/);
  const wrong = await fetch(`${service.url}/u/x`, { headers: { "accept-language": "fr" } });
  assert.match(await wrong.text(), /<html lang="fr" dir="ltr">[\s\S]*Ce lien ne fonctionne pas/);
});

test("what cannot be read is refused and changes nothing", async () => {
  const link = await linkFor("gil");
  const json = { "content-type": "application/json" };
  assert.equal((await post(link, '{"List-Unsubscribe":"One-Click"}', json)).status, 415);
  assert.equal((await post(link, new URLSearchParams({ a: "b" }))).status, 400);
  assert.equal((await post(link, "")).status, 415);
  assert.equal((await post(link, "--x", { "content-type": "multipart/form-data; boundary=y" })).status, 400);
  const large = await post(link, new URLSearchParams({ a: "x".repeat(70_000) }));
  assert.equal(large.status, 413);
  assert.match(large.html, /^<!doctype html>/);
  assert.deepEqual(await chosen("gil"), { email: true, in_app: true });
});

test("a token that we did not make leads nowhere", async () => {
  const link = await linkFor("hal");
  const token = link.slice("/u/".length);
  const [body, mac] = token.split(".") as [string, string];
  const ids = Buffer.from(body, "base64url").toString();
  const other = Buffer.from(ids.slice(0, 65) + (ids.endsWith("A") ? "B" : "A")).toString("base64url");
  const credentials = { applicationId: "1", clientId: "1", secretKey: "1", redirectUrl: "https://app.example/" };
  const integration = { providerId: "slack", channel: "chat", identifier: "slack", active: true } as const;
  await client("integrations.create", { body: { ...integration, credentials } });
  const oauth = { body: { integrationIdentifier: "slack" } } as const;
  const state = new URL((await client("integrations.createChatOauthUrl", oauth)).body.url).searchParams.get("state");
  for (const forged of [`${other}.${mac}`, `${body}.${mac.slice(0, -2)}AA`, body, "x", "%00", state!]) {
    for (const answer of [await get(`/u/${forged}`), await post(`/u/${forged}`, oneClick())]) {
      assert.equal(answer.status, 404, forged);
      assert.match(answer.html, /This link does not work/);
    }
  }
});

test("what has gone meanwhile is told kindly", async () => {
  await createWorkflow(client, "passing", [email()], { name: "Passing" });
  const { headers } = await fire("ida", { name: "passing" });
  const link = headers["List-Unsubscribe"]!.slice(1 + publicUrl.length, -1);
  await client("workflows.patch", { params: { workflowId: "passing" }, body: { name: "Pa & ssing" } as never });
  assert.match((await get(link)).html, /<h2>Pa &amp; ssing<\/h2>/);

  const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "passing" } });
  const update = { name: "Passing", steps: workflow.steps, origin: workflow.origin, ...critical };
  await client("workflows.update", { params: { workflowId: "passing" }, body: update as never });
  const refused = await post(link, oneClick());
  assert.equal(refused.status, 400);
  assert.match(refused.html, /cannot be turned off/);
  assert.ok(!(await get(link)).html.includes("Passing"));

  await client("workflows.delete", { params: { workflowId: "passing" } });
  assert.match((await post(link, oneClick())).html, /You are unsubscribed/);
  assert.equal((await get(link)).status, 200);
  await client("subscribers.delete", { params: { subscriberId: "ida" } });
  for (const answer of [await get(link), await post(link, oneClick())]) {
    assert.equal(answer.status, 200);
    assert.match(answer.html, /Nothing to change/);
  }
  // A new subscriber with the same `subscriberId` is another one.
  await client("subscribers.create", { body: { subscriberId: "ida" } });
  assert.match((await get(link)).html, /Nothing to change/);
  assert.deepEqual((await production("captured.list", {})).body.data, []);
});

test("pages have a rate limit of their own", async () => {
  const limiter = createRateLimiter({ trigger: 0, configuration: 0, global: 1, inbox: 0 }, () => 0);
  const server = fastify();
  addPreferencePage(server, { secrets: createSecrets(parseEncryptionKeys("ab".repeat(32))) } as Ctx, limiter);
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push((await server.inject("/u/made-up")).statusCode);
  assert.deepEqual(new Set(statuses), new Set([404]));
  const refused = await server.inject({ method: "POST", url: "/u/made-up", body: "List-Unsubscribe=One-Click" });
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers["retry-after"], "1");
  assert.match(refused.body, /Too many requests/);
  await server.close();
});

test("a reader chooses how often a digest is sent, for all contexts, from what the workflow offers", async () => {
  const offered = { amount: 1, unit: "seconds", allowFrequencyChoice: true, frequencies: ["daily", "weekly"] };
  const digest = { name: "Digest", type: "digest" as const, controlValues: offered };
  const { _id } = await createWorkflow(client, "summary", [digest, email()], { name: "Summary" });
  const path = await linkFor("nina");
  const params = { subscriberId: "nina" };
  const chosen = async (contextKeys?: string[]) => {
    const { body } = await client("subscribers.retrievePreferences", { params, query: { contextKeys } });
    return body.workflows.find(({ workflow }) => workflow.identifier === "summary")!.digestFrequency;
  };
  const choose = (digestFrequency: "daily" | "weekly", context?: object) =>
    client("subscribers.updatePreferences", {
      params,
      body: { workflowId: _id, digestFrequency, context } as never,
    });
  await choose("weekly", { tenant: "acme" });
  const { html } = await get(path);
  assert.match(html, /<option value="" selected>Default<.option><option value="daily">Daily</);
  assert.doesNotMatch(html, /Hourly/);
  const form = formIn(html);
  const name = [...form.keys()].find((key) => key.startsWith("f_"))!;
  assert.match((await post(path, form)).html, /Nothing was changed/);
  assert.equal(await chosen(["tenant:acme"]), "weekly", "an unchanged row is not written");

  form.set(name, "daily");
  const saved = await post(path, form);
  assert.match(saved.html, /have been saved/);
  assert.match(saved.html, /<option value="daily" selected>/);
  assert.deepEqual([await chosen(), await chosen(["tenant:acme"])], ["daily", "daily"]);
  const again = formIn(saved.html);
  for (const bad of ["instant", "monthly", "<b>"]) {
    again.set(name, bad);
    assert.match((await post(path, again)).html, /Nothing was changed/, bad);
  }
  again.set(name, "");
  await post(path, again);
  assert.equal(await chosen(), null);
});

test("a reader chooses how many messages they want at most, lower than the budget of the environment", async () => {
  const window = { amount: 1, unit: "day" } as const;
  const path = await linkFor("olga");
  assert.doesNotMatch((await get(path)).html, /How many at most/, "nothing is offered without a budget");
  await client("attention.update", {
    body: {
      budgets: [
        { channel: "email", limit: 5, window, overflow: "delay" },
        { channel: "sms", limit: 5, window, overflow: "delay" },
      ],
    },
  });
  const params = { subscriberId: "olga" };
  const stored = async () => (await client("subscribers.retrieveAttention", { params })).body.channels[0]!.own;
  const { html } = await get(path);
  assert.match(html, /<label for="l-email">Email<.label>[\s\S]*<select id="l-email" name="l_email">/);
  assert.match(html, /<option value="" selected>As many as there are<.option>/);
  assert.match(html, /<option value="3-day">At most 3 per day<.option>/);
  assert.doesNotMatch(html, /5-day|l_sms/, "what is not lower, and a channel without a step, is not offered");
  const form = formIn(html);
  assert.match((await post(path, form)).html, /Nothing was changed/);

  form.set("l_email", "3-day");
  const saved = await post(path, form);
  assert.match(saved.html, /have been saved/);
  assert.match(saved.html, /<option value="3-day" selected>/);
  assert.deepEqual(await stored(), { limit: 3, unit: "day" });
  const again = formIn(saved.html);
  for (const bad of ["5-day", "0-day", "101-week", "3-month", "<b>"]) {
    again.set("l_email", bad);
    assert.match((await post(path, again)).html, /Nothing was changed/, bad);
  }
  again.append("limits", "sms:");
  again.append("l_sms", "9-day");
  again.append("limits", "pigeon:");
  again.append("l_pigeon", "1-day");
  assert.match((await post(path, again)).html, /Nothing was changed/);
  assert.deepEqual(await stored(), { limit: 3, unit: "day" });
  again.set("l_email", "");
  assert.match((await post(path, again)).html, /<option value="" selected>As many/);
  assert.equal(await stored(), null);
  await client("attention.update", { body: { budgets: [] } });
});
