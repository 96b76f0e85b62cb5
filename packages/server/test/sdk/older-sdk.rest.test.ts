// The published older SDK, @novu/node 2.x, unmodified against the service in the vocabulary `novu`: every call of every
// part, with what it returns. What Tidings does not have is refused with a text that names the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Novu } from "@novu/node";
import { type Operation, operations } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled } from "@tidings/testkit/verbs";
import { unsupported } from "../../src/http/aliases/unsupported.ts";

const service = await shareService({ TIDINGS_VOCABULARY: "novu" });
const { client, url, apiKey } = service;
const novu = new Novu(apiKey, { backendUrl: url });

await createWorkflow(client, "old-welcome", [inApp({ body: "Hi {{payload.name}}" }), email()]);
await createWorkflow(client, "old-spare", [inApp({ body: "x" })]);
await client("layouts.create", { body: { layoutId: "old-base", name: "Base" } });
await client("layouts.create", { body: { layoutId: "old-frame", name: "Frame" } });
const { body: fcm } = await client("integrations.create", {
  body: { providerId: "fcm", channel: "push", identifier: "old-fcm", active: false },
});

type Answer = { status: number; data: never };
type Part = Record<string, (...args: unknown[]) => Promise<Answer>>;
const parts = novu as unknown as Record<string, Part>;

/** Values that later calls need. */
const known = { messageId: "", transactionId: "", notificationId: "", environmentId: "", integrationId: "" };

type Refused = { refused: RegExp; status: number };
type Expected = number | [status: number, path: string, value: unknown] | Refused;
type Row = [call: string, args: unknown[] | (() => unknown[]), expected: Expected];

const gone = (instead: RegExp): Refused => ({ status: 410, refused: instead });
const refused = (status: number, text: RegExp): Refused => ({ status, refused: text });

/** `path` of the body: `data.email` is the member `email` of the wrapped record. */
const rows: Row[] = [
  ["subscribers.identify", ["ada", { email: "ada@example.com", firstName: "Ada" }], [201, "data.subscriberId", "ada"]],
  ["subscribers.identify", ["ada", { lastName: "L" }], [201, "data.email", "ada@example.com"]],
  ["subscribers.bulkCreate", [[{ subscriberId: "bob" }, { subscriberId: "eve" }]], [201, "created.length", 2]],
  ["subscribers.list", [0, 2], [200, "data.length", 2]],
  ["subscribers.list", [1, 2], [200, "data.length", 1]],
  ["subscribers.list", [200, 100], refused(422, /use GET \/v2\/subscribers with a cursor/)],
  ["subscribers.get", ["ada"], [200, "data.lastName", "L"]],
  ["subscribers.get", ["zoe"], refused(404, /zoe/)],
  ["subscribers.update", ["ada", { lastName: "Lovelace" }], [200, "data.lastName", "Lovelace"]],
  ["subscribers.update", ["ada", { email: 7 }], refused(422, /./)],
  ["subscribers.setCredentials", ["ada", "fcm", { deviceTokens: ["t1"] }], refused(404, /fcm/)],
  ["subscribers.setCredentials", ["ada", "fcm", { deviceTokens: ["t1"] }, "old-fcm"], [200, "channels.length", 1]],
  ["subscribers.unsetCredentials", ["ada", "fcm"], refused(404, /fcm/)],
  ["subscribers.deleteCredentials", ["ada", "fcm"], 204],
  ["subscribers.updateOnlineStatus", ["ada", true], [200, "isOnline", true]],
  ["subscribers.updateOnlineStatus", ["ada", "yes"], refused(422, /./)],
  [
    "events.trigger",
    ["old-welcome", { to: { subscriberId: "ada" }, payload: { name: "Ada" } }],
    [201, "status", "processed"],
  ],
  ["events.bulkTrigger", [[{ name: "old-welcome", to: "ada", payload: {} }]], [201, "0.status", "processed"]],
  ["events.broadcast", ["old-welcome", { payload: {} }], [201, "status", "processed"]],
  ["events.cancel", () => [known.transactionId], 200],
  ["subscribers.getNotificationsFeed", ["ada", { page: 0 }], 200],
  ["subscribers.getUnseenCount", ["ada", false], 200],
  ["subscribers.markMessageSeen", () => ["ada", known.messageId], [201, "data.0.seen", true]],
  ["subscribers.markMessageRead", () => ["ada", known.messageId], [201, "data.0.read", true]],
  [
    "subscribers.markMessageAs",
    () => ["ada", [known.messageId], { seen: true, read: false }],
    [201, "data.0.read", false],
  ],
  ["subscribers.markMessageAs", () => ["ada", known.messageId, { seen: false }], [201, "data.0.seen", false]],
  ["subscribers.markMessageAs", () => ["ada", known.messageId, {}], refused(422, /./)],
  ["subscribers.markMessageAs", () => ["bob", known.messageId, { read: true }], refused(404, /./)],
  ["subscribers.markAllMessagesAs", ["ada", "read"], 201],
  [
    "subscribers.markMessageActionSeen",
    () => ["ada", known.messageId, "primary", { status: "done" }],
    refused(400, /no primary action/),
  ],
  ["subscribers.getPreference", ["ada"], [200, "data.0.preference.channels.in_app", true]],
  ["subscribers.getGlobalPreference", ["ada"], [200, "data.0.preference.enabled", true]],
  ["subscribers.getPreferenceByLevel", ["ada", "template"], [200, "data.0.preference.enabled", true]],
  [
    "subscribers.updatePreference",
    ["ada", "old-welcome", { channel: { type: "email", enabled: false } }],
    [200, "data.preference.channels", { in_app: true, email: false }],
  ],
  [
    "subscribers.updatePreference",
    ["ada", "old-welcome", { enabled: false }],
    [200, "data.preference.channels", { in_app: false, email: false }],
  ],
  ["subscribers.updatePreference", ["ada", "nope", { enabled: true }], refused(404, /nope/)],
  [
    "subscribers.updateGlobalPreference",
    ["ada", { preferences: [{ type: "email", enabled: false }] }],
    [200, "data.preference.channels.email", false],
  ],
  [
    "subscribers.updateGlobalPreference",
    ["ada", { preferences: [{ type: "fax", enabled: false }] }],
    refused(422, /./),
  ],
  ["subscribers.delete", ["eve"], [200, "data.acknowledged", true]],

  ["topics.create", [{ key: "team", name: "Team" }], [201, "data.key", "team"]],
  ["topics.create", [{ key: "team", name: "Again" }], refused(409, /team/)],
  [
    "topics.addSubscribers",
    ["team", { subscribers: ["ada", "zoe"] }],
    [200, "data", { succeeded: ["ada"], failed: { notFound: ["zoe"] } }],
  ],
  ["topics.addSubscribers", ["nope", { subscribers: ["ada"] }], refused(404, /nope/)],
  ["topics.addSubscribers", ["team", {}], refused(422, /subscribers must be/)],
  ["topics.removeSubscribers", ["team", {}], refused(422, /subscribers must be/)],
  ["topics.getSubscriber", ["team", "ada"], 200],
  ["topics.checkSubscriber", ["team", "bob"], refused(404, /./)],
  ["topics.list", [{ page: 0, pageSize: 5 }], [200, "data.0.key", "team"]],
  ["topics.get", ["team"], [200, "data.subscribers", ["ada"]]],
  ["topics.rename", ["team", "Crew"], [200, "data.name", "Crew"]],
  ["topics.removeSubscribers", ["team", { subscribers: ["ada"] }], 204],
  ["topics.get", ["team"], [200, "data.subscribers", []]],
  ["topics.delete", ["team"], 204],
  ["topics.delete", [".."], refused(404, /./)],

  ["notificationTemplates.getAll", [0, 10], [200, "data.0.triggers.0.identifier", "old-spare"]],
  ["notificationTemplates.getOne", ["old-spare"], [200, "data.active", true]],
  ["notificationTemplates.updateStatus", ["old-spare", false], [200, "data.active", false]],
  ["notificationTemplates.create", [{ name: "x" }], gone(/POST \/v2\/workflows/)],
  ["notificationTemplates.update", ["old-spare", {}], gone(/PUT \/v2\/workflows/)],
  ["notificationTemplates.delete", ["old-spare"], [200, "data", true]],
  ["layouts.list", [{ page: 0, pageSize: 10 }], [200, "totalCount", 2]],
  ["layouts.get", ["old-frame"], [200, "data.name", "Frame"]],
  ["layouts.create", [{ name: "x" }], gone(/POST \/v2\/layouts/)],
  ["layouts.update", ["old-frame", { name: "x" }], gone(/PUT \/v2\/layouts/)],
  ["layouts.setDefault", ["old-frame"], gone(/the first layout/)],
  ["layouts.delete", ["old-base"], refused(409, /default/)],
  ["layouts.delete", ["old-frame"], 204],

  ["integrations.getAll", [], 200],
  ["integrations.getActive", [], 200],
  ["integrations.getInAppStatus", [], gone(/GET \/v1\/integrations/)],
  ["integrations.getWebhookProviderStatus", ["sendgrid"], gone(/GET \/v1\/integrations/)],
  [
    "integrations.create",
    ["sendgrid", { channel: "email", identifier: "old-mail", active: false }],
    [201, "identifier", "old-mail"],
  ],
  ["integrations.update", () => [known.integrationId, { name: "Push" }], [200, "name", "Push"]],
  ["integrations.setIntegrationAsPrimary", () => [known.integrationId], refused(400, /primary/)],
  ["integrations.delete", () => [known.integrationId], 200],
  ["messages.list", [{ page: 0, limit: 5 }], 200],
  ["messages.deleteById", () => [known.messageId], 200],
  ["messages.deleteByTransactionId", () => [known.transactionId], 204],
  [
    "executionDetails.get",
    () => [{ notificationId: known.notificationId, subscriberId: "ada" }],
    [200, "data.0.detail", "Step created"],
  ],
  ["executionDetails.get", [{}], refused(422, /./)],

  ["environments.getCurrent", [], [200, "data.name", "Development"]],
  ["environments.getAll", [], 200],
  ["environments.create", [{ name: "Old", color: "#123456" }], 201],
  ["environments.updateOne", () => [known.environmentId, { name: "Development" }], 200],
  ["environments.getApiKeys", [], gone(/api-keys/)],
  ["environments.regenerateApiKeys", [], gone(/api-keys/)],

  ["changes.get", [{}], gone(/publish/)],
  ["changes.getCount", [], gone(/publish/)],
  ["changes.applyOne", ["x"], gone(/publish/)],
  ["changes.applyMany", [["x"]], gone(/publish/)],
  ["notificationGroups.create", ["x"], gone(/tags of workflows/)],
  ["notificationGroups.get", [], gone(/tags of workflows/)],
  ["notificationGroups.getOne", ["x"], gone(/tags of workflows/)],
  ["notificationGroups.update", ["x", {}], gone(/tags of workflows/)],
  ["notificationGroups.delete", ["x"], gone(/tags of workflows/)],
  ["feeds.create", ["x"], gone(/filtered by tag/)],
  ["feeds.get", [], gone(/filtered by tag/)],
  ["feeds.delete", ["x"], gone(/filtered by tag/)],
  ["tenants.create", ["x", {}], gone(/contexts/)],
  ["tenants.update", ["x", {}], gone(/contexts/)],
  ["tenants.list", [{}], gone(/contexts/)],
  ["tenants.get", ["x"], gone(/contexts/)],
  ["tenants.delete", ["x"], gone(/contexts/)],
  ["inboundParse.getMxStatus", [], gone(/mail provider/)],
  ["organizations.list", [], gone(/dashboard/)],
  ["organizations.create", [{}], gone(/dashboard/)],
  ["organizations.rename", [{}], gone(/dashboard/)],
  ["organizations.getCurrent", [], gone(/dashboard/)],
  ["organizations.removeMember", ["x"], gone(/dashboard/)],
  ["organizations.updateMemberRole", ["x", {}], gone(/dashboard/)],
  ["organizations.getMembers", [], gone(/dashboard/)],
  ["organizations.updateBranding", [{}], gone(/dashboard/)],
  ["workflowOverrides.create", [{}], gone(/conditions of steps/)],
  ["workflowOverrides.list", [], gone(/conditions of steps/)],
  ["workflowOverrides.getOneById", ["x"], gone(/conditions of steps/)],
  ["workflowOverrides.updateOneById", ["x", {}], gone(/conditions of steps/)],
  ["workflowOverrides.getOneByTenantIdandWorkflowId", ["x", "y"], gone(/conditions of steps/)],
  ["workflowOverrides.updateOneByTenantIdandWorkflowId", ["x", "y", {}], gone(/conditions of steps/)],
  ["workflowOverrides.delete", ["x"], gone(/conditions of steps/)],
];

const valueAt = (body: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

/** After an event, what the calls on messages need. */
async function remember(call: string, { data }: Answer): Promise<void> {
  const { _id } = (call === "environments.getCurrent" && (data as { data: { _id: string } }).data) || { _id: "" };
  if (_id) known.environmentId = _id;
  if (call !== "events.trigger") return;
  known.transactionId = (data as { transactionId: string }).transactionId;
  known.integrationId = fcm._id ?? "";
  const [notification] = await settled(client, known.transactionId);
  known.notificationId = notification!._id ?? "";
  const { body } = await client("messages.list", {
    query: { transactionId: [known.transactionId], channel: "in_app" },
  });
  known.messageId = body.data[0]!._id ?? "";
}

test("every call of the SDK is in the table", () => {
  const calls = Object.entries(novu as unknown as Record<string, object>)
    .filter(([, part]) => typeof part === "object" && part !== null && "http" in part)
    .flatMap(([name, part]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(part))
        .filter((method) => method !== "constructor")
        .map((method) => `${name}.${method}`),
    );
  assert.ok(calls.length > 90, String(calls.length));
  assert.deepEqual([...new Set(rows.map(([call]) => call))].sort(), calls.sort());
});

for (const [index, [call, args, expected]] of rows.entries())
  test(`${index + 1}: ${call}`, async () => {
    const [part, method] = call.split(".") as [string, string];
    const given = typeof args === "function" ? args() : args;
    const answer = await parts[part]![method]!(...given).catch((error: { response?: Answer }) => {
      if (!error.response) throw error;
      return error.response;
    });
    const said = JSON.stringify(answer.data);
    if (typeof expected === "object" && "refused" in expected) {
      assert.equal(answer.status, expected.status, said);
      assert.match(said, expected.refused);
      if (expected.status === 410) assert.equal((answer.data as { code: string }).code, "NOT_SUPPORTED");
      return;
    }
    const [status, path, value] = Array.isArray(expected) ? expected : [expected];
    assert.equal(answer.status, status, said);
    if (path !== undefined) assert.deepEqual(valueAt(answer.data, path), value, said);
    await remember(call, answer);
  });

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(`${url}${path}`, {
    method,
    headers: { authorization: `ApiKey ${apiKey}`, ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

test("aliases need a key, count against the rate limit, and belong to the environment of the key", async () => {
  assert.equal((await send("GET", "/v1/subscribers/ada", { authorization: "ApiKey wrong" })).status, 401);
  assert.equal((await fetch(`${url}/v1/topics`)).status, 401);
  const counted = await send("GET", "/v1/subscribers/ada");
  assert.ok(Number(counted.headers.get("ratelimit-remaining")) > 0);
  await service.production("subscribers.create", { body: { subscriberId: "elsewhere" } });
  assert.equal((await send("GET", "/v1/subscribers/elsewhere")).status, 404);
});

test("a repeated request with an idempotency key is done once, also when it takes several operations", async () => {
  const channels = [{ providerId: "fcm", integrationIdentifier: "twice-fcm", credentials: { deviceTokens: ["t"] } }];
  await client("integrations.create", {
    body: { providerId: "fcm", channel: "push", identifier: "twice-fcm", active: false },
  });
  const ask = () => send("POST", "/v1/subscribers", { "idempotency-key": "k1" }, { subscriberId: "twice", channels });
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(second.headers.get("idempotency-replay"), "true");
  assert.deepEqual(await second.json(), await first.json());
});

test("the older notification center is told which package to use, also in a page of another origin", async () => {
  const path = "/v1/widgets/session/initialize";
  const page = { origin: "https://app.example.com" };
  const preflight = await fetch(`${url}${path}`, { method: "OPTIONS", headers: page });
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, page.origin]);
  const answer = await fetch(`${url}${path}`, { method: "POST", headers: page, body: "{}" });
  assert.deepEqual([answer.status, answer.headers.get("access-control-allow-origin")], [410, page.origin]);
  assert.match(((await answer.json()) as { message: string }).message, /use @novu\/react 3 .* socketUrl/);
});

test("a path with another method is 405", async () => {
  const wrong = await send("PATCH", "/v1/topics", {}, {});
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, POST"]);
});

test("every route that a refusal names exists", () => {
  const served = new Set((Object.values(operations) as Operation[]).map(({ method, path }) => `${method} ${path}`));
  const named = unsupported.flatMap(({ instead }) => instead.match(/(GET|POST|PUT) \/v[12]\/[\w/{}-]+/g) ?? []);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((route) => !served.has(route)),
    [],
  );
});
