// One good input per operation, made fresh for every call where the call uses it up. An operation without an entry
// fails the conformance tests by name.
import type { Operation, OperationId } from "@tidings/contract";
import { pushSubscription } from "@tidings/testkit/browser";
import type { RawInput } from "@tidings/testkit/client";
import { imageFile } from "@tidings/testkit/images";
import { password, tokenOf } from "../app/members/browsers.ts";
import { audienceFixtures } from "./fixtures/audience.ts";
import { backtestFixtures } from "./fixtures/backtest.ts";
import { brandFixtures } from "./fixtures/brand.ts";
import { importFixtures } from "./fixtures/import.ts";
import { insightFixtures } from "./fixtures/insight.ts";
import { operateFixtures } from "./fixtures/operate.ts";
import { retractionFixtures } from "./fixtures/retraction.ts";
import {
  branchSteps,
  type Fixture,
  json,
  keyOf,
  listOf,
  nothing,
  ofAction,
  ofCategory,
  ofConnection,
  ofContext,
  ofEndpoint,
  ofEnvironment,
  ofGroup,
  ofInbox,
  ofIntegration,
  ofKeptInbox,
  ofLayout,
  ofNotification,
  ofOwnChannels,
  ofOwnConnection,
  ofOwnEndpoint,
  ofOwner,
  ofOwnInbox,
  ofOwnNotification,
  ofOwnSubscription,
  ofPerson,
  ofSubscriber,
  ofSubscription,
  ofTopic,
  ofTranslation,
  ofWorkflow,
  pushCredentials,
  source,
  target,
  threeEvents,
  threeFeedItems,
  threeSubscriptions,
  upsert,
  withBody,
} from "./inputs.ts";
import type { World } from "./world.ts";

const largeOrders = {
  isNegated: false,
  type: "GROUP",
  value: "AND",
  children: [{ on: "payload", field: "amount", operator: "LARGER", value: "100" }],
};

const uploadImage = async (w: World) => (await w.client("assets.create", { body: { file: imageFile() } })).body;

/** The body of a request for an address at Slack. */
const ofSlack = async (w: World) => ({ integrationIdentifier: (await w.once(w.slack)).identifier });

const fixtures: Partial<Record<OperationId, Fixture>> = {
  ...audienceFixtures,
  ...importFixtures,
  ...backtestFixtures,
  ...insightFixtures,
  ...operateFixtures,
  ...retractionFixtures,
  "events.trigger": async (w) => ({
    body: {
      name: (await w.once(w.workflow)).workflowId,
      to: [{ ...upsert(w), timezone: "Europe/Berlin" }],
      payload: { name: "Ada" },
      overrides: { severity: "high" },
      context: { tenant: w.label },
      transactionId: w.unique("transaction"),
    },
  }),
  "events.triggerBulk": async (w) => ({
    body: { events: [{ name: (await w.once(w.workflow)).workflowId, to: w.unique("subscriber") }] },
  }),
  "events.broadcast": async (w) => ({ body: { name: (await w.workflow([])).workflowId, payload: {} } }),
  "signals.send": async (w) => ({
    body: { name: "paid", to: [(await w.subscriber()).subscriberId, "unknown"], data: { a: 1 } },
  }),
  "signals.sendBulk": async (w) => ({
    body: { signals: [{ name: "paid", to: (await w.subscriber()).subscriberId, key: "4711" }] },
  }),
  "events.cancel": async (w) => ({ params: { transactionId: (await w.waiting()).transactionId } }),
  "explain.retrieve": async (w) => {
    const { transactionId, subscriberId } = await w.once(w.event);
    return { query: { transactionId, subscriberId } };
  },
  "explain.dryRun": async (w) => ({
    body: {
      name: (await w.once(w.workflow)).workflowId,
      to: { ...upsert(w), timezone: "Europe/Berlin" },
      payload: { name: "Ada" },
    },
  }),
  "explain.sampleArms": async (w) => {
    await w.subscriber();
    const arms = [{ id: "pro", condition: { "==": [{ var: "payload.plan" }, "pro"] } }];
    const steps = [{ name: "By plan", type: "branch" as const, controlValues: { arms } }];
    return { body: { workflow: { workflowId: "sampled", name: "Sampled", steps }, payload: { plan: "pro" } } };
  },
  "scenarios.export": async (w) => ({ query: { transactionId: (await w.once(w.event)).transactionId } }),
  "notifications.list": listOf(threeEvents, () => ({ query: { limit: 50 } })),
  "notifications.retrieve": async (w) => ({ params: { notificationId: (await w.once(w.event)).notificationId } }),
  "notifications.resendStep": async (w) => ({
    params: { notificationId: (await w.event()).notificationId, stepId: "in-app" },
  }),
  "messages.list": listOf(threeEvents),
  "messages.delete": async (w) => ({ params: { messageId: (await w.event()).messageId } }),
  "messages.deleteByTransaction": async (w) => ({ params: { transactionId: (await w.event()).transactionId } }),

  "workflows.list": listOf(
    (w) => w.workflow(),
    async (w) => {
      // A step that has no text yet has an issue.
      await w.workflow([{ name: "Text", type: "sms" }]);
      return { query: { limit: 100 } };
    },
  ),
  "workflows.create": (w) => ({
    body: {
      workflowId: w.unique("workflow"),
      name: "New",
      steps: [{ name: "Greet", type: "in_app", controlValues: { body: "Hi" }, filters: [largeOrders] }, ...branchSteps],
    },
  }),
  "workflows.retrieve": ofWorkflow,
  "workflows.update": async (w) => {
    const { workflowId, name, origin, steps } = await w.workflow();
    return { params: { workflowId }, body: { name, origin, preferences: {}, steps } };
  },
  "workflows.patch": withBody(ofWorkflow, async (w: World) => ({
    name: "Renamed",
    tags: ["x"],
    active: false,
    objectives: { handedOver: { percent: 99, withinSeconds: 10 }, delivered: { percent: 98 } },
    categoryId: (await w.category()).categoryId,
    isCommercial: true,
  })),
  "workflows.delete": ofWorkflow,
  "workflows.retrieveStep": async (w) => {
    const { workflowId, steps } = await w.once(w.workflow);
    return { params: { workflowId, stepId: steps[0]!.stepId } };
  },
  "workflows.test": async (w) => {
    const { workflowId, name, steps } = await w.workflow();
    const own = steps.map(({ name: of, type, controls: { values } }) => ({ name: of, type, controlValues: values }));
    return {
      params: { workflowId },
      body: { workflow: { name, steps: own as never }, to: { ...upsert(w), timezone: "Europe/Berlin" } },
    };
  },
  "workflows.sendRequest": async (w) => {
    const { workflowId } = await w.once(w.workflow);
    const controlValues = { method: "POST", url: `${w.webhookUrl}/request`, body: '{"name": "{{ payload.name }}"}' };
    return {
      params: { workflowId, stepId: "account" },
      body: { controlValues, payload: { name: "Ada" }, steps: { digest: { eventCount: 1 } } },
    };
  },
  "workflows.sync": async (w) => {
    const workflowId = w.unique("synced");
    const body = { name: workflowId, workflowId, steps: [] };
    await w.client("workflows.create", { body, headers: keyOf(await w.once(w.environment)) });
    return { params: { workflowId }, body: { ...(await target(w)), ...(await source(w)) } };
  },
  "bridge.sync": (w) => ({ body: { bridgeUrl: `${w.webhookUrl}/${w.unique("bridge")}` } }),
  "digests.close": withBody(ofWorkflow, {}),

  "categories.list": listOf((w) => w.once(w.usedCategory)),
  "categories.create": (w) => ({ body: { categoryId: w.unique("category"), name: "New", required: true } }),
  "categories.retrieve": ofCategory,
  "categories.update": withBody(ofCategory, { name: "Renamed", channels: { sms: false } }),
  "categories.updateOrder": async (w) => {
    await w.category();
    const { categories } = (await w.client("categories.list", {})).body;
    return { body: { categoryIds: categories.map(({ categoryId }) => categoryId).reverse() } };
  },
  "categories.delete": ofCategory,
  "layouts.list": listOf((w) => w.layout()),
  "layouts.create": (w) => ({ body: { layoutId: w.unique("layout"), name: "New" } }),
  "layouts.retrieve": ofLayout,
  "layouts.update": withBody(ofLayout, { name: "Renamed" }),
  "layouts.delete": ofLayout,
  "layouts.duplicate": withBody(ofLayout, (w: World) => ({ name: w.unique("copy") })),
  "layouts.preview": withBody(ofLayout, { previewPayload: { subscriber: { firstName: "Ada" } } }),
  "layouts.usage": ofLayout,
  ...brandFixtures,

  "comments.list": async (w) => ({ params: { workflowId: (await w.once(w.comment)).workflowId } }),
  "comments.create": async (w) => ({
    params: { workflowId: (await w.once(w.comment)).workflowId },
    body: { stepId: "in-app", text: "Shorter?" },
  }),
  "comments.update": async (w) => ({ params: await w.once(w.comment), body: { isResolved: true } }),
  "comments.delete": async (w) => ({ params: await w.comment() }),
  "stepTemplates.list": listOf((w) => w.once(w.stepTemplate)),
  "stepTemplates.create": (w) => ({ body: { name: w.unique("template"), step: { name: "Wait", type: "delay" } } }),
  "stepTemplates.retrieve": async (w) => ({ params: { templateId: (await w.once(w.stepTemplate)).id } }),
  "stepTemplates.update": async (w) => ({
    params: { templateId: (await w.stepTemplate()).id },
    body: { name: w.unique("template") },
  }),
  "stepTemplates.delete": async (w) => ({ params: { templateId: (await w.stepTemplate()).id } }),
  "workflows.announceViewer": async (w) => ({
    params: { workflowId: (await w.once(w.comment)).workflowId },
    body: { tabId: "one" },
  }),

  "translations.create": async (w) => ({
    body: {
      resourceType: "workflow",
      resourceId: (await w.workflow()).workflowId,
      locale: "de_DE",
      content: { a: "b" },
    },
  }),
  "translations.listGroups": listOf((w) => w.translation()),
  "translations.retrieveGroup": ofGroup,
  "translations.listKeys": ofGroup,
  "translations.retrieveMaster": async (w) => {
    await w.once(w.translation);
    return { query: { locale: "en_US" } };
  },
  "translations.importMaster": async (w) => ({
    body: { locale: "sv_SE", masterJson: { workflows: { [(await w.once(w.workflow)).workflowId]: { a: "b" } } } },
  }),
  "assets.list": listOf(uploadImage),
  "assets.create": () => ({ body: { file: imageFile() } }),
  "assets.delete": async (w) => ({ params: { assetId: (await uploadImage(w)).id } }),
  "translations.uploadMaster": async (w) => ({
    body: { file: json({ workflows: { [(await w.once(w.workflow)).workflowId]: { a: "b" } } }, "it_IT.json") },
  }),
  "translations.upload": async (w) => ({
    body: {
      resourceType: "workflow",
      resourceId: (await w.workflow()).workflowId,
      files: [json({ a: "b" }, "fr_FR.json")],
    },
  }),
  "translations.deleteGroup": ofGroup,
  "translations.retrieve": ofTranslation,
  "translations.delete": ofTranslation,

  "subscribers.create": (w) => ({ body: upsert(w) }),
  "subscribers.createBulk": (w) => ({ body: { subscribers: [upsert(w), { subscriberId: "no good id!" }] } }),
  "subscribers.list": listOf((w) => w.subscriber()),
  "subscribers.retrieve": ofSubscriber,
  "subscribers.update": withBody(ofSubscriber, { firstName: "Eve", phone: null, data: { b: 2 } }),
  "subscribers.delete": ofSubscriber,
  "subscribers.erase": withBody(ofSubscriber, { terms: ["former@example.com"] }),
  "subscribers.updateOnlineStatus": withBody(ofSubscriber, { isOnline: false }),
  "subscribers.replaceCredentials": withBody(ofSubscriber, pushCredentials),
  "subscribers.appendCredentials": withBody(ofSubscriber, pushCredentials),
  "subscribers.deleteCredentials": async (w) => {
    const { params } = await ofSubscriber(w);
    return { params: { ...params, providerId: "fcm" } };
  },
  "subscribers.retrievePreferences": async (w) => {
    // The global level shows the channels that workflows have steps for.
    const types = ["in_app", "email", "sms", "chat", "push"] as const;
    await w.workflow(types.map((type) => ({ name: type, type, controlValues: { subject: "Hi", body: "Hi" } })));
    await w.once(w.usedCategory);
    return ofSubscriber(w);
  },
  "subscribers.updatePreferences": withBody(ofSubscriber, async (w: World) => ({
    workflowId: (await w.once(w.offeringWorkflow)).workflowId,
    channels: { email: false },
    digestFrequency: "daily",
  })),
  "subscribers.bulkUpdatePreferences": withBody(ofSubscriber, async (w: World) => ({
    preferences: [
      { workflowId: (await w.once(w.usedCategory)).workflowId, channels: { email: false } },
      { workflowId: (await w.once(w.offeringWorkflow)).workflowId, channels: {}, digestFrequency: "weekly" },
    ],
  })),
  "subscribers.markMessages": async (w) => {
    const { subscriberId, messageId } = await w.event();
    return { params: { subscriberId }, body: { messageId: [messageId], markAs: "read" } };
  },
  "subscribers.markAllMessages": async (w) => ({
    params: { subscriberId: (await w.event()).subscriberId },
    body: { markAs: "seen" },
  }),
  "subscribers.markMessageAction": async (w) => {
    const { subscriberId, messageId } = await w.event();
    return { params: { subscriberId, messageId, type: "primary" }, body: { status: "done", payload: { a: 1 } } };
  },
  "subscribers.countUnseen": async (w) => ({ params: { subscriberId: (await w.once(w.event)).subscriberId } }),
  "subscriberNotifications.list": listOf(threeFeedItems, async (w) => ({
    params: { subscriberId: (await w.once(w.event)).subscriberId },
  })),
  "subscriberNotifications.count": async (w) => ({
    params: { subscriberId: (await w.once(w.event)).subscriberId },
    query: { filters: '[{"read":false}]' },
  }),
  "subscriberNotifications.markRead": ofNotification,
  "subscriberNotifications.markUnread": ofNotification,
  "subscriberNotifications.archive": ofNotification,
  "subscriberNotifications.unarchive": ofNotification,
  "subscriberNotifications.snooze": withBody(ofNotification, () => ({
    snoozeUntil: new Date(Date.now() + 3_600_000).toISOString(),
  })),
  "subscriberNotifications.unsnooze": ofNotification,
  "subscriberNotifications.completeAction": ofAction,
  "subscriberNotifications.revertAction": ofAction,
  "subscriberNotifications.delete": ofNotification,
  "subscriberNotifications.markSeen": withBody(ofInbox, { tags: ["news"] }),
  "subscriberNotifications.markAllRead": withBody(ofInbox, {}),
  "subscriberNotifications.archiveAll": withBody(ofInbox, {}),
  "subscriberNotifications.archiveAllRead": withBody(ofInbox, {}),
  "subscriberNotifications.deleteAll": withBody(ofInbox, {}),
  "inbox.openSession": async (w) => ({
    body: { applicationIdentifier: (await w.own()).identifier, subscriber: { subscriberId: w.unique("subscriber") } },
    headers: { authorization: undefined },
  }),
  "inbox.createToken": async (w) => ({ body: { subscriberId: (await w.subscriber()).subscriberId } }),
  "inbox.listNotifications": listOf(threeFeedItems, ofKeptInbox),
  "inbox.countNotifications": async (w) => ({ ...(await ofKeptInbox(w)), query: { filters: '[{"read":false}]' } }),
  "inbox.readNotification": ofOwnNotification,
  "inbox.unreadNotification": ofOwnNotification,
  "inbox.archiveNotification": ofOwnNotification,
  "inbox.unarchiveNotification": ofOwnNotification,
  "inbox.snoozeNotification": withBody(ofOwnNotification, () => ({
    snoozeUntil: new Date(Date.now() + 3_600_000).toISOString(),
  })),
  "inbox.unsnoozeNotification": ofOwnNotification,
  "inbox.completeAction": withBody(ofOwnNotification, { actionType: "primary" }),
  "inbox.revertAction": withBody(ofOwnNotification, { actionType: "primary" }),
  "inbox.deleteNotification": ofOwnNotification,
  "inbox.seeNotifications": withBody(ofOwnInbox, {}),
  "inbox.readAllNotifications": withBody(ofOwnInbox, {}),
  "inbox.archiveAllNotifications": withBody(ofOwnInbox, {}),
  "inbox.archiveReadNotifications": withBody(ofOwnInbox, {}),
  "inbox.markNotifications": withBody(ofOwnInbox, { mark: "read" }),
  "inbox.undoMark": withBody(ofOwnInbox, { markedAt: "2026-01-31T09:00:00.000Z" }),
  "inbox.deleteAllNotifications": withBody(ofOwnInbox, {}),
  "inbox.listPreferences": ofKeptInbox,
  "inbox.retrieveGlobalPreference": ofKeptInbox,
  "inbox.updateGlobalPreference": withBody(ofOwnInbox, { email: false, schedule: { isEnabled: false } }),
  "inbox.bulkUpdatePreferences": withBody(ofOwnInbox, async (w: World) => ({
    preferences: [{ workflowId: (await w.once(w.workflow)).workflowId, email: false }],
  })),
  "inbox.listCategoryPreferences": async (w) => {
    await w.once(w.usedCategory);
    return ofKeptInbox(w);
  },
  "inbox.updateCategoryPreference": async (w) => ({
    ...(await ofOwnInbox(w)),
    params: { categoryId: (await w.once(w.usedCategory)).categoryId },
    body: { email: false },
  }),
  "inbox.updateWorkflowPreference": async (w) => ({
    ...(await ofOwnInbox(w)),
    params: { workflowId: (await w.once(w.offeringWorkflow)).workflowId },
    body: { email: false, digestFrequency: "hourly" },
  }),
  "inbox.listSubscriptions": async (w) => {
    const { params, headers } = await ofOwnSubscription(w);
    return { params: { topicKey: params!.topicKey }, headers };
  },
  "inbox.createSubscription": async (w) => ({
    ...(await ofOwnInbox(w)),
    params: { topicKey: w.unique("topic") },
    body: { identifier: w.unique("subscription"), name: "Mine", topic: { name: "News" } },
  }),
  "inbox.retrieveSubscription": ofOwnSubscription,
  "inbox.updateSubscription": withBody(ofOwnSubscription, { name: "Renamed" }),
  "inbox.deleteSubscription": ofOwnSubscription,
  "inbox.updateSubscriptionPreference": async (w) => {
    const { params, headers } = await ofOwnSubscription(w);
    const { workflowId } = await w.once(w.workflow);
    return { params: { identifier: params!.identifier, workflowId }, headers, body: { enabled: false } };
  },
  "inbox.listConnections": ofOwnChannels,
  "inbox.createConnection": async (w) => ({
    ...(await ofOwnInbox(w)),
    body: {
      integrationIdentifier: (await w.once(w.slack)).identifier,
      workspace: { id: "T1" },
      auth: { accessToken: "x" },
    },
  }),
  "inbox.retrieveConnection": ofOwnConnection,
  "inbox.deleteConnection": ofOwnConnection,
  "inbox.listEndpoints": ofOwnChannels,
  "inbox.createEndpoint": async (w) => ({
    ...(await ofOwnInbox(w)),
    body: {
      integrationIdentifier: (await w.once(w.slack)).identifier,
      type: "chatapp_user",
      endpoint: { userId: "U1" },
    },
  }),
  "inbox.retrieveEndpoint": ofOwnEndpoint,
  "inbox.deleteEndpoint": ofOwnEndpoint,
  "inbox.createConnectionOauthUrl": withBody(ofOwnInbox, ofSlack),
  "inbox.createEndpointOauthUrl": withBody(ofOwnInbox, ofSlack),
  "inbox.createChatOauthUrl": withBody(ofOwnInbox, ofSlack),
  "inbox.linkEndpoint": withBody(ofOwnInbox, ofSlack),
  "inbox.retrieveWebPush": ofKeptInbox,
  "inbox.subscribeWebPush": withBody(ofOwnInbox, () => JSON.parse(pushSubscription("https://push.example.com/1"))),
  "inbox.unsubscribeWebPush": async (w) => ({ ...(await ofOwnInbox(w)), params: { endpointHash: "a".repeat(64) } }),
  "subscribers.listFeed": listOf(threeFeedItems, async (w) => ({
    params: { subscriberId: (await w.once(w.event)).subscriberId },
  })),
  "subscribers.listSubscriptions": listOf(threeSubscriptions, async (w) => ({
    params: { subscriberId: (await w.once(w.subscription)).subscriberId },
  })),

  "topics.list": listOf((w) => w.topic()),
  "topics.create": (w) => ({ body: { key: w.unique("topic"), name: "New" } }),
  "topics.retrieve": ofTopic,
  "topics.update": withBody(ofTopic, { name: "Renamed" }),
  "topics.delete": ofTopic,
  "topics.retrieveSubscriber": async (w) => {
    const { topicKey, subscriberId } = await w.once(w.subscription);
    return { params: { topicKey, externalSubscriberId: subscriberId } };
  },
  "topicSubscriptions.list": listOf(threeSubscriptions, async (w) => ({
    params: { topicKey: (await w.once(w.subscription)).topicKey },
  })),
  "topicSubscriptions.create": withBody(ofTopic, async (w: World) => ({
    subscriptions: [(await w.subscriber()).subscriberId, { subscriberId: "nobody" }],
  })),
  "topicSubscriptions.delete": async (w) => {
    const { topicKey, identifier } = await w.subscription();
    return { params: { topicKey }, body: { subscriptions: [{ identifier }, "nobody"] } };
  },
  "topicSubscriptions.retrieve": ofSubscription,
  "topicSubscriptions.update": withBody(ofSubscription, { name: "Renamed" }),

  "contexts.list": listOf((w) => w.context()),
  "contexts.create": (w) => ({ body: { type: "tenant", id: w.unique("context"), data: { a: 1 } } }),
  "contexts.retrieve": ofContext,
  "contexts.update": withBody(ofContext, { data: { b: 2 } }),
  "contexts.delete": ofContext,

  "integrations.list": listOf((w) => w.integration()),
  "integrations.create": (w) => ({
    body: { providerId: "sendgrid", channel: "email", identifier: w.unique("integration") },
  }),
  "integrations.update": withBody(ofIntegration, { name: "Renamed", conditions: [] }),
  "integrations.delete": ofIntegration,
  "providers.list": nothing,
  "integrations.listActive": listOf((w) => w.integration()),
  "integrations.setPrimary": ofIntegration,
  "integrations.tryNow": ofIntegration,
  // The provider does not support registering a webhook, so no external call is made.
  "integrations.autoConfigure": async (w) => ({ params: { integrationId: (await w.integration("slack"))._id! } }),
  "integrations.createChatOauthUrl": async (w) => ({ body: await ofSlack(w) }),

  "channelConnections.list": listOf((w) => w.connection()),
  "channelConnections.create": async (w) => ({
    body: {
      integrationIdentifier: (await w.once(w.slack)).identifier,
      workspace: { id: "T1" },
      auth: { accessToken: "x" },
    },
  }),
  "channelConnections.retrieve": ofConnection,
  "channelConnections.update": withBody(ofConnection, { workspace: { id: "T2" }, auth: { accessToken: "y" } }),
  "channelConnections.delete": ofConnection,
  "channelEndpoints.list": listOf((w) => w.endpoint()),
  "channelEndpoints.create": async (w) => ({
    body: {
      integrationIdentifier: (await w.once(w.slack)).identifier,
      subscriberId: (await w.subscriber()).subscriberId,
      type: "chatapp_user",
      endpoint: { userId: "U1" },
    },
  }),
  "channelEndpoints.retrieve": ofEndpoint,
  "channelEndpoints.update": withBody(ofEndpoint, { endpoint: { channelId: "C2" } }),
  "channelEndpoints.delete": ofEndpoint,

  "environments.list": nothing,
  "environments.create": (w) => ({ body: { name: w.unique("environment"), color: "#ffffff" } }),
  "environments.update": withBody(ofEnvironment, {
    color: "#000000",
    linkSchemes: ["myapp"],
    pagesUrl: "https://preferences.example.com",
  }),
  "environments.delete": async (w) => {
    const made = await w.environment();
    return { params: { environmentId: made._id }, headers: keyOf(made) };
  },
  "environments.listTags": async (w) => {
    await w.once(w.workflow);
    return ofEnvironment(w);
  },
  "environments.retrieveClock": ofEnvironment,
  "environments.updateClock": withBody(ofEnvironment, { advance: { amount: 1, unit: "days" } }),
  "retention.retrieve": ofEnvironment,
  "retention.update": withBody(ofEnvironment, { messages: 100 }),
  "retention.preview": withBody(ofEnvironment, { messages: 100 }),
  "environments.createApiKey": withBody(ofEnvironment, { scope: "operations", operations: ["workflows.list"] }),
  "environments.updateApiKey": async (w) => {
    const { _id: environmentId, apiKeys } = await w.own();
    return { params: { environmentId, keyId: apiKeys![0]!._id }, body: { mayRaisePriority: true } };
  },
  "environments.revokeApiKey": async (w) => {
    const { _id: environmentId } = await w.own();
    const keys = (await w.own()).apiKeys!;
    const spare = keys[1] ?? (await w.client("environments.createApiKey", { params: { environmentId } })).body;
    return { params: { environmentId, keyId: spare._id } };
  },
  "environments.diff": async (w) => ({ params: await target(w), body: await source(w) }),
  "environments.publish": async (w) => ({ params: await target(w), body: { ...(await source(w)), dryRun: false } }),
  "environments.listPublishes": listOf((w) => w.publish(), ofEnvironment),
  "environments.retrievePublish": async (w) => ({ params: await w.once(w.publish) }),
  "environments.planRestore": async (w) => ({ params: await w.publish() }),
  "environments.restorePublish": async (w) => ({ params: await w.publish(), body: { overwriteChanges: true } }),

  "suppressions.list": listOf((w) => w.suppression()),
  "suppressions.create": (w) => ({ body: { channel: "email", address: `${w.unique("address")}@example.com` } }),
  "suppressions.delete": async (w) => ({ params: { suppressionId: (await w.suppression()).id } }),

  "auth.methods": nothing,
  "auth.retrieveSession": ofOwner,
  "auth.signIn": async (w) => {
    await w.once(w.owner);
    return { body: { email: "owner@example.com", password } };
  },
  "auth.checkLink": async (w) => ({ body: { token: tokenOf((await w.invitation()).link) } }),
  "auth.redeemLink": async (w) => ({
    body: { token: tokenOf((await w.invitation()).link), name: "Ada", password },
  }),
  "auth.signOut": async (w) => ({ headers: (await w.person()).headers() }),
  "auth.signOutEverywhere": async (w) => ({ headers: (await w.person()).headers() }),
  "auth.updatePerson": withBody(ofOwner, { name: "Olga" }),
  "people.list": ofOwner,
  "people.update": withBody(ofPerson, { role: "editor" }),
  "people.delete": ofPerson,
  "people.createResetLink": async (w) => ({
    ...(await ofOwner(w)),
    params: { personId: (await w.once(w.person)).session.person._id },
  }),
  "people.listResetLinks": async (w) => {
    await w.resetLink();
    return ofOwner(w);
  },
  "people.deleteResetLink": async (w) => ({
    ...(await ofOwner(w)),
    params: { resetLinkId: await w.resetLink() },
  }),
  "people.listInvitations": async (w) => {
    await w.invitation();
    return ofOwner(w);
  },
  "people.createInvitation": withBody(ofOwner, (w: World) => ({
    email: `${w.unique("person")}@example.com`,
    role: "viewer",
  })),
  "people.deleteInvitation": async (w) => ({
    ...(await ofOwner(w)),
    params: { invitationId: (await w.invitation())._id },
  }),
  "auditLog.list": listOf(
    (w) => w.invitation(),
    async (w) => ({ ...(await ofOwner(w)), query: { operation: "people" } }),
  ),
  "auditLog.export": ofOwner,

  "captured.list": listOf(threeEvents),
  "captured.delete": async (w) => ({ query: { transactionId: (await w.event()).transactionId } }),
};

/** The input of an operation, or a failure that names it. */
export async function inputOf(operation: Operation, world: World): Promise<RawInput> {
  const fixture = fixtures[operation.id as OperationId];
  if (!fixture) throw new Error(`${operation.id} has no fixture: add one to test/conformance/fixtures.ts`);
  return fixture(world);
}
