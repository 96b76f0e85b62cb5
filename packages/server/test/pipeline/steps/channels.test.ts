// SMS, chat, push and email over the interface: what leaves the service is seen in the development mailbox.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CapturedMessage, Notification, StepIn, TriggerEvent } from "@tidings/contract";
import { chatIntegration, endpoint } from "@tidings/testkit/channels";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

const step = (type: StepIn["type"], controlValues: Record<string, unknown>): StepIn => ({
  name: type,
  type,
  controlValues,
});

async function send(event: Partial<TriggerEvent> & { name: string }): Promise<string> {
  const events = [{ to: "ada", ...event }] as TriggerEvent[];
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  assert.equal(result?.status, "processed", JSON.stringify(result));
  await settled(client, result.transactionId!);
  return result.transactionId!;
}

const captured = async (transactionId: string): Promise<CapturedMessage[]> =>
  (await client("captured.list", { query: { transactionId, orderDirection: "ASC" } })).body.data;

const notificationOf = async (transactionId: string): Promise<Notification> =>
  (await settled(client, transactionId))[0]!;

const jobOf = async (transactionId: string) => (await notificationOf(transactionId)).jobs![0]!;

test("an SMS goes to the subscriber's number, or where the event says", async () => {
  await createWorkflow(client, "text", [step("sms", { body: "Order {{ payload.order }} & <more>" })]);
  const to = { subscriberId: "ada", phone: "+4912345", email: "ada@example.com" };
  const sent = await send({ name: "text", to, payload: { order: 7 } });
  assert.deepEqual(
    (await captured(sent)).map(({ channel, to, text, providerId }) => [channel, to, text, providerId]),
    [["sms", ["+4912345"], "Order 7 & <more>", "svc-sms"]],
  );
  const [message] = await messagesOf(client, sent);
  assert.deepEqual([message!.status, message!.phone, message!.email], ["sent", "+4912345", undefined]);

  const elsewhere = await send({
    name: "text",
    overrides: { sms: { to: "+4999999", content: "Hello", from: "Shop" } },
  });
  const [other] = await captured(elsewhere);
  assert.deepEqual([other!.to, other!.text, other!.from], [["+4999999"], "Hello", "Shop"]);

  const numberless = await send({ name: "text", to: "nobody" });
  const [missing] = await messagesOf(client, numberless);
  assert.deepEqual([missing!.status, missing!.errorId], ["warning", "subscriber_missing_phone"]);
  const job = await jobOf(numberless);
  const { source, status, detail } = job.executionDetails.at(-1)!;
  assert.deepEqual(
    [job.status, source, status, detail],
    ["skipped", "Payload", "Warning", "Subscriber has no phone number"],
  );
});

test("chat goes to every place at which the subscriber is reached, as the event brought it", async () => {
  await createWorkflow(client, "talk", [step("chat", { body: "Hi {{ payload.name }}" })]);
  const nowhere = await send({ name: "talk", to: "mute" });
  assert.equal((await messagesOf(client, nowhere))[0]!.errorId, "subscriber_missing_chat_channel");

  const channels = [{ providerId: "svc-slack", credentials: { webhookUrl: "https://hooks.example/1" } }];
  const first = await send({ name: "talk", to: { subscriberId: "chatty", channels }, payload: { name: "you" } });
  assert.deepEqual(
    (await captured(first)).map(({ channel, to, text }) => [channel, to, text]),
    [["chat", ["https://hooks.example/1"], "Hi you"]],
  );
  assert.equal((await messagesOf(client, first))[0]!.directWebhookUrl, "https://hooks.example/1");

  // A second integration: two messages of one job, which ends when both have.
  await client("integrations.create", {
    body: { providerId: "svc-slack", channel: "chat", identifier: "room", active: true },
  });
  const both = [
    { ...channels[0]!, integrationIdentifier: "room", credentials: { webhookUrl: "https://hooks.example/2" } },
  ];
  const second = await send({ name: "talk", to: { subscriberId: "chatty", channels: both } });
  assert.deepEqual((await captured(second)).map(({ to }) => to[0]).sort(), [
    "https://hooks.example/1",
    "https://hooks.example/2",
  ]);
  const job = await jobOf(second);
  assert.equal(job.status, "completed");
  assert.equal(job.executionDetails.filter(({ detail }) => detail === "Integration selected").length, 2);
});

test("endpoints of the subscriber come before its channel entry, with contexts of their own, and an address comes once", async () => {
  await chatIntegration(client, "hook", "chat-webhook");
  await client("subscribers.create", { body: { subscriberId: "pat" } });
  await endpoint(client, "hook", "pat", { endpoint: { url: "https://10.0.0.1/plain" } });
  await endpoint(client, "hook", "pat", { endpoint: { url: "https://10.0.0.1/plain" } });
  await endpoint(client, "hook", "pat", {
    endpoint: { url: "https://10.0.0.1/acme" },
    context: { tenant: "acme" },
  } as never);
  // A private address is refused at once, so that nothing is repeated; where it was meant to go is all that counts
  // here.
  const plain = await send({ name: "talk", to: "pat" });
  const scoped = await send({ name: "talk", to: "pat", context: { tenant: "acme" } });
  const urls = async (transactionId: string) =>
    (await messagesOf(client, transactionId)).map(({ directWebhookUrl }) => directWebhookUrl);
  assert.deepEqual(await urls(plain), ["https://10.0.0.1/plain"]);
  assert.deepEqual(await urls(scoped), ["https://10.0.0.1/acme"]);
});

test("device tokens that come with events are added, whoever sends them at once", async () => {
  const serviceAccount = JSON.stringify({ project_id: "p" });
  await client("integrations.create", {
    body: { providerId: "fcm", channel: "push", identifier: "fcm", active: true, credentials: { serviceAccount } },
  });
  await createWorkflow(client, "quiet", [inApp({ body: "x" })]);
  const tokens = Array.from({ length: 8 }, (_, n) => `token-${n}`);
  const sent = await Promise.all(
    tokens.map((token) => {
      const channels = [{ providerId: "fcm", credentials: { deviceTokens: [token, "shared"] } }];
      return trigger(client, "quiet", { subscriberId: "mobile", channels });
    }),
  );
  for (const transactionId of sent) await settled(client, transactionId);
  const { body } = await client("subscribers.retrieve", { params: { subscriberId: "mobile" } });
  assert.equal(body.channels?.length, 1);
  const { credentials, integrationIdentifier } = body.channels![0]!;
  assert.equal(integrationIdentifier, "fcm");
  assert.deepEqual([...credentials.deviceTokens!].sort(), ["shared", ...tokens]);

  await createWorkflow(client, "ring", [step("push", { subject: "Ring", body: "now" })]);
  const rung = await send({ name: "ring", to: "mobile" });
  const messages = await messagesOf(client, rung);
  assert.deepEqual(messages.flatMap(({ deviceTokens }) => deviceTokens ?? []).sort(), ["shared", ...tokens]);
  assert.ok(messages.every(({ title, providerId }) => title === "Ring" && providerId === "fcm"));
});

describe("tenant", () => {
  test("made by an event, changed by another, found by its name, seen by templates", async () => {
    await createWorkflow(client, "mail", [
      email({ subject: "{{ tenant.name }}", body: "<p>{{ tenant.data.plan }}/{{ tenant.identifier }}</p>" }),
    ]);
    const subjects = async (event: Partial<TriggerEvent>) => {
      const [mail] = await captured(await send({ name: "mail", ...event }));
      return [mail!.subject, mail!.text];
    };
    const acme = { identifier: "acme", name: "Acme", data: { plan: "gold" } };
    assert.deepEqual(await subjects({ tenant: acme }), ["Acme", "gold/acme"]);
    assert.deepEqual(await subjects({ tenant: "acme" }), ["Acme", "gold/acme"]);
    assert.deepEqual(await subjects({ tenant: { identifier: "acme", name: "Acme Inc" } }), ["Acme Inc", "gold/acme"]);
    assert.deepEqual(await subjects({ tenant: { identifier: "acme", data: {} } }), ["Acme Inc", "/acme"]);
    const details = detailsOf(await notificationOf(await send({ name: "mail", tenant: "acme" })), "email");
    assert.ok(details.includes("Tenant selected"), details.join());
  });

  test("known to later events of the request that makes it, and to no other environment", async () => {
    const events = [
      { name: "mail", to: "ada", tenant: "fresh" },
      { name: "mail", to: "ada", tenant: { identifier: "fresh" } },
      { name: "mail", to: "ada", tenant: "fresh" },
    ];
    const results = (await client("events.triggerBulk", { body: { events } })).body;
    assert.deepEqual(
      results.map(({ status }) => status),
      ["no_tenant_found", "processed", "processed"],
    );
    await createWorkflow(production, "mail", [inApp({ body: "x" })]);
    const [abroad] = (await production("events.triggerBulk", { body: { events: [events[0]!] } })).body;
    assert.equal(abroad?.status, "no_tenant_found");
  });
});

describe("overrides", () => {
  test("addresses, headers and attachments reach the mail", async () => {
    const file = (text: string) => Buffer.from(text).toString("base64");
    const attachments = [
      { name: "bill.txt", mime: "text/plain", file: file("seven") },
      { name: "chat.txt", mime: "text/plain", file: file("x"), channels: ["chat"] },
    ];
    const overrides = {
      email: {
        to: ["Bob <bob@example.com>"],
        cc: "c@example.com",
        from: "shop@example.com",
        headers: { "X-Order": "7" },
      },
      "svc-email": { replyTo: "help@example.com" },
    };
    const [mail] = await captured(await send({ name: "mail", payload: { attachments }, overrides }));
    assert.deepEqual(mail!.to, ["ada@example.com", "Bob <bob@example.com>"]);
    assert.deepEqual(
      [mail!.cc, mail!.from, mail!.replyTo],
      [["c@example.com"], "shop@example.com", "help@example.com"],
    );
    assert.deepEqual(mail!.headers, { "X-Order": "7" });
    assert.deepEqual(mail!.attachments, [{ name: "bill.txt", mime: "text/plain", size: 5 }]);
  });

  test("toRecipient replaces the subscriber's address, and a member that the mailbox cannot use is told", async () => {
    const overrides = { email: { toRecipient: "bob@example.com", templateId: "t-1" } };
    const sent = await send({ name: "mail", overrides });
    const [mail] = await captured(sent);
    assert.deepEqual(mail!.to, ["bob@example.com"]);
    assert.equal((await messagesOf(client, sent))[0]!.email, "bob@example.com");
    const told = (await jobOf(sent)).executionDetails.filter(({ detail }) => detail === "Override ignored");
    assert.deepEqual(
      told.map(({ raw }) => JSON.parse(raw!).override),
      ["templateId"],
    );
  });

  test("what nobody reads is told once, what is malformed fails the step, and severity is noted", async () => {
    await createWorkflow(client, "two", [inApp({ body: "x" }), email()]);
    const overrides = { nosuch: {}, steps: { gone: {} }, severity: "high", email: { to: "nobody" } };
    const sent = await send({ name: "two", overrides });
    const notification = await notificationOf(sent);
    assert.equal(notification.severity, "high");
    const [first, second] = notification.jobs!;
    const told = first!.executionDetails.filter(({ detail }) => detail === "Override ignored");
    assert.deepEqual(
      told.map(({ raw }) => JSON.parse(raw!).override),
      ["nosuch", "steps.gone"],
    );
    assert.ok(first!.executionDetails.some(({ detail }) => detail === "Severity overridden"));
    assert.equal(second!.status, "failed");
    assert.deepEqual(detailsOf(notification, "email"), [
      "Step created",
      "Start sending message",
      "Integration selected",
      "Override is not valid",
    ]);
    const failed = (await messagesOf(client, sent)).find(({ channel }) => channel === "email");
    assert.deepEqual([failed!.status, failed!.errorId], ["error", "mail_unexpected_error"]);
    assert.match(failed!.errorText!, /to must be an email address/);
    assert.deepEqual(await captured(sent), []);
  });

  test("an integration that is named and not there fails the step", async () => {
    const sent = await send({ name: "mail", overrides: { email: { integrationIdentifier: "gone" } } });
    assert.equal((await messagesOf(client, sent))[0]!.errorId, "email_missing_integration");
    assert.equal((await jobOf(sent)).executionDetails.at(-1)?.detail, "Named integration not found or inactive");
  });
});

test("mail comes in the layout of the environment, with the texts of the subscriber's language", async () => {
  await client("layouts.create", {
    body: { layoutId: "house", name: "House" },
  });
  await client("layouts.update", {
    params: { layoutId: "house" },
    body: {
      name: "House",
      controlValues: { email: { body: "<div>[{{ content }}]</div>", editorType: "html" } },
    },
  });
  await createWorkflow(
    client,
    "local",
    [email({ subject: "{{ t.hi }}", body: "<p>{{ t.hi }}</p>", editorType: "html" })],
    {
      isTranslationEnabled: true,
    },
  );
  for (const [locale, hi] of [
    ["en_US", "Hello"],
    ["de_DE", "Hallo"],
  ] as const) {
    await client("translations.create", {
      body: { resourceId: "local", resourceType: "workflow", locale, content: { hi } },
    } as never);
  }
  const mailTo = async (locale: string) => {
    const to = { subscriberId: `reader-${locale}`, email: "r@example.com", locale };
    const [mail] = await captured(await send({ name: "local", to }));
    return [mail!.subject, mail!.text];
  };
  assert.deepEqual(await mailTo("de_DE"), ["Hallo", "[\n\nHallo\n\n]"]);
  assert.deepEqual(await mailTo("fr_FR"), ["Hello", "[\n\nHello\n\n]"]);
  const unknown = await send({ name: "local", overrides: { layoutIdentifier: "gone" } });
  assert.equal((await messagesOf(client, unknown))[0]!.errorId, "layout_not_found");
});

test("capture providers exist in production too, switched off", async () => {
  const list = (await production("integrations.list")).body.map(({ providerId, active }) => [providerId, active]);
  assert.deepEqual(list, [
    ["svc", true],
    ["svc-email", false],
    ["svc-sms", false],
    ["svc-slack", false],
  ]);
});
