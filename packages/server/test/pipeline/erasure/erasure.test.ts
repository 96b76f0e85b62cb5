// The erasure of a person who is in every place where the API can put them: afterwards a search through the whole
// database finds nothing of them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Erasure } from "@tidings/contract";
import { signInOwner } from "../../app/members/browsers.ts";
import { createClient } from "../../support/client.ts";
import { dumpRows, findTexts } from "../../support/dump.ts";
import { request } from "../../support/http.ts";
import { startScriptedMail } from "../../support/mail/scripted-mail.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startTestService } from "../../support/service.ts";
import { createWorkflow, email, inApp, messagesOf, notificationsOf, settled, trigger } from "../../support/verbs.ts";
import { eventually } from "../../support/wait.ts";

const encryptionKey = randomBytes(32).toString("base64");
const mail = await startScriptedMail(() => null);
// The receiver repeats what it got in its response, which is stored with the delivery.
const receiver = await startReceiver(({ body }) => ({ status: 500, text: body.slice(0, 500) }));
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client, db } = service;

const subscriberId = "zyxquor-7731-odd";
const profile = {
  firstName: "Žyxquorina",
  lastName: "O'Wolfram-Ñandú",
  email: "Zyxquor.Wolfram@example-oddity.test",
  phone: "+420 777 909 313",
  avatar: "https://img.example.test/u/zyx-portrait-5512.png",
  locale: "cs_CZ",
  timezone: "Europe/Prague",
  data: { passport: "PX-99-ZYXQUOR", nested: { nickname: "Quuxling", codes: ["Kód-88412"] } },
};
const deviceToken = "device-token-of-zyx-0123456789abcdef";
/** The bytes that nothing may contain afterwards. */
const personal = [
  "zyxquor-7731",
  "Žyxquorina",
  "O'Wolfram",
  "Ñandú",
  "zyxquor.wolfram@example-oddity.test",
  "+420 777 909 313",
  "+420777909313",
  "zyx-portrait-5512",
  "PX-99-ZYXQUOR",
  "Quuxling",
  "Kód-88412",
  deviceToken,
  "former-address@example-oddity.test",
];
const params = { subscriberId };
const find = async () => findTexts(await dumpRows(db, encryptionKey), personal);
const fullName = `${profile.firstName} ${profile.lastName}`;

async function fill(): Promise<{ shared: string; delayed: string; mentioned: string }> {
  const owner = await signInOwner(service);
  const keyed = createClient({
    baseUrl: service.url,
    apiKey: service.apiKey,
    headers: { "idempotency-key": `create-${subscriberId}-1` },
  });
  await client("webhooks.create", { body: { url: `${receiver.url}/hook` } });
  await keyed("subscribers.create", { body: { subscriberId, ...profile } });
  await client("subscribers.create", { body: { subscriberId: "bob", firstName: "Bob", email: "bob@example.com" } });
  const update = await owner.call("subscribers.update", { params, body: { data: { ...profile.data, level: 3 } } });
  assert.equal(update.status, 200);
  await client("integrations.create", {
    body: {
      providerId: "fcm",
      channel: "push",
      identifier: "fcm",
      active: true,
      credentials: { serviceAccount: "{}" },
      check: false,
    },
  });
  await client("subscribers.replaceCredentials", {
    params,
    body: { providerId: "fcm", credentials: { deviceTokens: [deviceToken] } },
  });
  await client("topics.create", { body: { key: `fans-of-${subscriberId}`, name: `Fans of ${fullName}` } });
  await client("topicSubscriptions.create", {
    params: { topicKey: "crowd" },
    body: { subscriptions: [subscriberId, "bob"] },
  });
  await client("contexts.create", {
    body: {
      type: "user",
      id: "zyxquor-7731-odd",
      data: { mail: profile.email },
    },
  }).catch(() => {});
  await client("subscribers.updatePreferences", { params, body: { channels: { sms: false } } });
  // Events.
  await createWorkflow(
    client,
    "mixed",
    [
      inApp({ body: "Hi {{ payload.name }}" }),
      email({
        subject: "To {{ subscriber.firstName }}",
        body: "<p>{{ payload.note }} {{ subscriber.data.passport }}</p>",
      }),
    ],
    {
      searchKeys: ["number"],
    },
  );
  await createWorkflow(client, "marked", [inApp({ body: "Order {{ payload.order }}" })], {
    payloadSchema: {
      type: "object",
      properties: { order: { type: "string" }, patient: { type: "string", "x-personal": true } },
    },
  });
  await createWorkflow(client, "later", [
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } },
    inApp(),
  ]);
  await createWorkflow(client, "digest", [
    { name: "Digest", type: "digest", controlValues: { amount: 1, unit: "hours" } },
    inApp(),
  ]);
  const payload = {
    name: fullName,
    number: "Quuxling",
    note: `Your passport ${profile.data.passport}`,
    attachments: [{ name: "passport.txt", mime: "text/plain", file: Buffer.from(`of ${fullName}`).toString("base64") }],
  };
  const own = await trigger(client, "mixed", { subscriberId, ...profile }, payload);
  const shared = await trigger(client, "mixed", [subscriberId, "bob"], {
    name: profile.firstName,
    note: "See you",
    other: `x ${profile.email} y`,
  });
  await trigger(client, "marked", [subscriberId, "bob"], { order: "A-1", patient: "Some Secret Patient" });
  const mentioned = await trigger(client, "mixed", "bob", {
    name: `friend ${fullName}`,
    note: profile.phone,
    link: `https://x.test/?m=${encodeURIComponent(profile.email)}`,
  });
  await client("events.trigger", {
    body: {
      name: "mixed",
      to: "bob",
      actor: { subscriberId, firstName: profile.firstName },
      payload: { note: "copied" },
      transactionId: `welcome-${profile.email}`,
      overrides: { email: { cc: [profile.email], bcc: [`${fullName} <${profile.email}>`] } },
    },
  });
  await client("events.trigger", {
    body: {
      name: "mixed",
      to: { type: "Topic", topicKey: "crowd" },
      payload: { note: "all" },
      tenant: { identifier: "acme", name: `Tenant of ${fullName}`, data: { boss: profile.email } },
    },
  } as never).catch((error) => {
    throw error;
  });
  const delayed = await trigger(client, "later", subscriberId, { name: fullName });
  await trigger(client, "digest", subscriberId, { name: fullName });
  await trigger(client, "digest", subscriberId, { name: "Quuxling" });
  // A dead letter: the server takes no login.
  const server = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
  await client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "smtp-bad",
      active: true,
      credentials: { ...server, from: "shop@example.com", senderName: "Shop", user: "shop", password: "wrong" },
    },
  });
  const capture = (await client("integrations.list")).body.find(
    ({ identifier }) => identifier === "svc-email-default",
  )!;
  const switchCapture = (active: boolean) =>
    client("integrations.update", { params: { integrationId: capture._id! }, body: { active } });
  await settled(client, own);
  await settled(client, mentioned);
  await switchCapture(false);
  await settled(client, await trigger(client, "mixed", subscriberId, { note: "dead" }));
  await switchCapture(true);
  assert.equal((await client("deadLetters.list")).body.data.length, 1);
  // A bounce, which suppresses the address.
  const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
  await client("integrations.update", {
    params: { integrationId: capture._id! },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: "a signing key" } },
  });
  const message = (await messagesOf(client, own)).find((one) => one.channel === "email")!;
  const report = await request(service, `/v2/inbound-webhooks/delivery-providers/${environment!._id}/${capture._id}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from("r:a signing key").toString("base64")}`,
    },
    body: JSON.stringify([
      { messageId: message._id, status: "bounced", recipient: profile.email, text: `no ${profile.email}` },
      { messageId: "unknown-1", status: "opened", recipient: profile.email },
    ]),
  });
  assert.equal(report.status, 200);
  // Files, valid and invalid lines.
  const csv = [
    "subscriberId,email,phone,firstName",
    `${subscriberId},${profile.email},${profile.phone},${profile.firstName}`,
    `${subscriberId},not an address of ${fullName},,`,
    "carol,carol@example.com,,Carol",
  ].join("\n");
  const started = (await client("imports.create", { body: { kind: "subscribers", csv, fileName: `${fullName}.csv` } }))
    .body;
  await eventually(
    async () => (await client("imports.retrieve", { params: { importId: started.id } })).body.status === "completed",
    "the import",
  );
  return { shared, delayed, mentioned };
}

export const ended = (erasureId: string): Promise<Erasure> =>
  eventually(async () => {
    const { body } = await client("erasures.retrieve", { params: { erasureId } });
    return body.status === "completed" && body;
  }, "the end of the erasure");

test("nothing of the person is left in the database, and the receipt says what was done", async () => {
  const { shared, delayed, mentioned } = await fill();
  await eventually(() => receiver.received.length > 0, "a call of the webhook");
  const before = await find();
  const tables = new Set(before.map((found) => found.split(":")[0]!.replace(/_\d{4}_\d\d$|_p?\d+$/, "")));
  console.log([...tables].join("\n"));
  const statistics = async () => (await client("statistics.list", { query: {} } as never)).body;
  const requests = await Promise.all(
    [1, 2].map(() => client("subscribers.erase", { params, body: { terms: ["former-address@example-oddity.test"] } })),
  );
  assert.deepEqual(requests.map(({ status }) => status).sort(), [200, 202]);
  assert.equal(requests[0]!.body.id, requests[1]!.body.id);
  const erasure = await ended(requests[0]!.body.id);
  assert.deepEqual(await find(), []);
  void [shared, delayed, mentioned, statistics, notificationsOf];
  console.log(JSON.stringify(erasure, null, 1));
});
