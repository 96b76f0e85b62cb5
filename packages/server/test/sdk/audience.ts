// Scenes with the SDK about who is notified: subscribers, topics, subscriptions, contexts, preferences.
import assert from "node:assert/strict";
import type { Scene } from "./scenes.ts";

const subscribers: Scene = async ({ sdk }) => {
  const ada = await sdk.call("subscribersCreate", {
    subscriberId: "ada",
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    phone: "+441234567890",
    avatar: "https://example.com/ada.png",
    locale: "en_GB",
    timezone: "Europe/London",
    data: { plan: "pro", nested: { list: [1, "two", null] } },
  });
  assert.equal(ada.firstName, "Ada");
  await sdk.call("subscribersCreate", { subscriberId: "bare" });
  const bulk = await sdk.call("subscribersCreateBulk", {
    subscribers: [
      { subscriberId: "bob", email: "bob@example.com", timezone: null, data: null },
      { subscriberId: "eve", firstName: null, locale: "de" },
      { subscriberId: "ada", lastName: "King" },
      { subscriberId: "no good id!" },
    ],
  });
  assert.deepEqual([bulk.created.length, bulk.updated.length, bulk.failed.length], [2, 1, 1]);
  const patched = await sdk.call("subscribersPatch", { lastName: "Byron", phone: null, data: { plan: "free" } }, "ada");
  assert.equal(patched.lastName, "Byron");
  assert.equal((await sdk.call("subscribersRetrieve", "ada")).subscriberId, "ada");
  const page = await sdk.call("subscribersSearch", { limit: 2, orderDirection: "ASC", orderBy: "createdAt" });
  assert.equal(page.data.length, 2);
  assert.ok(page.next);
  const rest = await sdk.call("subscribersSearch", { limit: 100, after: page.next, includeCursor: true });
  assert.ok(rest.data.length > 0);
  assert.equal((await sdk.call("subscribersSearch", { email: "ADA@example.com" })).data.length, 1);
  await sdk.call("subscribersPropertiesUpdateOnlineFlag", { isOnline: true }, "ada");
  const offline = await sdk.call("subscribersPropertiesUpdateOnlineFlag", { isOnline: false }, "ada");
  assert.equal(offline.isOnline, false);
  await sdk.call("subscribersCreate", { subscriberId: "gone" });
  assert.equal((await sdk.call("subscribersDelete", "gone")).acknowledged, true);
};

const credentials: Scene = async ({ sdk, service }) => {
  const push = { providerId: "fcm", channel: "push", identifier: "fcm-main", active: true } as const;
  await sdk.call("integrationsCreate", { ...push, credentials: { serviceAccount: "{}" } });
  await sdk.call("integrationsCreate", {
    providerId: "novu-slack",
    channel: "chat",
    identifier: "capture-chat",
    active: true,
  });
  const first = await sdk.call(
    "subscribersCredentialsUpdate",
    { providerId: "fcm", credentials: { deviceTokens: ["t1"] } },
    "ada",
  );
  assert.equal(first.channels?.[0]?.providerId, "fcm");
  const more = await sdk.call(
    "subscribersCredentialsAppend",
    { providerId: "fcm", integrationIdentifier: "fcm-main", credentials: { deviceTokens: ["t1", "t2"] } },
    "ada",
  );
  assert.deepEqual(more.channels?.[0]?.credentials.deviceTokens, ["t1", "t2"]);
  const chat = await sdk.call(
    "subscribersCredentialsUpdate",
    { providerId: "novu-slack", credentials: { webhookUrl: "https://example.com/hook" } },
    "ada",
  );
  assert.ok(chat.channels?.some(({ providerId }) => providerId === "novu-slack"));
  await sdk.call("subscribersCredentialsDelete", "ada", "novu-slack");
  // A browser's entry, which the SDK has no word for, exists and does not disturb it.
  await service.client("subscribers.appendCredentials", {
    params: { subscriberId: "ada" },
    body: { providerId: "web-push", credentials: { deviceTokens: ["{}"] } },
  });
  const left = await sdk.call("subscribersRetrieve", "ada");
  assert.deepEqual(
    left.channels?.map(({ providerId }) => providerId),
    ["fcm"],
  );
};

const contexts: Scene = async ({ sdk }) => {
  const made = await sdk.call("contextsCreate", { type: "tenant", id: "acme", data: { tier: 1, tags: ["a"] } });
  assert.deepEqual([made.type, made.id], ["tenant", "acme"]);
  await sdk.call("contextsCreate", { type: "project", id: "p-1" });
  await sdk.call("contextsUpdate", { type: "tenant", id: "acme", updateContextRequestDto: { data: { tier: 2 } } });
  assert.deepEqual((await sdk.call("contextsRetrieve", "acme", "tenant")).data, { tier: 2 });
  assert.equal((await sdk.call("contextsList", { search: "acme" })).data.length, 1);
  assert.ok((await sdk.call("contextsList", { limit: 1, orderBy: "updatedAt", orderDirection: "DESC" })).next);
  await sdk.call("contextsDelete", "p-1", "project");
};

const topics: Scene = async ({ sdk }) => {
  await sdk.call("topicsCreate", { key: "news", name: "News" });
  await sdk.call("topicsCreate", { key: "news", name: "Latest news" });
  await sdk.call("topicsCreate", { key: "unnamed" });
  await sdk.call("topicsUpdate", { name: "Headlines" }, "news");
  assert.equal((await sdk.call("topicsGet", "news")).name, "Headlines");
  assert.ok((await sdk.call("topicsList", { limit: 1 })).next);
  assert.equal((await sdk.call("topicsList", { key: "news" })).data.length, 1);

  const made = await sdk.call(
    "topicsSubscriptionsCreate",
    {
      subscriptions: ["ada", { subscriberId: "bob", identifier: "bob-news", name: "Bob's news" }, "nobody"],
      context: { tenant: "acme" },
      preferences: [
        "everything",
        { workflowId: "not-there-yet", enabled: false },
        { filter: { tags: ["billing"] }, condition: { "==": [{ var: "payload.urgent" }, true] } },
      ],
    },
    "news",
  );
  assert.deepEqual([made.data.length, made.meta.successful, made.meta.failed], [2, 2, 1]);
  assert.equal(made.errors?.[0]?.code, "SUBSCRIBER_NOT_FOUND");
  await sdk.call("topicsSubscriptionsCreate", { subscriptions: ["eve", "bare"] }, "fresh-topic");
  const updated = await sdk.call("topicsSubscriptionsUpdate", {
    topicKey: "news",
    identifier: "bob-news",
    updateTopicSubscriptionRequestDto: {
      name: "Bob reads",
      preferences: [{ workflowId: "everything", enabled: true }],
    },
  });
  assert.equal(updated.name, "Bob reads");
  await sdk.call("topicsSubscriptionsGetSubscription", "news", "bob-news");
  const listed = await sdk.call("topicsSubscriptionsList", { topicKey: "news", limit: 1 });
  assert.ok(listed.next);
  const filter = { topicKey: "news", subscriberId: "ada", contextKeys: ["tenant:acme"] };
  assert.equal((await sdk.call("topicsSubscriptionsList", filter)).data.length, 1);
  assert.equal((await sdk.call("subscribersTopicsList", { subscriberId: "ada", key: "news" })).data.length, 1);
  assert.equal((await sdk.call("topicsSubscribersRetrieve", "ada", "news")).topicKey, "news");

  const gone = await sdk.call(
    "topicsSubscriptionsDelete",
    { subscriptions: [{ identifier: "bob-news" }, { subscriberId: "nobody" }] },
    "news",
  );
  assert.deepEqual([gone.data.length, gone.meta.failed], [1, 1]);
  assert.equal((await sdk.call("topicsDelete", "unnamed")).acknowledged, true);
};

const preferences: Scene = async ({ sdk }) => {
  const all = await sdk.call("subscribersPreferencesList", { subscriberId: "ada", criticality: "all" });
  assert.ok(all.workflows.length > 0);
  const channels = { email: false, inApp: true };
  await sdk.call("subscribersPreferencesUpdate", { channels, workflowId: "everything" }, "ada");
  const day = { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] };
  const global = await sdk.call(
    "subscribersPreferencesUpdate",
    {
      channels: { sms: false },
      schedule: { isEnabled: false, weeklySchedule: { monday: day, sunday: { isEnabled: false } } },
    },
    "ada",
  );
  assert.equal(global.global.channels.sms, false);
  const entries = await sdk.call(
    "subscribersPreferencesBulkUpdate",
    { preferences: [{ workflowId: "everything", channels: { email: true } }], context: { tenant: "acme" } },
    "ada",
  );
  assert.equal(entries[0]?.level, "template");
  await sdk.call("subscribersPreferencesList", { subscriberId: "ada", contextKeys: ["tenant:acme"] });
};

export const audience = { subscribers, credentials, contexts, topics, preferences };
