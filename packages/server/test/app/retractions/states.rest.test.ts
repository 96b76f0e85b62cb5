// Every channel in every state of a message has one documented end state (docs/retract.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Retraction, StepIn } from "@tidings/contract";
import { pushSubscription } from "@tidings/testkit/browser";
import { endpoint } from "@tidings/testkit/channels";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { integration, step, texter } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startProviders } from "./providers.ts";

const providers = await startProviders();
const mail = await startScriptedMail(async (address) => {
  if (address.includes("-out")) await providers.opened;
  return address.includes("-failed") ? 550 : address.includes("-retry") ? 451 : null;
});
const service = await startTestService();
const { client } = service;

const states = ["waiting", "digest", "retry", "lost", "out", "sent", "failed"] as const;
type State = (typeof states)[number];
const waits = {
  ...{ waiting: "canceled", digest: "canceled", retry: "canceled" },
  ...{ lost: "cannot_unsend", failed: "not_sent" },
} as const;

/** What happens to a message that its provider has, whether it had it before or gets it meanwhile. */
const ends = {
  in_app: "removed",
  email: "cannot_unsend",
  sms: "cannot_unsend",
  discord: "deleted",
  "rocket-chat": "deleted",
  "slack-webhook": "cannot_unsend",
  "web-push": "removal_sent",
  "push-webhook": "cannot_unsend",
} as const;
type Name = keyof typeof ends;
const channelOf = (name: Name) =>
  name === "in_app" || name === "email" || name === "sms" ? name : name.includes("push") ? "push" : "chat";

/** An in-app message has no provider: its states are those of its reader. */
const inAppStates = { retry: "read", out: "archived" } as const;

const hour = { amount: 1, unit: "hours" };
const steps: Record<string, StepIn> = {
  in_app: step("in_app", { body: "{% if payload.broken %}{% for i in (1..99999999) %}x{% endfor %}{% endif %}Hello" }),
  email: step("email", { subject: "Hi", body: "<p>Hello</p>" }),
  sms: step("sms", { body: "Hello {{ subscriber.subscriberId }}" }),
  chat: step("chat", { body: "Hello" }),
  push: step("push", { subject: "Hi", body: "Hello" }),
};

await client("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "mail",
    active: true,
    credentials: { host: "127.0.0.1", port: mail.port, secure: false, from: "sender@example.com" },
  },
} as never);
await texter(client, "texter", `${providers.url}/sms`);
await integration(client, "discord", "discord", {});
await integration(client, "rocket-chat", "rocket-chat", { token: "t", user: "u" } as never);
await integration(client, "slack", "slack-webhook", { applicationId: "A", clientId: "C", secretKey: "s" } as never);
await integration(client, "push-webhook", "push-webhook", {
  webhookUrl: `${providers.url}/push`,
  secretKey: "k",
} as never);
for (const [type, own] of Object.entries(steps)) {
  await createWorkflow(client, `${type}-now`, [own]);
  await createWorkflow(client, `${type}-waiting`, [{ name: "Wait", type: "delay", controlValues: hour }, own]);
  await createWorkflow(client, `${type}-digest`, [{ name: "Digest", type: "digest", controlValues: hour }, own]);
}

type Case = { name: Name; state: State; subscriberId: string; transactionId: string };

/** The subscriber has the address of this case alone. */
async function begin(name: Name, state: State): Promise<Case> {
  const subscriberId = `${name}-${state}`;
  const email = name === "email" ? `${subscriberId}@example.com` : undefined;
  const phone = name === "sms" ? "+4915112345678" : undefined;
  await client("subscribers.create", { body: { subscriberId, email, phone } });
  const type = channelOf(name);
  if (type === "chat") {
    const address = { url: `${providers.url}/${subscriberId}`, ...(name === "rocket-chat" && { channel: "room" }) };
    await endpoint(client, name, subscriberId, { endpoint: address } as never);
  }
  if (type === "push") {
    const web = pushSubscription(`${providers.secureUrl}/web/${subscriberId}`);
    const [providerId, token] = name === "web-push" ? ["web-push", web] : ["push-webhook", subscriberId];
    await client("subscribers.replaceCredentials", {
      params: { subscriberId },
      body: { providerId, credentials: { deviceTokens: [token] } },
    } as never);
  }
  const suffix = state === "waiting" || state === "digest" ? state : "now";
  const payload = name === "in_app" && state === "failed" ? { broken: true } : {};
  const transactionId = await trigger(client, `${type}-${suffix}`, subscriberId, payload);
  return { name, state, subscriberId, transactionId };
}

/** The message is in the state that its case is about. */
async function reach({ name, state, subscriberId, transactionId }: Case): Promise<void> {
  const jobs = async () => (await notificationsOf(client, transactionId))[0]?.jobs?.map((job) => job.status) ?? [];
  const isOut = () =>
    name === "email" ? mail.asked.has(`${subscriberId}@example.com`) : providers.callsTo(subscriberId).length > 0;
  if (name !== "in_app" && state === "out") await eventually(isOut, `${subscriberId} is called`);
  else if (name !== "in_app" && (state === "retry" || state === "lost")) {
    await eventually(async () => isOut() && (await jobs())[0] === "delayed", `${subscriberId} waits for its retry`);
  } else if (state === "waiting" || state === "digest") {
    await eventually(async () => (await jobs())[0] === "delayed", `${subscriberId} waits`);
  } else await settled(client, transactionId);
  const mark = name === "in_app" && state in inAppStates ? inAppStates[state as "retry" | "out"] : null;
  if (mark === null) return;
  const [message] = await feedOf(client, subscriberId);
  if (mark === "read") {
    const body = { messageId: message!._id, markAs: "read" };
    await client("subscribers.markMessages", { params: { subscriberId }, body } as never);
  } else {
    const params = { subscriberId, notificationId: message!._id };
    await client("subscriberNotifications.archive", { params } as never);
  }
}

const retrieve = async (retractionId: string) =>
  (await client("retractions.retrieve", { params: { retractionId } })).body;

const cases: Case[] = [];
for (const name of Object.keys(ends) as Name[]) {
  for (const state of states) {
    // An in-app message has no call, and the mail server always responds.
    if (state === "lost" && (name === "in_app" || name === "email")) continue;
    cases.push(await begin(name, state));
  }
}
await Promise.all(cases.map(reach));
const begun: string[] = [];
for (const { transactionId } of cases) {
  const { body } = await client("retractions.create", { body: { transactionId, reason: "a test" } });
  begun.push(body._id);
}
// Calls that are out end after everything else was handled.
await eventually(async () => {
  const all = await Promise.all(begun.map(retrieve));
  return all.every(({ handled }) => handled === 1);
}, "all pages");
const open = await Promise.all(begun.map(retrieve));
providers.release();
const done: Retraction[] = await Promise.all(
  begun.map((id) =>
    eventually(async () => {
      const body = await retrieve(id);
      return body.status === "completed" ? body : null;
    }, `the end of ${id}`),
  ),
);

for (const [index, { name, state, subscriberId }] of cases.entries()) {
  const isInApp = name === "in_app";
  const isSent = state === "sent" || state === "out" || (isInApp && state === "retry");
  const expected = isSent ? ends[name] : waits[state as keyof typeof waits];
  const shown = isInApp && state in inAppStates ? inAppStates[state as "retry" | "out"] : state;
  test(`${name}, ${shown}: ${expected}`, async () => {
    const { results, status } = open[index]!;
    if (state === "out" && !isInApp) assert.deepEqual([results, status], [{}, "running"], "it waits for the call");
    assert.deepEqual(done[index]!.results, { [channelOf(name)]: { [expected]: 1 } });
    const isCalled = !isInApp && state !== "waiting" && state !== "digest";
    if (name === "email") assert.equal(mail.mailsTo(`${subscriberId}@example.com`).length, isSent ? 1 : 0);
    else assert.equal(providers.callsTo(subscriberId).length > 0, isCalled);
    const removed = {
      discord: () => providers.callsTo(`/${subscriberId}/messages/`, "DELETE"),
      "rocket-chat": () => providers.callsTo(`/${subscriberId}/api/v1/chat.delete`),
      "web-push": () => providers.callsTo(subscriberId).slice(1),
    };
    if (name in removed && isSent) assert.equal(removed[name as keyof typeof removed]().length, 1);
    if (isInApp) assert.equal((await feedOf(client, subscriberId)).length, 0);
  });
}
