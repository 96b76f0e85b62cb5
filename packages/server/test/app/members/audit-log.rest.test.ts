// The audit log: who changed what, before and after, from where; and what is not in it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type AuditEntry, isAudited, type Operation, operations, readsOnly } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import fc from "@tidings/testkit/properties";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { actionOf } from "../../../src/app/members/audit-words.ts";
import { changedFields } from "../../../src/pipeline/effects/audited-fields.ts";
import { purgeAuditLog } from "../../../src/store/installation/purges.ts";
import { invite, signInOwner, visit } from "./browsers.ts";

const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_TRUSTED_PROXIES: "127.0.0.1" });
const owner = await signInOwner(service);
const editor = await invite(service, owner, "editor");
const environmentId = owner.session.environments[0]!._id;

async function entries(query: Record<string, unknown> = {}): Promise<AuditEntry[]> {
  const reply = await owner.call("auditLog.list", { query: { limit: 100, ...query } });
  assert.equal(reply.status, 200, reply.text);
  return (reply.body as { data: AuditEntry[] }).data;
}

const newest = async (operation: string) => (await entries({ operation }))[0]!;

test("a change by a person: who, what, before and after, from where", async () => {
  await createWorkflow(service.client, "audited", [inApp()]);
  const headers = { "user-agent": "A browser" };
  const params = { workflowId: "audited" };
  const reply = await editor.call("workflows.patch", { params, body: { active: false }, headers });
  assert.equal(reply.status, 200, reply.text);
  const { _id, createdAt, ...entry } = await newest("workflows.patch");
  assert.match(entry.address!, /^2001:db8:/);
  assert.deepEqual(entry, {
    actor: { type: "person", _id: editor.session.person._id, name: "editor@example.com" },
    operation: "workflows.patch",
    action: "changed the workflow",
    environmentId,
    environmentName: "Development",
    target: "audited",
    targetName: "audited",
    before: { active: true, ...pick(entry.before, ["status", "updatedBy", "versionId"]) },
    after: { active: false, ...pick(entry.after, ["status", "updatedBy", "versionId"]) },
    address: entry.address,
    userAgent: "A browser",
  });
});

const pick = (from: Record<string, unknown> | null, names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (from && name in from ? [[name, from[name]]] : [])));

test("a change of the configuration by an API key is logged, with the key as its author", async () => {
  const { actor, after } = await newest("workflows.create");
  assert.equal(actor.type, "key");
  assert.equal(actor.name, "API key of development");
  assert.match(JSON.stringify(after), /"workflowId":"audited"/);
});

test("what programs do all the time is not logged for API keys, and is for people", async () => {
  await createWorkflow(service.client, "triggered", [inApp()]);
  await trigger(service.client, "triggered", "ada");
  await service.client("subscribers.create", { body: { subscriberId: "grace" } });
  assert.deepEqual(await entries({ operation: "events" }), []);
  assert.deepEqual(await entries({ operation: "subscribers" }), []);
  const params = { subscriberId: "grace" };
  await editor.call("subscribers.update", { params, body: { firstName: "Grace" } });
  const { target, before, after } = await newest("subscribers.update");
  assert.deepEqual(
    (await entries({ subscriber: "grace" })).map(({ operation }) => operation),
    ["subscribers.update"],
  );
  assert.deepEqual(await entries({ subscriber: "nobody" }), []);
  assert.deepEqual([target, before, after], ["grace", {}, { firstName: "Grace" }]);
});

test("the rule over all operations: people's changes always, keys' changes of the configuration, reads but exports never", () => {
  const all = Object.values(operations) as Operation[];
  const resourceOf = ({ id }: Operation) => id.split(".")[0]!;
  const byKey = all.filter((one) => isAudited(one, "key"));
  const configuration = [...new Set(byKey.map(resourceOf))].sort();
  assert.deepEqual(configuration, [
    ...[
      "alertRules",
      "assets",
      "attention",
      "audiences",
      "brand",
      "bridge",
      "broadcasts",
      "categories",
      "environmentVariables",
      "environments",
      "files",
      "gallery",
      "integrations",
      "layouts",
      "retention",
      "sources",
      "stepTemplates",
      "translations",
      "webhooks",
    ],
    "workflows",
  ]);
  // A test of a workflow is an event; a check, a request sent by hand and a viewer's sign change nothing.
  const others = ["workflows.test", "workflows.sendRequest", "workflows.announceViewer", "broadcasts.check"];
  const isOther = ({ id }: Operation) => others.includes(id);
  const changes = all.filter((one) => configuration.includes(resourceOf(one)) && !readsOnly(one) && !isOther(one));
  assert.deepEqual(byKey, changes);
  for (const id of ["events.trigger", "subscribers.create", "subscribers.markMessages"] as const) {
    assert.equal(isAudited(operations[id], "key"), false);
    assert.equal(isAudited(operations[id], "member"), true);
  }
  assert.equal(isAudited(operations["workflows.list"], "member"), false);
  const reads = (Object.values(operations) as Operation[]).filter((one) => readsOnly(one) && isAudited(one, "member"));
  assert.deepEqual(
    reads.map(({ id }) => id),
    ["scenarios.export"],
  );
  assert.equal(isAudited(operations["scenarios.export"], "key"), false);
});

test("secrets are masked: credentials, keys, passwords, links", async () => {
  const credentials = { apiKey: "SG.s3cret-1", from: "a@example.com", senderName: "A" };
  const body = { providerId: "sendgrid", channel: "email", credentials, active: true, identifier: "mail" };
  const made = await editor.call("integrations.create", { body });
  assert.equal(made.status, 201, made.text);
  const { _id } = made.body as { _id: string };
  const change = { credentials: { ...credentials, apiKey: "SG.s3cret-2" } };
  await editor.call("integrations.update", { params: { integrationId: _id }, body: change });
  await owner.call("environments.createApiKey", { params: { environmentId } });
  await editor.call("webhooks.create", { body: { url: "https://example.com/hook" } });
  await owner.call("people.createInvitation", { body: { email: "masked@example.com", role: "viewer" } });
  await editor.call("auth.updatePerson", {
    body: { password: "s3cret password", currentPassword: "correct horse battery" },
  });
  const text = JSON.stringify(await entries());
  for (const operation of ["integrations.update", "environments.createApiKey", "webhooks.create", "auth.updatePerson"])
    assert.ok(text.includes(`"${operation}"`), operation);
  assert.doesNotMatch(text, /s3cret|tdg_|whsec_|token=|correct horse/);
  assert.deepEqual((await newest("people.createInvitation")).after, {
    request: { email: "masked@example.com", role: "viewer" },
  });
});

test("of an event the log has workflow, recipients and transaction id, and no content", async () => {
  const to = [
    {
      subscriberId: "otto",
      email: "otto@s3cret.example",
      channels: [{ credentials: { webhookUrl: "https://s3cret" } }],
    },
    { type: "Topic", topicKey: "news" },
    "grace",
  ];
  const headers = { authorization: "Bearer s3cret", "x-api-key": "s3cret" };
  const overrides = { providers: { sendgrid: { _passthrough: { headers, query: { api_key: "s3cret" } } } } };
  const event = { name: "triggered", to, payload: { code: "s3cret" }, overrides };
  const reply = await editor.call("events.trigger", { body: event });
  assert.equal(reply.status, 201, reply.text);
  const { transactionId } = reply.body as { transactionId: string };
  const recorded = { workflow: "triggered", to: ["otto", { topicKey: "news" }, "grace"], transactionId };
  assert.deepEqual((await newest("events.trigger")).after, { request: recorded });
  const bulk = await editor.call("events.triggerBulk", { body: { events: [{ ...event, transactionId: "t-9" }] } });
  assert.equal(bulk.status, 201, bulk.text);
  const events = [{ ...recorded, transactionId: "t-9" }];
  assert.deepEqual((await newest("events.triggerBulk")).after, { request: { events, count: 1 } });
  await editor.call("events.broadcast", { body: { name: "triggered", payload: { code: "s3cret" } } });
  await editor.call("imports.create", { body: { kind: "subscribers", csv: "subscriberId,email\na,a@s3cret.example" } });
  const many = { subscribers: [{ subscriberId: "bulk-1", email: "b@s3cret.example" }] };
  await editor.call("subscribers.createBulk", { body: many });
  assert.deepEqual((await newest("subscribers.createBulk")).after, { request: { subscriberIds: ["bulk-1"] } });
  assert.doesNotMatch(JSON.stringify(await entries()), /s3cret/);
});

test("addresses that hold secrets are masked: endpoints, webhooks, credentials of subscribers", async () => {
  const chat = { providerId: "slack", channel: "chat", active: false, identifier: "chat" };
  assert.equal((await editor.call("integrations.create", { body: chat })).status, 201);
  await service.client("subscribers.create", { body: { subscriberId: "hooked" } });
  const own = { subscriberId: "hooked", integrationIdentifier: "chat", identifier: "hook-1", type: "webhook" };
  const endpoint = { url: "https://hooks.example.com/s3cret" };
  const made = await editor.call("channelEndpoints.create", { body: { ...own, endpoint } });
  assert.equal(made.status, 201, made.text);
  const params = { identifier: "hook-1" };
  // The second time nothing changes, so that the entry has the request.
  for (const _ of [1, 2])
    await editor.call("channelEndpoints.update", { params, body: { endpoint: { url: `${endpoint.url}-2` } } });
  const credentials = { webhookUrl: "https://hooks.example.com/s3cret", channel: "general" };
  const body = { providerId: "slack", integrationIdentifier: "chat", credentials };
  await editor.call("subscribers.replaceCredentials", { params: { subscriberId: "hooked" }, body });
  const webhook = await editor.call("webhooks.create", { body: { url: "https://example.com/hook?key=s3cret" } });
  const webhookId = (webhook.body as { id: string }).id;
  const change = { url: "https://example.com/hook?key=s3cret-2" };
  await editor.call("webhooks.update", { params: { webhookId }, body: change });
  assert.deepEqual((await newest("webhooks.update")).after, { url: "https://example.com/hook" });
  await editor.call("webhooks.rotateSecret", { params: { webhookId } });
  const written = await entries();
  assert.doesNotMatch(JSON.stringify(written), /s3cret/);
  assert.equal(written.filter(({ operation }) => operation === "channelEndpoints.update").length, 2);
});

test("exports of people's data leave an entry: files of subscribers, and scenarios", async () => {
  const { client, url } = service;
  const transactionId = await trigger(client, "triggered", { subscriberId: "exported", email: "e@s3cret.example" });
  const support = await invite(service, owner, "support");
  await support.call("scenarios.export", { query: { transactionId } });
  for (const path of [
    "subscribers.csv",
    "subscriptions.csv?topicKey=news",
    "activity.csv?search=e@s3cret.example&outcome=failed",
  ]) {
    await client("topics.create", { body: { key: "news" } });
    const answer = await fetch(`${url}/v1/exports/${path}`, { headers: support.headers() });
    assert.equal(answer.status, 200, await answer.text());
  }
  const written = (await entries({ person: support.session.person._id })).slice(0, 4);
  assert.deepEqual(
    written.map(({ operation, target, before, after }) => [operation, target, before, after]),
    [
      ["exports.activity", null, null, { request: { outcome: "failed" } }],
      ["exports.subscriptions", "news", null, null],
      ["exports.subscribers", null, null, null],
      ["scenarios.export", null, null, { request: { transactionId } }],
    ],
  );
  assert.ok(written.every((entry) => entry.environmentId === environmentId && entry.address !== null));
});

test("values with the names of credentials are masked, however the names are written", () => {
  const names = [
    "Authorization",
    "x-api-key",
    "api_key",
    "X-Auth-Token",
    "Cookie",
    "client_secret",
    "directWebhookUrl",
  ];
  const data = Object.fromEntries(names.map((name) => [name, "s3cret"]));
  const { after } = changedFields(null, {
    request: { data, overrides: { email: { _passthrough: { headers: data } } } },
  });
  assert.doesNotMatch(JSON.stringify(after), /s3cret/);
});

test("deleting a subscriber removes what the log has of it, and keeps who changed it and when", async () => {
  const about = async () =>
    (await entries()).filter(
      ({ target, operation }) => target?.startsWith("gone") || operation === "subscribers.create",
    );
  const params = { subscriberId: "gone" };
  const profile = { email: "gone@example.com", firstName: "Gone" };
  const made = await editor.call("subscribers.create", { body: { subscriberId: "gone", ...profile } });
  assert.equal(made.status, 201, made.text);
  await editor.call("subscribers.update", { params, body: { phone: "+44123", data: { plan: "gone-gold" } } });
  await editor.call("subscribers.create", { body: { subscriberId: "kept", email: "kept@example.com" } });
  const phone = { providerId: "whatsapp-business", channel: "chat", active: false, identifier: "wa" };
  await editor.call("integrations.create", { body: phone });
  const place = { subscriberId: "gone", integrationIdentifier: "wa", identifier: "gone-wa", type: "phone" };
  await editor.call("channelEndpoints.create", { body: { ...place, endpoint: { phoneNumber: "+441234567890" } } });
  const kept = JSON.stringify(await about());
  assert.ok(kept.includes("gone@example.com") && kept.includes("+441234567890"), kept);
  assert.equal((await editor.call("subscribers.delete", { params })).status, 200);
  const left = await about();
  assert.doesNotMatch(JSON.stringify(left), /gone@example|\+44123|gone-gold/);
  assert.match(JSON.stringify(left), /kept@example.com/);
  assert.deepEqual(
    left.filter(({ target }) => target === "gone").map(({ operation, before, after }) => [operation, before, after]),
    [
      ["subscribers.delete", null, null],
      ["subscribers.update", null, null],
    ],
  );
});

test("sign-ins are logged, refused requests are not", async () => {
  const before = await entries();
  assert.ok(before.some(({ operation }) => operation === "auth.redeemLink"));
  errorOf(await editor.call("workflows.delete", { params: { workflowId: "no-such" } }), "WORKFLOW_NOT_FOUND");
  errorOf(await editor.call("people.list"), "ROLE_NOT_ALLOWED");
  assert.equal((await entries()).length, before.length);
});

test("a person who changes roles, and a record that is deleted", async () => {
  const viewer = await invite(service, owner, "viewer", "changing@example.com");
  const params = { personId: viewer.session.person._id };
  await owner.call("people.update", { params, body: { role: "support" } });
  const { before, after, environmentId: where } = await newest("people.update");
  assert.deepEqual([before, after, where], [{ role: "viewer" }, { role: "support" }, null]);
  await owner.call("people.delete", { params });
  const removed = await newest("people.delete");
  assert.equal(removed.before!.email, "changing@example.com");
  assert.equal(removed.after, null);
});

test("the list is filtered by person, operation, environment and time, and paged newest first", async () => {
  const all = await entries();
  const times = all.map(({ createdAt }) => createdAt);
  assert.deepEqual(times, [...times].sort().reverse());
  const byEditor = await entries({ person: editor.session.person._id });
  assert.ok(byEditor.length > 2 && byEditor.every(({ actor }) => actor._id === editor.session.person._id));
  assert.ok((await entries({ environment: environmentId })).every((one) => one.environmentId === environmentId));
  const middle = times[3]!;
  assert.ok((await entries({ from: middle })).every(({ createdAt }) => createdAt >= middle));
  assert.ok((await entries({ to: middle })).every(({ createdAt }) => createdAt < middle));
  assert.deepEqual(await entries({ person: "no-such" }), []);
  const first = await owner.call("auditLog.list", { query: { limit: 2 } });
  const { next } = first.body as { next: string };
  const second = await owner.call("auditLog.list", { query: { limit: 2, after: next } });
  const ids = [first, second].flatMap(({ body }) => (body as { data: AuditEntry[] }).data.map(({ _id }) => _id));
  assert.deepEqual(
    ids,
    (await entries()).slice(0, 4).map(({ _id }) => _id),
  );
  const wrong = await owner.call("auditLog.list", { query: { from: "yesterday", after: "no cursor" } });
  errorOf(wrong, "VALIDATION_ERROR");
});

test("an entry stays small, and has only what changed", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (one, two) => {
      const { before, after } = changedFields(one, two);
      for (const name of Object.keys({ ...before, ...after }))
        assert.notEqual(JSON.stringify(one[name]), JSON.stringify(two[name]));
    }),
  );
  const long = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${n}`, "x".repeat(10_000)]));
  assert.ok(JSON.stringify(changedFields(long, {})).length < 100_000);
  assert.deepEqual(changedFields({ password: "a", list: [] }, { password: "b", list: [] }), {
    before: { password: "********" },
    after: { password: "********" },
  });
});

test("entries past their retention are purged, oldest first", async () => {
  const { length } = await entries();
  assert.equal(await purgeAuditLog(service.db, new Date(Date.now() - 86_400_000), 10), 0);
  assert.equal(await purgeAuditLog(service.db, new Date(Date.now() + 1_000), 2), 2);
  assert.equal((await entries()).length, length - 2);
});

const exported = async (query: Record<string, unknown>) => {
  const reply = await owner.call("auditLog.export", { query });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as { text: string; count: number; next: string | null; format: string };
};

test("failed sign-ins are recorded with the address as typed, without the password, three a minute of an address", async () => {
  const attempt = (email: string, address: string) =>
    visit(service, "auth.signIn", {
      body: { email, password: "wrong-s3cret" },
      headers: { "x-forwarded-for": address },
    });
  for (let count = 0; count < 4; count++) await attempt("Editor@example.com", "203.0.113.7");
  await attempt("=cmd@example.com", "203.0.113.8");
  const failed = await entries({ operation: "auth.signInFailed" });
  const of = (address: string) => failed.filter((entry) => entry.address === address);
  assert.equal(of("203.0.113.7").length, 3);
  assert.deepEqual(of("203.0.113.7")[2]!.actor, { type: "machine", _id: null, name: "Editor@example.com" });
  assert.equal(of("203.0.113.7")[2]!.target, editor.session.person._id);
  assert.match(JSON.stringify(of("203.0.113.7")[0]!.after), /are not recorded/);
  assert.deepEqual(of("203.0.113.8")[0]!.after, { method: "password", isKnown: false });
  assert.doesNotMatch(JSON.stringify(failed), /s3cret/);
});

test("the log is exported in parts as CSV, with formulas defused, and as JSON lines", async () => {
  const all = await entries();
  const csv = await exported({ operation: "auth.signInFailed" });
  const [head, ...lines] = csv.text.trimEnd().split("\r\n");
  assert.match(head!, /^"time","actor","actorType","actorId","operation",/);
  assert.equal(lines.length, csv.count);
  assert.ok(csv.text.includes(`,"'=cmd@example.com",`), csv.text);
  const { text, next, count } = await exported({ format: "json" });
  assert.deepEqual(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEntry),
    all.slice(0, count),
  );
  assert.equal(next === null, all.length <= 100);
  errorOf(await owner.call("auditLog.export", { query: { format: "xml" } }), "VALIDATION_ERROR");
  errorOf(await owner.call("auditLog.export", { query: { after: "x" } }), "VALIDATION_ERROR");
  const viewer = await invite(service, owner, "viewer", "exporting@example.com");
  errorOf(await viewer.call("auditLog.export"), "ROLE_NOT_ALLOWED");
});

const migrations = new URL("../../../src/store/migrations/", import.meta.url);
const migration = readdirSync(migrations).find((name) => name.endsWith("_audit_subscribers.sql"))!;

test("an update removes from older entries what new ones do not have", async () => {
  const { db, client } = service;
  await client("subscribers.create", { body: { subscriberId: "still-here" } });
  await sql`alter table audit_log drop column subscriber_id`.execute(db);
  const organizationId = (await db.selectFrom("organizations").select("id").executeTakeFirstOrThrow()).id;
  const old = (operation: string, target: string | null, before: object | null, after: object | null) =>
    sql`insert into audit_log (id, organization_id, environment_id, created_at, actor, operation, target, before, after)
      values (gen_random_uuid(), ${organizationId}, ${environmentId}, now(), 'old', ${operation}, ${target},
        ${before && JSON.stringify(before)}, ${after && JSON.stringify(after)})`.execute(db);
  await old("events.trigger", null, null, {
    request: { name: "w", transactionId: "t", payload: { code: "s3cret" }, to: { email: "s3cret" } },
  });
  await old("events.trigger", null, null, { request: '{"name":"s3cret"' });
  await old("imports.create", null, null, { request: { csv: "s3cret" } });
  await old("channelEndpoints.update", "e", { endpoint: { url: "s3cret" } }, { endpoint: { url: "s3cret" } });
  await old("channelEndpoints.create", "e", null, {
    request: { endpoint: { url: "https://s3cret" }, type: "webhook" },
  });
  await old("webhooks.update", "w", { url: "https://a/b?k=s3cret" }, { url: "https://a/b?k=s3cret#s3cret" });
  await old("webhooks.create", "w", null, { request: { url: "https://a/b?k=s3cret", active: true } });
  await old("bridge.sync", null, null, { request: { bridgeUrl: "https://a/b?k=s3cret" } });
  await old("deadLetterReplays.create", "r", null, { request: { ids: ["1"], payload: { code: "s3cret" } } });
  await old("subscribers.update", "left", { email: "s3cret" }, { email: "s3cret-2" });
  await old("subscribers.delete", "left", { subscriberId: "left", email: "s3cret" }, null);
  await old("subscribers.update", "still-here", { firstName: "A" }, { firstName: "B" });
  await sql.raw(readFileSync(new URL(migration, migrations), "utf8")).execute(db);
  const { rows } = await sql<{ text: string }>`
    select concat_ws(' ', operation, subscriber_id, before, after) as text from audit_log where actor = 'old'
  `.execute(db);
  assert.deepEqual(rows.map(({ text }) => text).sort(), [
    'bridge.sync {"request": {"bridgeUrl": "https://a/b"}}',
    'channelEndpoints.create {"request": {"type": "webhook", "endpoint": {"url": "********"}}}',
    'channelEndpoints.update {"endpoint": {"url": "********"}} {"endpoint": {"url": "********"}}',
    'deadLetterReplays.create {"request": {"ids": ["1"]}}',
    'events.trigger {"request": {"workflow": "w", "transactionId": "t"}}',
    'events.trigger {"request": {}}',
    "imports.create",
    "subscribers.delete left",
    "subscribers.update left",
    'subscribers.update still-here {"firstName": "A"} {"firstName": "B"}',
    'webhooks.create {"request": {"url": "https://a/b", "active": true}}',
    'webhooks.update {"url": "https://a/b"} {"url": "https://a/b"}',
  ]);
});

test("entries have names and verbs: of every operation, and of what is named by an id", async () => {
  const audited = (Object.values(operations) as Operation[]).filter((one) => isAudited(one, "member"));
  assert.deepEqual(
    audited.filter(({ id }) => actionOf(id) === id).map(({ id }) => id),
    [],
  );
  const told = async (operation: string) => {
    const { action, targetName } = await newest(operation);
    return `${action} ${targetName}`;
  };
  const suppressed = await editor.call("suppressions.create", {
    body: { channel: "email", address: "Ada@Example.com" },
  });
  const { id } = suppressed.body as { id: string };
  await editor.call("suppressions.delete", { params: { suppressionId: id } });
  assert.equal(await told("suppressions.delete"), "took an address off the suppression list ada@example.com");

  const { body: integration } = await service.client("integrations.create", {
    body: { providerId: "sendgrid", channel: "email", name: "Shop mail", identifier: "shop-mail", credentials: {} },
  });
  for (const integrationId of [integration._id!, "shop-mail"]) {
    await editor.call("integrations.update", {
      params: { integrationId },
      body: { active: false },
    });
    assert.equal(await told("integrations.update"), "changed the integration Shop mail");
  }
  await editor.call("webhooks.create", {
    body: { url: "https://example.com/hook?key=s3cret", eventTypes: ["message.sent"] },
  });
  assert.equal(await told("webhooks.create"), "added the webhook https://example.com/hook");

  await editor.call("subscribers.create", { body: { subscriberId: "named", firstName: "Nora", lastName: "Named" } });
  await editor.call("subscribers.update", { params: { subscriberId: "named" }, body: { locale: "de_DE" } });
  assert.equal(await told("subscribers.update"), "changed the person Nora Named");
  await editor.call("subscribers.delete", { params: { subscriberId: "named" } });
  assert.equal(await told("subscribers.update"), "changed the person null", "the name goes with the person");

  const invited = await owner.call("people.createInvitation", { body: { email: "new@example.com", role: "viewer" } });
  const { data } = invited.body as { data: { _id: string } };
  await owner.call("people.deleteInvitation", { params: { invitationId: data._id } });
  assert.equal(await told("people.deleteInvitation"), "revoked an invitation new@example.com");
});

test("looking at something leaves no entry", async () => {
  const { body: layout } = await service.client("layouts.create", {
    body: { layoutId: "looked-at", name: "Looked at" },
  });
  const preview = await editor.call("layouts.preview", { params: { layoutId: layout.layoutId }, body: {} });
  assert.equal(preview.status, 201, preview.text);
  const dryRun = { name: "audited", to: "ada", payload: {} };
  await editor.call("explain.dryRun", { body: dryRun });
  const written = await entries({ person: editor.session.person._id });
  assert.deepEqual(
    written.filter(({ operation }) => /preview|dryRun|diff|plan/.test(operation)),
    [],
  );
});
