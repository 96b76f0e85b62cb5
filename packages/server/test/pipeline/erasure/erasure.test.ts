// The erasure of a person who is in every place where the API can put them: afterwards a search through the whole
// database finds nothing of them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Erasure } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { request } from "@tidings/testkit/http";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { signInOwner } from "../../app/members/browsers.ts";
import { dumpRows, findTexts } from "../../support/dump.ts";
import { foreignTables, writeForeignTexts } from "./foreign-texts.ts";

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

async function fill(): Promise<{ shared: string; delayed: string; mentioned: string; marked: string }> {
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
  });
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
  const marked = await trigger(client, "marked", [subscriberId, "bob"], {
    order: "A-1",
    patient: "Some Secret Patient",
  });
  const mentioned = await trigger(client, "mixed", "bob", {
    name: `friend ${fullName}`,
    note: profile.phone,
    link: `https://x.test/?m=${encodeURIComponent(profile.email)}`,
  });
  const copied = await client("events.trigger", {
    body: {
      name: "mixed",
      to: "bob",
      actor: { subscriberId, firstName: profile.firstName },
      payload: { note: "copied" },
      transactionId: `welcome-${profile.email}`,
      overrides: { email: { cc: [profile.email], bcc: [`${fullName} <${profile.email}>`] } },
    },
  });
  const topic = await client("events.trigger", {
    body: {
      name: "mixed",
      to: { type: "Topic", topicKey: "crowd" },
      payload: { note: "all" },
      tenant: { identifier: "acme", name: `Tenant of ${fullName}`, data: { boss: profile.email } },
    },
  } as never);
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
  // Every mail so far has to be sent before the only server is the one that refuses.
  for (const { body } of [copied, topic]) await settled(client, body.transactionId!);
  for (const transactionId of [own, shared, mentioned]) await settled(client, transactionId);
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
  return { shared, delayed, mentioned, marked };
}

const ended = (erasureId: string): Promise<Erasure> =>
  eventually(async () => {
    const { body } = await client("erasures.retrieve", { params: { erasureId } });
    return body.status === "completed" ? body : null;
  }, "the end of the erasure");

/** The places in which the person has to be before the erasure, so that the search afterwards means something. */
const places = [
  ...foreignTables,
  "audit_log",
  "captured_messages",
  "contexts",
  "dead_letters",
  "event_attachments",
  "event_search_values",
  "events",
  "idempotency_keys",
  "import_pages",
  "imports",
  "inbound_receipts",
  "messages",
  "notifications",
  "subscribers",
  "suppressions",
  "tenants",
  "topic_subscriptions",
  "topics",
  "transaction_ids",
  "webhook_deliveries",
  "webhook_events",
];

test("nothing of the person is left in the database, and the receipt says what was done", async () => {
  const { shared, delayed, mentioned, marked } = await fill();
  await eventually(() => receiver.received.length > 0, "a call of the webhook");
  await writeForeignTexts(db, { subscriberId, email: profile.email });
  const found = (await find()).map((one) => one.split(":")[0]!.replace("public.", ""));
  assert.deepEqual([...new Set(found)].filter((table) => !/_\d{4}_\d\d$/.test(table)).sort(), places.sort());
  const sent = async () => (await messagesOf(client, mentioned)).map(({ status, channel }) => `${channel} ${status}`);
  const before = await sent();
  const body = { terms: ["former-address@example-oddity.test"] };
  const answers = await Promise.all([1, 2].map(() => client("subscribers.erase", { params, body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 202]);
  assert.equal(answers[0]!.body.id, answers[1]!.body.id);
  const erasure = await ended(answers[0]!.body.id);
  assert.deepEqual(await find(), []);

  const { receipt, signedReceipt, pseudonym } = erasure;
  const rows = Object.fromEntries(receipt!.tables.map((one) => [one.table, one.rows]));
  for (const table of ["subscribers", "events", "messages", "dead_letters", "captured_messages", "suppressions"]) {
    assert.ok(rows[table]! > 0, `${table}: ${rows[table]}`);
  }
  assert.equal(rows.topic_subscriptions, 1);
  assert.equal(rows.subscriber_preferences, 1);
  const verify = async (given: object) => (await client("erasures.verify", { body: given as never })).body;
  assert.deepEqual(await verify({ signedReceipt, subscriberId }), { isValid: true, isAboutSubscriber: true, receipt });
  assert.equal((await verify({ signedReceipt, subscriberId: "bob" })).isAboutSubscriber, false);
  assert.deepEqual(await verify({ signedReceipt: `x${signedReceipt}` }), { isValid: false });
  const inProduction = await service.production("erasures.verify", { body: { signedReceipt: signedReceipt! } });
  assert.deepEqual(inProduction.body, { isValid: false });

  // Others keep their messages; the person in them has the pseudonym.
  assert.deepEqual(await sent(), before);
  const bobs = (await messagesOf(client, shared)).filter((one) => one.channel === "in_app" && one.content);
  assert.deepEqual(
    bobs.map(({ content }) => content),
    [`Hi ${pseudonym}`],
  );
  const [event] = (
    await sql<{ payload: object }>`select payload from events where transaction_id = ${marked}`.execute(db)
  ).rows;
  assert.deepEqual(event!.payload, { order: "A-1" });
  // Calls by SQL that reach others continue without the person.
  const calls = await sql<{ table: string; to: unknown; actor: unknown }>`
    select * from (
      select 'outbox' as table, id::text, body->'to' as to, body->'actor' as actor from sql_outbox
      union all select 'refused', id::text, data->'body'->'to', data->'body'->'actor' from failed_tasks where kind = 'relay'
    ) as calls order by 1, jsonb_typeof("to")`.execute(db);
  assert.deepEqual(
    calls.rows.map(({ table, to, actor }) => [table, to, actor]),
    ["outbox", "refused"].flatMap((table) => [
      [table, ["bob"], null],
      [table, "bob", null],
    ]),
  );
  // The run that waited has ended, with the reason.
  const [run] = await notificationsOf(client, delayed);
  assert.deepEqual(
    run!.jobs!.map((job) => [job.status, job.executionDetails.at(-1)!.detail]),
    [
      ["canceled", "Step canceled, the subscriber was erased"],
      ["canceled", "Step canceled, the subscriber was erased"],
    ],
  );
  // The address stays suppressed, although nobody can read it.
  const listed = (await client("suppressions.list", { query: { address: profile.email } })).body.data;
  assert.match(listed[0]!.address, /^erased:/);
  const again = await trigger(client, "mixed", { subscriberId, email: profile.email.toUpperCase() }, { note: "again" });
  const [notification] = await settled(client, again);
  assert.ok(detailsOf(notification!, "email").includes("Recipient address is suppressed"));
  await client("suppressions.delete", { params: { suppressionId: profile.email } });
  assert.equal((await client("suppressions.list", { query: {} })).body.data.length, 0);
});
