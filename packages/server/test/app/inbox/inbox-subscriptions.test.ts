// Topic subscriptions, and chat connections and endpoints, in the browser of a subscriber.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { type Inbox, openInbox } from "./browser.ts";

const service = await shareService();

type Details = {
  id: string;
  identifier: string;
  name?: string;
  preferences?: { enabled: boolean; workflow?: object }[];
};
const dataOf = <T>(reply: { body: unknown; status: number; text: string }, status = 200): T => {
  assert.equal(reply.status, status, reply.text);
  return (reply.body as { data: T }).data;
};

/** Ada and Eve of one environment, and Ada of another one. */
async function withPeople() {
  const [here, there] = [await newStage(service), await newStage(service)];
  const open = (environmentId: string, subscriberId: string, more: object = {}) =>
    openInbox(service, { applicationIdentifier: environmentId, subscriber: { subscriberId }, ...more });
  return {
    ...here,
    open: (subscriberId: string, more?: object) => open(here.environmentId, subscriberId, more),
    ada: await open(here.environmentId, "ada"),
    eve: await open(here.environmentId, "eve"),
    far: await open(there.environmentId, "ada"),
  };
}

test("a subscriber subscribes to a topic, reads and changes its subscription, and leaves", async () => {
  const { client, ada } = await withPeople();
  const { _id: workflowId } = await createWorkflow(client, "order", [inApp({ body: "Hi" })], { tags: ["shop"] });
  const { call } = ada;
  const path = "/topics/news/subscriptions";
  assert.deepEqual(dataOf(await call("GET", path)), []);
  const missing = await call("GET", `${path}/mine`);
  assert.deepEqual([missing.status, missing.text], [204, ""]);
  const body = {
    identifier: "mine",
    name: "Mine",
    topic: { name: "News" },
    preferences: [{ workflowId, enabled: true }],
  };
  const made = dataOf<Details>(await call("POST", path, body), 201);
  assert.deepEqual([made.identifier, made.name, made.preferences?.[0]?.enabled], ["mine", "Mine", true]);
  assert.deepEqual(dataOf<Details[]>(await call("GET", path)), [made]);
  assert.deepEqual(dataOf<Details>(await call("GET", `${path}/mine?tags=shop`)), made);
  assert.deepEqual(dataOf<Details>(await call("GET", `${path}/mine?workflowIds=other`)).preferences, []);
  const changed = dataOf<Details>(await call("PATCH", `${path}/mine`, { name: "Renamed" }));
  assert.deepEqual(changed, { ...made, name: "Renamed" });
  const off = await call("PATCH", `/subscriptions/mine/preferences/${workflowId}`, { enabled: false });
  assert.equal(dataOf<{ enabled: boolean }>(off).enabled, false);
  const on = await call("PATCH", "/subscriptions/mine/preferences/order", { enabled: true });
  assert.equal(dataOf<{ enabled: boolean }>(on).enabled, true);
  assert.equal(dataOf<Details>(await call("GET", `${path}/mine`)).preferences?.length, 1, "one rule for one workflow");
  errorOf(await call("PATCH", "/subscriptions/mine/preferences/unknown", { enabled: true }), "WORKFLOW_NOT_FOUND");

  // The published client also sends the channels; those of the workflow itself do not change.
  const all = { enabled: false, email: false, sms: false, in_app: false, chat: false, push: false };
  const bulk = (subscriptionIdentifier: string | undefined, ...workflowIds: string[]) =>
    call("PATCH", "/preferences/bulk", {
      preferences: workflowIds.map((id) => ({ subscriptionIdentifier, workflowId: id, ...all })),
    });
  const both = dataOf<{ enabled: boolean; subscriptionId: string }[]>(await bulk("mine", workflowId, "order"));
  assert.deepEqual(
    both.map(({ enabled, subscriptionId }) => [enabled, subscriptionId]),
    [
      [false, made.id],
      [false, made.id],
    ],
  );
  const preferences = dataOf<{ level: string; channels: object }[]>(await call("GET", "/preferences"));
  const ofWorkflow = preferences.find(({ level }) => level === "template");
  assert.ok(Object.values(ofWorkflow!.channels).every(Boolean), "the preference of the workflow is not changed");
  errorOf(await bulk("other", "order"), "SUBSCRIPTION_NOT_FOUND");
  const mixed = [{ subscriptionIdentifier: "mine", workflowId, ...all }, { workflowId }];
  const refused = errorOf(await call("PATCH", "/preferences/bulk", { preferences: mixed }), "VALIDATION_ERROR");
  assert.deepEqual(Object.keys(refused.errors!), ["preferences.1.subscriptionIdentifier"]);
  assert.equal((await call("DELETE", `${path}/mine`)).status, 204);
  errorOf(await call("DELETE", `${path}/mine`), "SUBSCRIPTION_NOT_FOUND");
});

test("a subscriber renames no topic, and reaches no subscription of another one", async () => {
  const { client, ada, eve, far } = await withPeople();
  const path = "/topics/news/subscriptions";
  await client("topics.create", { body: { key: "news", name: "News" } });
  const own = dataOf<Details>(await eve.call("POST", path, { identifier: "hers", topic: { name: "Mine now" } }), 201);
  await far.call("POST", path, { identifier: "far" });
  assert.equal((await client("topics.retrieve", { params: { topicKey: "news" } })).body.name, "News");
  for (const identifier of ["hers", own.id, "far"]) {
    assert.equal((await ada.call("GET", `${path}/${identifier}`)).status, 204);
    errorOf(await ada.call("PATCH", `${path}/${identifier}`, { name: "x" }), "SUBSCRIPTION_NOT_FOUND");
    errorOf(await ada.call("DELETE", `${path}/${identifier}`), "SUBSCRIPTION_NOT_FOUND");
    const preference = `/subscriptions/${identifier}/preferences/any`;
    errorOf(await ada.call("PATCH", preference, { enabled: false }), "SUBSCRIPTION_NOT_FOUND");
  }
  const { errors } = errorOf(await ada.call("POST", path, { identifier: "hers" }), "VALIDATION_ERROR");
  assert.deepEqual(Object.keys(errors!), ["identifier"], "identifiers are unique in a topic");
  assert.deepEqual(dataOf(await ada.call("GET", path)), []);
  assert.deepEqual(dataOf<Details[]>(await eve.call("GET", path)), [own]);
});

test("a session with contexts subscribes for them, and sees only these subscriptions", async () => {
  const { open } = await withPeople();
  const [plain, scoped] = [await open("cara"), await open("cara", { context: { tenant: "acme" } })];
  const path = "/topics/news/subscriptions";
  await plain.call("POST", path, { identifier: "all" });
  await scoped.call("POST", path, { identifier: "acme" });
  const names = async ({ call }: Inbox) =>
    dataOf<Details[]>(await call("GET", path))
      .map(({ identifier }) => identifier)
      .sort();
  assert.deepEqual([await names(plain), await names(scoped)], [["acme", "all"], ["acme"]]);
});

test("chat connections and endpoints: one's own only, and never an access token", async () => {
  const { client, ada, eve, far } = await withPeople();
  const { identifier: integrationIdentifier } = (
    await client("integrations.create", { body: { providerId: "svc-slack", channel: "chat", active: true } })
  ).body;
  const workspace = { id: "T1", name: "Acme" };
  const body = { identifier: "hers", integrationIdentifier, workspace, auth: { accessToken: "xoxb-secret" } };
  const made = await eve.call("POST", "/channel-connections", body);
  assert.equal(dataOf<{ subscriberId: string }>(made, 201).subscriberId, "eve");
  const place = { integrationIdentifier, type: "chatapp_user", endpoint: { userId: "U1" } };
  const endpoint = { ...place, identifier: "here", connectionIdentifier: "hers" };
  const endpointMade = await eve.call("POST", "/channel-endpoints", endpoint);
  assert.equal(dataOf<{ subscriberId: string }>(endpointMade, 201).subscriberId, "eve");
  const one = await eve.call("GET", "/channel-connections/hers");
  assert.equal((one.body as { identifier: string }).identifier, "hers");
  const lists = [await eve.call("GET", "/channel-connections"), await eve.call("GET", "/channel-endpoints")];
  for (const list of lists) assert.equal((list.body as { data: object[]; totalCount: number }).totalCount, 1);
  for (const { text } of [made, one, ...lists]) assert.ok(!text.includes("xoxb-secret"));

  for (const other of [ada, far]) {
    for (const path of ["/channel-connections", "/channel-endpoints"]) {
      const list = await other.call("GET", `${path}?subscriberId=eve`);
      assert.deepEqual((list.body as { data: object[] }).data, []);
    }
    errorOf(await other.call("GET", "/channel-connections/hers"), "CONNECTION_NOT_FOUND");
    errorOf(await other.call("DELETE", "/channel-connections/hers"), "CONNECTION_NOT_FOUND");
    errorOf(await other.call("GET", "/channel-endpoints/here"), "ENDPOINT_NOT_FOUND");
    errorOf(await other.call("DELETE", "/channel-endpoints/here"), "ENDPOINT_NOT_FOUND");
  }
  const stolen = { ...place, connectionIdentifier: "hers", subscriberId: "eve" };
  errorOf(await ada.call("POST", "/channel-endpoints", stolen), "CONNECTION_NOT_FOUND");
  const named = await ada.call("POST", "/channel-endpoints", { ...place, subscriberId: "eve" });
  assert.equal(dataOf<{ subscriberId: string }>(named, 201).subscriberId, "ada", "a body cannot name another one");
  assert.equal((await eve.call("DELETE", "/channel-endpoints/here")).status, 204);
  assert.equal((await eve.call("DELETE", "/channel-connections/hers")).status, 204);
});
