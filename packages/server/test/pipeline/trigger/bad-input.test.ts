// What people get wrong about providers, and how they find out: from the response where the request shows it, otherwise
// from the message, which says what is missing, with a status and an errorId, and without a single retry.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addedProviderIds, type Channel, inAppProviderId, providerIds, type StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, db } = service;

const controls: Partial<Record<Channel, object>> = {
  email: { subject: "Hi", body: "<p>Hi</p>" },
  sms: { body: "Hi" },
  push: { subject: "Hi", body: "There" },
  chat: { body: "Hi" },
};
const send = (type: Channel): StepIn => ({
  name: type,
  type,
  controlValues: controls[type] as StepIn["controlValues"],
});

const requests: [name: string, body: object, errors: Record<string, string[]>][] = [
  [
    "a provider that does not exist",
    { providerId: "pigeon", channel: "email" },
    { providerId: [`providerId must be one of: ${[...providerIds, ...addedProviderIds, inAppProviderId].join(", ")}`] },
  ],
  [
    "a provider of another channel",
    { providerId: "twilio", channel: "email" },
    { channel: ["channel must be sms for provider twilio"] },
  ],
  [
    "what the provider needs is missing",
    { providerId: "twilio", channel: "sms", active: true, credentials: { accountSid: "AC1" } },
    { "credentials.token": ["credentials.token is required for Twilio (Auth token)"] },
  ],
  [
    "a member of the wrong type",
    { providerId: "twilio", channel: "sms", credentials: { accountSid: 5 } },
    { "credentials.accountSid": ["credentials.accountSid must be a string"] },
  ],
  [
    "a member that nobody knows",
    { providerId: "twilio", channel: "sms", credentials: { authToken: "x" } },
    { "credentials.authToken": ["credentials.authToken is not a known credential"] },
  ],
  [
    "a value that is none of the choices",
    { providerId: "sinch", channel: "sms", credentials: { region: "mars" } },
    { "credentials.region": ["credentials.region must be one of eu, us, au, br, ca"] },
  ],
];

for (const [name, body, errors] of requests) {
  test(`refused when saved: ${name}`, async () => {
    const count = async () => (await client("integrations.list")).body.length;
    const before = await count();
    await assertRefused(client, "integrations.create", { body }, { code: "VALIDATION_ERROR", errors });
    assert.equal(await count(), before);
  });
}

type Case = {
  name: string;
  channel: Channel;
  /** Activated in addition to the integrations that a new environment has. */
  integration?: { providerId: string; credentials: Record<string, unknown> };
  to?: object;
  deviceTokens?: string[];
  expected: { status: "warning" | "error"; errorId: string; text: RegExp; attempts: number };
};

const missing = (errorId: string, text: RegExp) => ({ status: "warning", errorId, text, attempts: 0 }) as const;
const refused = (text: RegExp) => ({ status: "error", errorId: "provider_rejected", text, attempts: 1 }) as const;
const misconfigured = (errorId: string, text: RegExp) => ({ status: "error", errorId, text, attempts: 1 }) as const;
const fcm = (serviceAccount: string) => ({ providerId: "fcm", credentials: { serviceAccount } });

const cases: Case[] = [
  { name: "no email address", channel: "email", expected: missing("subscriber_missing_email", /email/i) },
  { name: "no phone number", channel: "sms", expected: missing("subscriber_missing_phone", /phone/i) },
  { name: "no device token", channel: "push", expected: missing("subscriber_missing_device_tokens", /device/i) },
  { name: "no chat channel", channel: "chat", expected: missing("subscriber_missing_chat_channel", /channel/i) },
  {
    name: "a phone number with a letter",
    channel: "sms",
    to: { phone: "+49 151 12O45" },
    expected: refused(/"\+49 151 12O45" is not a phone number: it contains "O"/),
  },
  {
    name: "a phone number that is too short",
    channel: "sms",
    to: { phone: "+4915" },
    expected: refused(/is not a phone number: it has 4 digits instead of 6 to 15/),
  },
  {
    name: "a service account that is not JSON",
    channel: "push",
    integration: fcm("-----BEGIN PRIVATE KEY-----"),
    deviceTokens: ["device"],
    expected: misconfigured("push_unexpected_error", /serviceAccount is not JSON: it takes the whole key file/),
  },
  {
    name: "a service account without its key",
    channel: "push",
    integration: fcm(JSON.stringify({ project_id: "p", client_email: "a@example.com" })),
    deviceTokens: ["device"],
    expected: misconfigured("push_unexpected_error", /serviceAccount has no private_key/),
  },
  {
    name: "the address of a webhook that is none",
    channel: "push",
    integration: { providerId: "push-webhook", credentials: { webhookUrl: "ftp://example.com", secretKey: "x" } },
    deviceTokens: ["device"],
    expected: misconfigured("push_unexpected_error", /starts with ftp: instead of https:/),
  },
];

const stage = await newStage(service);
for (const { name, channel, integration, to, deviceTokens, expected } of cases) {
  test(`told by the message: ${name}`, async () => {
    const { client } = stage;
    const id = name.replaceAll(/\W+/g, "-");
    await createWorkflow(client, id, [send(channel)]);
    await client("subscribers.create", { body: { subscriberId: id, ...to } });
    if (integration) {
      await client("integrations.create", {
        body: { ...(integration as { providerId: "fcm" }), channel, identifier: id, active: true },
      });
      const body = {
        providerId: integration.providerId as "fcm",
        integrationIdentifier: id,
        credentials: { deviceTokens },
      };
      await client("subscribers.appendCredentials", { params: { subscriberId: id }, body });
    }
    const transactionId = await trigger(client, id, id);
    const [notification] = await settled(client, transactionId);
    // Nobody failed where there is no address.
    assert.equal(notification!.jobs![0]!.status, expected.status === "warning" ? "skipped" : "failed");
    const [message, ...others] = await messagesOf(client, transactionId);
    assert.deepEqual([message!.status, message!.errorId, others.length], [expected.status, expected.errorId, 0]);
    assert.match(message!.errorText!, expected.text);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from attempts where message_id = ${message!._id!}`.execute(db);
    assert.equal(rows[0]!.count, expected.attempts);
  });
}

test("an attachment that is too large is refused with the event", async () => {
  await createWorkflow(client, "mail", [send("email")]);
  const file = Buffer.alloc(600_000).toString("base64");
  const payload = { attachments: [{ name: "a.bin", mime: "application/octet-stream", file }] };
  const answer = await client.raw("events.trigger", { body: { name: "mail", to: "ada", payload } });
  assert.ok(answer.status >= 400, String(answer.status));
  assert.match(JSON.stringify(answer.body), /payload of \d+ bytes, the limit is 524288/);
});
