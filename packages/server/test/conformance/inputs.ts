// Parts of inputs that several operations share: the path of a new record, a list with something in it.
import type { Environment, StepIn } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import type { World } from "./world.ts";

export type Fixture = (world: World) => RawInput | Promise<RawInput>;

export const nothing: Fixture = () => ({});
export const json = (value: unknown, fileName: string) => ({
  fileName,
  contentType: "application/json",
  bytes: JSON.stringify(value),
});

/** A branch, and a step of its only arm. */
export const branchSteps: StepIn[] = [
  {
    name: "Plan",
    stepId: "plan",
    type: "branch",
    controlValues: { arms: [{ id: "pro", condition: { "==": [{ var: "payload.plan" }, "pro"] } }] },
  },
  { name: "Thank", type: "in_app", controlValues: { body: "Thank you" }, arm: "plan/pro" },
];

export const ofSubscriber: Fixture = async (w) => ({ params: { subscriberId: (await w.subscriber()).subscriberId } });
export const ofTopic: Fixture = async (w) => ({ params: { topicKey: (await w.topic()).key } });
export const ofSubscription: Fixture = async (w) => {
  const { topicKey, identifier } = await w.subscription();
  return { params: { topicKey, identifier } };
};
export const ofContext: Fixture = async (w) => {
  const { type, id } = await w.context();
  return { params: { type, id } };
};
export const ofWorkflow: Fixture = async (w) => ({ params: { workflowId: (await w.workflow()).workflowId } });
export const ofLayout: Fixture = async (w) => {
  await w.once(w.layout); // The first one is the default and cannot be deleted.
  return { params: { layoutId: (await w.layout()).layoutId } };
};
export const ofCategory: Fixture = async (w) => ({ params: { categoryId: (await w.category()).categoryId } });
export const ofIntegration: Fixture = async (w) => ({ params: { integrationId: (await w.integration())._id } });
export const ofConnection: Fixture = async (w) => ({ params: { identifier: (await w.connection()).identifier } });
export const ofEndpoint: Fixture = async (w) => ({ params: { identifier: (await w.endpoint()).identifier } });
export const ofEnvironment: Fixture = async (w) => ({ params: { environmentId: (await w.own())._id } });
export const ofGroup: Fixture = async (w) => {
  const { resourceType, resourceId } = await w.translation();
  return { params: { resourceType, resourceId } };
};
export const ofTranslation: Fixture = async (w) => {
  const { resourceType, resourceId, locale } = await w.translation();
  return { params: { resourceType, resourceId, locale } };
};

export const ofWebhook: Fixture = async (w) => ({ params: { webhookId: (await w.webhook()).id } });
export async function threeDeliveries(w: World) {
  await w.once(w.webhook);
  await w.workflow([]);
}

export const ofOwner: Fixture = async (w) => ({ headers: (await w.once(w.owner)).headers() });
export const ofPerson: Fixture = async (w) => ({
  ...(await ofOwner(w)),
  params: { personId: (await w.person()).session.person._id },
});

/** A report about a mail that was sent, signed with the key of the integration that sent it. */
export const ofReport: Fixture = async (w) => {
  const { environmentId, integrationId, messageId, key } = await w.once(w.reported);
  return {
    params: { environmentId, integrationId },
    headers: { authorization: `Basic ${Buffer.from(`reports:${key}`).toString("base64")}` },
    body: [{ messageId, externalId: messageId, status: "delivered", attempts: 1, response: "250 OK" }],
  };
};

export const ofReportByGet: Fixture = async (w) => {
  const { body, ...input } = await ofReport(w);
  return { ...input, query: (body as Record<string, unknown>[])[0] };
};

export const withBody =
  (fixture: Fixture, body: unknown | ((world: World) => unknown)): Fixture =>
  async (w) => ({ ...(await fixture(w)), body: typeof body === "function" ? await body(w) : body });

/** Three records, so that a list has pages. */
export const listOf =
  (make: (w: World) => Promise<unknown>, input: Fixture = nothing): Fixture =>
  async (w) => {
    await w.once(threeOf(w, make));
    return input(w);
  };
const makers = new WeakMap<World, Map<unknown, () => Promise<void>>>();
function threeOf(w: World, make: (w: World) => Promise<unknown>) {
  const known = makers.get(w) ?? new Map<unknown, () => Promise<void>>();
  makers.set(w, known);
  const three = known.get(make) ?? (async () => void (await Promise.all([make(w), make(w), make(w)])));
  known.set(make, three);
  return three;
}

export const threeEvents = (w: World) => w.event();
export async function threeSubscriptions(w: World) {
  const { topicKey, subscriberId } = await w.once(w.subscription);
  const another = await w.subscriber();
  await w.client("topicSubscriptions.create", {
    params: { topicKey },
    body: { subscriptions: [another.subscriberId] },
  });
  const { key } = await w.topic();
  await w.client("topicSubscriptions.create", { params: { topicKey: key }, body: { subscriptions: [subscriberId] } });
}
export async function threeFeedItems(w: World) {
  const { workflowId, subscriberId } = await w.once(w.event);
  await w.client("events.trigger", { body: { name: workflowId, to: subscriberId, payload: {} } });
}

/** One in-app message of a subscriber, in the paths of its inbox. */
export const ofNotification: Fixture = async (w) => {
  const { subscriberId, messageId: notificationId } = await w.event();
  return { params: { subscriberId, notificationId } };
};
export const ofAction: Fixture = async (w) => ({
  params: { ...(await ofNotification(w)).params, actionType: "primary" },
});
export const ofInbox: Fixture = async (w) => ({ params: { subscriberId: (await w.event()).subscriberId } });

/** The header of a request with the token of a subscriber. */
async function bearerOf(w: World, subscriberId: string) {
  const { token } = (await w.client("inbox.createToken", { body: { subscriberId } })).body;
  return { authorization: `Bearer ${token}` };
}
export const ofOwnNotification: Fixture = async (w) => {
  const { subscriberId, messageId: notificationId } = await w.event();
  return { params: { notificationId }, headers: await bearerOf(w, subscriberId) };
};
export const ofOwnInbox: Fixture = async (w) => ({ headers: (await ofOwnNotification(w)).headers });
export const ofKeptInbox: Fixture = async (w) => ({
  headers: await bearerOf(w, (await w.once(w.event)).subscriberId),
});

/** A topic subscription, a connection or an endpoint with the token of its owner. */
export const ofOwnSubscription: Fixture = async (w) => {
  const { topicKey, identifier, subscriberId } = await w.subscription();
  return { params: { topicKey, identifier }, headers: await bearerOf(w, subscriberId) };
};
export const ofOwnConnection: Fixture = async (w) => {
  const { identifier, subscriberId } = await w.connection();
  return { params: { identifier }, headers: await bearerOf(w, subscriberId!) };
};
export const ofOwnEndpoint: Fixture = async (w) => {
  const { identifier, subscriberId } = await w.endpoint();
  return { params: { identifier }, headers: await bearerOf(w, subscriberId!) };
};
/** Three connections and endpoints of one subscriber. */
export const ofOwnChannels: Fixture = async (w) => {
  const { subscriberId } = await w.subscriber();
  const headers = await bearerOf(w, subscriberId);
  for (const _ of [1, 2, 3]) {
    const { identifier: integrationIdentifier } = await w.integration("slack");
    const own = { integrationIdentifier, subscriberId };
    await w.client("channelConnections.create", {
      body: { ...own, workspace: { id: "T1" }, auth: { accessToken: "x" } },
    });
    const type = "chatapp_user" as const;
    await w.client("channelEndpoints.create", { body: { ...own, type, endpoint: { userId: "U1" } } });
  }
  return { headers };
};

export const upsert = (w: World) => ({
  subscriberId: w.unique("subscriber"),
  firstName: "Ada",
  data: { a: 1 },
  timezone: null,
});
export async function pushCredentials(w: World) {
  const { identifier } = await w.once(fcmOf(w));
  return { providerId: "fcm", integrationIdentifier: identifier, credentials: { deviceTokens: ["t1"] } };
}
const fcm = new WeakMap<World, () => ReturnType<World["integration"]>>();
function fcmOf(w: World) {
  const make = fcm.get(w) ?? (() => w.integration("fcm"));
  fcm.set(w, make);
  return make;
}
/** The target is the world's own environment; the source is a second one. */
export const target = async (w: World) => ({ targetEnvironmentId: (await w.own())._id });
export const source = async (w: World) => ({ sourceEnvironmentId: (await w.once(w.environment))._id });
/** The header of a request with the environment's own key. */
export const keyOf = ({ apiKeys }: Environment) => ({ authorization: `ApiKey ${apiKeys![0]!.key}` });
