// Scenes with the SDK about how it is sent and what came of it: integrations, connections, endpoints, events, messages.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually } from "@tidings/testkit/wait";
import type { Scene } from "./scenes.ts";

const integrations: Scene = async ({ sdk }) => {
  const smtp = await sdk.call("integrationsCreate", {
    providerId: "nodemailer",
    channel: "email",
    name: "SMTP",
    identifier: "smtp-main",
    active: true,
    credentials: { host: "127.0.0.1", port: "2525", secure: false, from: "a@example.com", senderName: "A" },
  });
  assert.equal(smtp.providerId, "nodemailer");
  await sdk.call("integrationsCreate", { providerId: "sendgrid", channel: "email", identifier: "spare" });
  await sdk.call(
    "integrationsUpdate",
    {
      name: "Spare",
      credentials: { apiKey: "SG.x", from: "a@example.com", senderName: "A" },
      configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: "whsec_c2VjcmV0" } as never,
      conditions: [
        {
          isNegated: false,
          type: "GROUP",
          value: "AND",
          children: [{ field: "plan", value: "pro", operator: "EQUAL", on: "subscriber" }],
        },
      ],
    },
    "spare",
  );
  const all = await sdk.call("integrationsList");
  assert.ok(all.some(({ providerId }) => providerId === "novu-email"));
  assert.ok((await sdk.call("integrationsListActive")).every(({ active }) => active));
  assert.equal((await sdk.call("integrationsSetAsPrimary", "spare")).primary, true);
  // SMTP does not support registering a webhook, so no external call is made.
  await sdk.call("integrationsIntegrationsControllerAutoConfigureIntegration", "smtp-main");
  const left = await sdk.call("integrationsDelete", "spare");
  assert.ok(left.every(({ identifier }) => identifier !== "spare"));
  // The capture provider is primary again, so that no mail is sent.
  await sdk.call("integrationsDelete", "smtp-main");
};

const chat: Scene = async ({ sdk }) => {
  const slack = { clientId: "id", secretKey: "secret", redirectUrl: "https://example.com/back" };
  for (const [providerId, identifier] of [
    ["slack", "slack-main"],
    ["msteams", "teams-main"],
  ] as const) {
    const credentials = providerId === "slack" ? slack : { clientId: "id", secretKey: "secret", tenantId: "t" };
    await sdk.call("integrationsCreate", { providerId, channel: "chat", identifier, active: false, credentials });
  }
  await sdk.call("integrationsCreate", { providerId: "whatsapp-business", channel: "chat", identifier: "whatsapp" });
  const { url } = await sdk.call("integrationsGenerateChatOAuthUrl", {
    integrationIdentifier: "slack-main",
    subscriberId: "ada",
    context: { tenant: "acme" },
  });
  assert.match(url, /^https:\/\//);

  const connection = await sdk.call("channelConnectionsCreate", {
    identifier: "acme-space",
    integrationIdentifier: "slack-main",
    subscriberId: "ada",
    context: { tenant: { id: "acme", data: { a: 1 } } },
    workspace: { id: "T1", name: "Acme" },
    auth: { accessToken: "xoxb-1" },
  });
  assert.deepEqual(connection.contextKeys, ["tenant:acme"]);
  const shared = { workspace: { id: "T2" }, auth: { accessToken: "x" } };
  await sdk.call("channelConnectionsCreate", { integrationIdentifier: "teams-main", ...shared });
  await sdk.call("channelConnectionsUpdate", { workspace: { id: "T3" }, auth: { accessToken: "y" } }, "acme-space");
  await sdk.call("channelConnectionsRetrieve", "acme-space");
  const list = await sdk.call("channelConnectionsList", { limit: 1, orderBy: "identifier", orderDirection: "ASC" });
  assert.ok(list.next);
  assert.equal((await sdk.call("channelConnectionsList", { providerId: "slack", channel: "chat" })).data.length, 1);

  const at = { subscriberId: "ada", integrationIdentifier: "slack-main", connectionIdentifier: "acme-space" };
  await sdk.call("channelEndpointsCreate", {
    ...at,
    type: "slack_channel",
    endpoint: { channelId: "C1" },
    identifier: "e1",
  });
  await sdk.call("channelEndpointsCreate", { ...at, type: "slack_user", endpoint: { userId: "U1" } });
  await sdk.call("channelEndpointsCreate", {
    subscriberId: "ada",
    integrationIdentifier: "slack-main",
    type: "webhook",
    endpoint: { url: "https://example.com/hook", channel: "#general" },
    context: { tenant: "acme" },
  });
  await sdk.call("channelEndpointsCreate", {
    subscriberId: "bob",
    integrationIdentifier: "whatsapp",
    type: "phone",
    endpoint: { phoneNumber: "+491701234567" },
  });
  const teams = { subscriberId: "bob", integrationIdentifier: "teams-main" };
  await sdk.call("channelEndpointsCreate", { ...teams, type: "ms_teams_user", endpoint: { userId: "29:x" } });
  await sdk.call("channelEndpointsCreate", {
    ...teams,
    type: "ms_teams_channel",
    endpoint: { teamId: "19:t", channelId: "19:c" },
  });
  const updated = await sdk.call("channelEndpointsUpdate", { endpoint: { channelId: "C2" } }, "e1");
  assert.equal(updated.type, "slack_channel");
  await sdk.call("channelEndpointsRetrieve", "e1");
  const endpoints = await sdk.call("channelEndpointsList", { limit: 100 });
  const types = new Set(endpoints.data.map(({ type }) => type));
  assert.equal(types.size, 6);
  await sdk.call("channelEndpointsList", {
    providerId: "msteams",
    contextKeys: [],
    connectionIdentifier: "acme-space",
  });
  await sdk.call("channelEndpointsDelete", "e1");
  await sdk.call("channelConnectionsDelete", "acme-space");
};

const events: Scene = async ({ sdk, service }) => {
  const one = await sdk.call("trigger", {
    workflowId: "everything",
    to: [
      {
        subscriberId: "ada",
        firstName: "Ada",
        channels: [{ providerId: "fcm", credentials: { deviceTokens: ["t9"] } }],
      },
      "bare",
      { type: "Topic", topicKey: "fresh-topic", exclude: ["bare"] },
    ],
    payload: { text: "hello" },
    overrides: { severity: "low", providers: { sendgrid: { templateId: "x" } }, email: { from: "b@example.com" } },
    actor: "eve",
    context: { tenant: "acme" },
    transactionId: "txn-one",
  });
  assert.equal(one.status, "processed");
  // The same window again: two of these become one digest.
  await sdk.call("trigger", {
    workflowId: "everything",
    to: "ada",
    payload: { text: "again" },
    context: { tenant: "acme" },
  });
  const many = await sdk.call("triggerBulk", {
    events: [
      { workflowId: "quick", to: "ada", payload: { text: "a" }, transactionId: "txn-quick" },
      { workflowId: "quick", to: ["bob", "no good id!"], payload: {} },
      { workflowId: "unknown", to: "ada" },
      { workflowId: "faulty", to: "bob" },
      { workflowId: "everything", to: "ada", payload: { text: 5 } },
      { workflowId: "quick", to: [] },
    ],
  });
  assert.deepEqual(
    many.map(({ status }) => status),
    ["processed", "processed", "error", "processed", "error", "invalid_recipients"],
  );
  await sdk.call("triggerBroadcast", { name: "quick", payload: { text: "all" }, transactionId: "txn-all" });
  await sdk.call("workflowsCreate", {
    name: "Slow",
    workflowId: "slow",
    active: true,
    steps: [
      { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "days" } },
      { name: "Inbox", type: "in_app", controlValues: { body: "later" } },
    ],
  });
  await sdk.call("trigger", { workflowId: "slow", to: "bob", transactionId: "txn-slow" });
  const waiting = () => service.client("notifications.list", { query: { transactionId: "txn-slow" } });
  await eventually(
    async () => (await waiting()).body.data[0]?.jobs?.some(({ status }) => status === "delayed"),
    "the delay",
  );
  assert.equal(await sdk.call("cancel", "txn-slow"), true);
  assert.equal(await sdk.call("cancel", "txn-slow"), false);
};

const finished = new Set(["completed", "failed", "skipped", "canceled", "merged"]);

const notifications: Scene = async ({ sdk }) => {
  const items = await eventually(async () => {
    const { data } = await sdk.call("notificationsList", { limit: 50 });
    const jobs = data.flatMap((item) => item.jobs ?? []);
    return data.length > 5 && jobs.every(({ status }) => finished.has(status)) ? data : null;
  }, "the end of all notifications");
  for (const { id } of items) await sdk.call("notificationsRetrieve", id!);
  assert.ok(items.some(({ jobs }) => jobs?.some(({ digest }) => digest)));
  assert.ok(items.some((item) => item.template?.origin === "novu-cloud"));
  const filtered = await sdk.call("notificationsList", {
    page: 0,
    limit: 1,
    channels: ["in_app", "email"],
    templates: ["quick"],
    subscriberIds: ["ada"],
    severity: ["none", "high"],
    transactionId: "txn-quick",
    after: new Date(Date.now() - 3_600_000).toISOString(),
  });
  assert.equal(filtered.data.length, 1);
  await sdk.call("notificationsList", { topicKey: "fresh-topic", contextKeys: ["tenant:acme"], emails: ["x@y.z"] });
};

const messages: Scene = async ({ sdk }) => {
  const all = await sdk.call("messagesRetrieve", { limit: 100 });
  const channels = new Set(all.data.map(({ channel }) => channel));
  for (const channel of ["email", "in_app"] as const) assert.ok(channels.has(channel), channel);
  const statuses = new Set(all.data.map(({ status }) => status));
  assert.ok(statuses.size > 1, `messages of several statuses: ${[...statuses].join()}`);
  assert.ok(all.data.some(({ providerId }) => providerId === "novu-email"));
  const filter = { transactionId: ["txn-quick", "txn-all"], subscriberId: "ada", page: 0, limit: 2 };
  await sdk.call("messagesRetrieve", { ...filter, channel: "in_app", contextKeys: [] });

  const feed = await sdk.call("subscribersNotificationsFeed", { subscriberId: "ada", limit: 5, seen: false });
  const [first, second] = feed.data;
  assert.ok(first && second);
  assert.ok((await sdk.call("subscribersNotificationsUnseenCount", { subscriberId: "ada", limit: 100 })).count >= 2);
  const marked = await sdk.call(
    "subscribersMessagesMarkAllAs",
    { messageId: [first.id, second.id], markAs: "read" },
    "ada",
  );
  assert.equal(marked.length, 2);
  await sdk.call("subscribersMessagesMarkAllAs", { messageId: first.id, markAs: "unseen" }, "ada");
  const acted = await sdk.call("subscribersMessagesUpdateAsSeen", {
    subscriberId: "ada",
    messageId: second.id,
    type: "primary",
    markMessageActionAsSeenDto: { status: "done", payload: { pressed: true } },
  });
  assert.equal(acted.cta.action?.status, "done");
  assert.ok((await sdk.call("subscribersMessagesMarkAll", { markAs: "seen" }, "ada")) >= 1);
  const filtered = { subscriberId: "ada", page: 0, read: true, payload: btoa(JSON.stringify({ text: "a" })) };
  await sdk.call("subscribersNotificationsFeed", filtered);

  assert.equal((await sdk.call("messagesDelete", first.id)).acknowledged, true);
  await sdk.call("messagesDeleteByTransactionId", "txn-all", "in_app");
};

const reports: Scene = async ({ sdk, service }) => {
  const key = `whsec_${Buffer.from("thirty-two bytes, known to both.").toString("base64")}`;
  const capture = (await sdk.call("integrationsList")).find(({ providerId }) => providerId === "novu-email")!;
  // The SDK does not send configurations.
  await service.client("integrations.update", {
    params: { integrationId: capture.id! },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
  });
  const { data } = await sdk.call("messagesRetrieve", { limit: 100, channel: "email" });
  const message = data.find(({ status, providerId }) => status === "sent" && providerId === "novu-email")!;
  const requestBody = { messageId: message.id, status: "delivered", date: new Date().toISOString(), attempts: 1 };
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`msg_1.${timestamp}.${JSON.stringify(requestBody)}`)
    .digest("base64");
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  const where = { environmentId: capture.environmentId, integrationId: capture.id! };
  const [report] = await sdk.call("activityTrack", { ...where, requestBody }, { headers });
  assert.deepEqual([report!.id, report!.event.status], [message.id, "delivered"]);
};

export const delivery = { integrations, chat, events, notifications, messages, reports };
