// Encryption at rest: chat webhook URLs, device tokens and headers that an event passes through to a provider are in no
// row of the database in clear text. Returns and deliveries contain them unchanged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatIntegration, endpoint, subscriber } from "@tidings/testkit/channels";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { integration, mailer, secretKey, step } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, messagesOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { startService } from "../../src/service.ts";

const words = {
  token: "device-s3cret-token-of-ada",
  named: "device-s3cret-token-from-the-event",
  failing: "device-s3cret-token-that-fails",
  hook: "hook-s3cret-of-ada",
  place: "endpoint-s3cret-of-bob",
  room: "room-s3cret-of-the-event",
  header: "Bearer header-s3cret-of-the-caller",
};

const given = { email: { _passthrough: { headers: { authorization: words.header, "x-kind": "alarm" } } } };

// A provider that quotes what it was sent, as many do in their errors.
const providers = await startReceiver(({ path, body }) =>
  body.includes(words.failing) ? { status: 500, text: body } : { status: path === "/down" ? 500 : 200, text: "{}" },
);
const listener = await startReceiver();
const TIDINGS_ENCRYPTION_KEY = "cd".repeat(32);
const { client, db, database } = await startTestService({ TIDINGS_ENCRYPTION_KEY, TIDINGS_DELIVERY_ATTEMPTS: "1" });

/** Every row of every table, the queue's among them, as text. */
async function wholeDatabase(): Promise<{ table: string; text: string }[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`.execute(db);
  const found: { table: string; text: string }[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select to_jsonb(t)::text as text from ${sql.raw(name)} t`.execute(db);
    found.push(...rows.map(({ text }) => ({ table: name, text })));
  }
  return found;
}

const clearRows = async () =>
  (await wholeDatabase()).flatMap(({ table, text }) => {
    const shown = Object.entries(words).filter(([, word]) => text.includes(word));
    return shown.length > 0 ? [`${table}: ${shown.map(([name]) => name).join(", ")}`] : [];
  });

test("chat webhooks, device tokens and passed-through headers are in no row of the database", async () => {
  await integration(client, "push-webhook", "push", { webhookUrl: `${providers.url}/push`, secretKey });
  await mailer(client, "mail", `${providers.url}/mail`);
  await chatIntegration(client, "chat", "chat-webhook", { secretKey });
  await client("webhooks.create", { body: { url: `${listener.url}/heard` } });
  await subscriber(client, "ada");
  await subscriber(client, "bob");
  const params = { subscriberId: "ada" };
  const push = { providerId: "push-webhook", integrationIdentifier: "push" } as const;
  const chat = { providerId: "chat-webhook", integrationIdentifier: "chat" } as const;
  const deviceTokens = [words.token, words.failing];
  const first = { params, body: { ...push, credentials: { deviceTokens } }, headers: { "idempotency-key": "tokens" } };
  await client("subscribers.replaceCredentials", first as never);
  const webhookUrl = `${providers.url}/${words.hook}`;
  await client("subscribers.appendCredentials", { params, body: { ...chat, credentials: { webhookUrl } } } as never);
  const repeated = await client("subscribers.replaceCredentials", first as never);
  assert.deepEqual(repeated.body.channels?.[0]?.credentials.deviceTokens, deviceTokens);
  const url = `${providers.url}/${words.place}`;
  const { identifier } = await endpoint(client, "chat", "bob", { endpoint: { url } });

  await createWorkflow(client, "alarm", [
    step("push", { subject: "Alarm", body: "now" }),
    step("chat", { body: "Alarm" }),
    step("email", { subject: "Alarm", body: "now" }),
  ]);
  const channels = [
    { ...push, credentials: { deviceTokens: [words.named] } },
    { providerId: "svc-slack", credentials: { webhookUrl: `https://chat.example/${words.room}` } },
  ];
  const to = [{ ...params, email: "ada@example.com", channels }, { subscriberId: "bob" }];
  const events = [{ name: "alarm", to, overrides: given, actor: to[0], payload: {} }];
  const [result] = (await client("events.triggerBulk", { body: { events } } as never)).body;
  const sent = result!.transactionId!;
  await settled(client, sent);
  await eventually(
    () => listener.of("/heard").filter(({ event }) => event.object === "message").length >= 6,
    "what the webhook hears",
  );

  assert.deepEqual(await clearRows(), []);

  // What was encrypted arrives, and responses show it as before.
  const bodies = (path: string) => providers.of(path).map(({ body }) => body);
  assert.equal(bodies("/push").filter((body) => body.includes(words.token)).length, 1);
  assert.equal(bodies("/push").filter((body) => body.includes(words.named)).length, 1);
  assert.equal(bodies(`/${words.hook}`).length, 1);
  assert.equal(bodies(`/${words.place}`).length, 1);
  assert.equal(providers.of("/mail")[0]?.headers.authorization, words.header);
  const messages = await messagesOf(client, sent);
  const tokens = messages.flatMap((message) => message.deviceTokens ?? []);
  assert.deepEqual(tokens.sort(), [words.named, words.failing, words.token].sort());
  const hooks = messages.flatMap((message) => message.directWebhookUrl ?? []);
  assert.deepEqual(hooks.sort(), [url, webhookUrl, `https://chat.example/${words.room}`].sort());
  const [captured] = (await client("captured.list", { query: { transactionId: sent } })).body.data;
  assert.deepEqual(captured?.to, [`https://chat.example/${words.room}`]);
  const known = await client("channelEndpoints.retrieve", { params: { identifier } });
  assert.deepEqual(known.body.endpoint, { url });

  // Where overrides are shown, the login is masked and the rest is not.
  const masked = { authorization: "********", "x-kind": "alarm" };
  const shown = (overrides: unknown) => (overrides as typeof given).email._passthrough.headers;
  for (const { jobs } of (await client("notifications.list", { query: { transactionId: sent } })).body.data) {
    assert.deepEqual(
      jobs?.map((job) => shown(job.overrides)),
      [masked, masked, masked],
    );
  }
  assert.deepEqual(
    messages.map((message) => shown(message.overrides)),
    messages.map(() => masked),
  );
  const heard = listener
    .of("/heard")
    .filter(({ event }) => event.object === "message")
    .map(({ event }) => event.data.object as { overrides: unknown });
  assert.deepEqual(
    heard.map((object) => shown(object.overrides)),
    heard.map(() => masked),
  );
});

test("rows that an older version left in clear are read as they are, and encrypted by the next start", async () => {
  const url = `${providers.url}/${words.place}`;
  await sql`update subscribers set channels = jsonb_set(channels, '{0,credentials}',
    ${JSON.stringify({ deviceTokens: [words.token] })}::jsonb) where subscriber_id = 'ada'`.execute(db);
  await sql`update channel_endpoints set endpoint = ${JSON.stringify({ url })}::jsonb`.execute(db);
  const recipients = [{ subscriberId: "ada", channels: [{ credentials: { deviceTokens: [words.named] } }] }];
  await sql`update events set overrides = ${JSON.stringify(given)}::jsonb, actor = ${JSON.stringify(recipients[0])}::jsonb,
    recipients = ${JSON.stringify(recipients)}::jsonb`.execute(db);
  await sql`update messages set address = ${words.token},
    outgoing = ${JSON.stringify({ token: words.token })}::jsonb where channel = 'push'`.execute(db);
  await sql`update messages set outgoing = ${JSON.stringify({ to: ["a@example.com"], passthrough: given.email._passthrough })}
    ::jsonb where channel = 'email'`.execute(db);
  await sql`update captured_messages set content = jsonb_set(content, '{to}',
    ${JSON.stringify([words.room])}::jsonb)`.execute(db);
  await sql`update webhook_events set body = ${JSON.stringify({ token: words.token })}`.execute(db);
  await sql`update background_migrations set next_key = null, finished_at = null`.execute(db);
  assert.ok((await clearRows()).length > 0);
  const answers = async () => {
    const { data } = (await client("messages.list", { query: { limit: 100 } })).body;
    return {
      ada: (await client("subscribers.retrieve", { params: { subscriberId: "ada" } })).body.channels?.[0]?.credentials,
      endpoint: (await client("channelEndpoints.list")).body.data[0]?.endpoint,
      tokens: data.flatMap((message) => message.deviceTokens ?? []),
      overrides: data.map((message) => message.overrides),
      captured: (await client("captured.list")).body.data[0]?.to,
    };
  };
  const before = await answers();
  assert.deepEqual([before.ada?.deviceTokens, before.endpoint], [[words.token], { url }]);

  const settings = { DATABASE_URL: database.url, TIDINGS_ROLE: "api", TIDINGS_HOST: "127.0.0.1", TIDINGS_PORT: "0" };
  const next = await startService(readConfig({ ...settings, TIDINGS_ENCRYPTION_KEY }), pino({ level: "silent" }));
  await next.stop();
  assert.deepEqual(await clearRows(), []);
  assert.deepEqual(await answers(), before);
});
