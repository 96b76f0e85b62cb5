// The list of providers, and `check` of an integration, which calls the provider over HTTP (over SMTP:
// integrations-secrets.test.ts).
import assert from "node:assert/strict";
import { test } from "node:test";
import { addedProviderIds, inAppProviderId, type Provider, providerIds } from "@tidings/contract";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";

const good = `Basic ${Buffer.from("api:key-s3cret").toString("base64")}`;
const mailgun = await startReceiver(({ headers }) =>
  headers.authorization === good
    ? { status: 400, text: '{"message":"from parameter is missing"}' }
    : { status: 401, text: `Forbidden ${headers.authorization}` },
);
const { client, production } = await shareService();

const list = async (by = client, channel?: Provider["channel"]): Promise<Provider[]> =>
  (await by("providers.list", { query: { channel } })).body;

test("every provider with what a form needs, the same in every environment", async () => {
  const all = await list();
  assert.deepEqual(
    all.map(({ id }) => id),
    [...providerIds, ...addedProviderIds, inAppProviderId],
  );
  assert.deepEqual(await list(production), all);
  const { credentials, ...sendgrid } = all.find(({ id }) => id === "sendgrid")!;
  assert.deepEqual(
    [sendgrid.channel, sendgrid.name, sendgrid.receipts, sendgrid.canCheck, sendgrid.isCapture],
    ["email", "SendGrid", true, true, false],
  );
  assert.match(sendgrid.docs!, /^https:/);
  assert.ok(sendgrid.help && sendgrid.limits.attachmentBytes! > 0);
  const field = (key: string) => credentials.find((one) => one.key === key);
  assert.deepEqual(field("apiKey"), { key: "apiKey", label: "API Key", type: "string", required: true, secret: true });
  assert.deepEqual(field("region"), {
    ...{ key: "region", label: "Region", type: "select", required: false, secret: false },
    ...{ options: ["global", "eu"], default: "global" },
  });
  const mailboxes = all.filter(({ isCapture }) => isCapture).map(({ id }) => id);
  assert.deepEqual(mailboxes, ["svc-email", "svc-sms", "svc-slack"]);

  const registering = all.filter(({ autoConfigure }) => autoConfigure).map(({ id }) => id);
  assert.deepEqual(registering.sort(), ["mailgun", "postmark", "resend", "sendgrid", "sendinblue"]);

  const undoing = all.filter(({ unsend }) => unsend.delete || unsend.replace || unsend.removal);
  assert.deepEqual(
    Object.fromEntries(
      undoing.map(({ id, unsend }) => [id, Object.entries(unsend).flatMap(([name, can]) => (can ? [name] : []))]),
    ),
    {
      fcm: ["replace", "removal"],
      apns: ["replace", "removal"],
      expo: ["removal"],
      slack: ["delete", "replace"],
      discord: ["delete", "replace"],
      msteams: ["delete", "replace"],
      "rocket-chat": ["delete", "replace"],
      "web-push": ["replace", "removal"],
      telegram: ["delete", "replace"],
    },
  );

  const channels = [...new Set(all.map(({ channel }) => channel))];
  for (const channel of channels) {
    assert.deepEqual(
      await list(client, channel),
      all.filter((one) => one.channel === channel),
    );
  }
  assert.deepEqual(Object.keys(await faultsOf(client, "providers.list", { query: { channel: "fax" } })), ["channel"]);
});

test("integrations are checked against the same list", async () => {
  for (const { id, channel, credentials } of await list()) {
    if (id === inAppProviderId) continue;
    const needed = credentials.filter(({ key, required }) => required && !["from", "senderName"].includes(key));
    const body = { providerId: id, channel, active: true };
    if (needed.length === 0) continue;
    const faults = await faultsOf(client, "integrations.create", { body });
    const expected = needed.map(({ key }) => `credentials.${key}`);
    assert.deepEqual(Object.keys(faults).sort(), expected.sort(), id);
  }
});

test("a check calls the provider over HTTP; when it refuses, nothing is stored and no secret is shown", async () => {
  const base = { providerId: "mailgun", channel: "email", identifier: "gun", active: true, check: true } as const;
  const credentials = {
    ...{ apiKey: "key-s3cret", user: "api", domain: "example.com", baseUrl: mailgun.url },
    ...{ from: "a@example.com", senderName: "A" },
  };
  const wrong = { ...credentials, apiKey: "wrong-s3cret" };
  const body = { ...base, credentials: wrong };
  const error = await refused(client, "integrations.create", { body }, "PROVIDER_CHECK_FAILED");
  assert.match(error.message, /^The provider rejected the credentials: HTTP 401: Forbidden Basic \*{8}$/);
  assert.ok(!JSON.stringify(error).includes("s3cret"));
  const identifiers = async () => (await client("integrations.list")).body.map(({ identifier }) => identifier);
  assert.ok(!(await identifiers()).includes("gun"));

  assert.equal((await client("integrations.create", { body: { ...base, credentials } })).body.active, true);
  assert.deepEqual(
    mailgun.received.map(({ path }) => path),
    ["/v3/example.com/messages", "/v3/example.com/messages"],
  );
  const update = { params: { integrationId: "gun" }, body: { credentials: wrong, check: true } };
  await refused(client, "integrations.update", update, "PROVIDER_CHECK_FAILED");
  await client("integrations.update", { ...update, body: { check: true } });
});
