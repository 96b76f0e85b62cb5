// Attachments: their content is stored once, separate from the event, and leaves the service only in mails. Everything
// else that shows the payload shows what each file is called, its media type and its size.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn, TriggerEvent } from "@tidings/contract";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { purgeDeletedEnvironments } from "../../../src/store/installation/purges.ts";

const mail = await startScriptedMail((address, times) => (address.startsWith("busy") && times === 0 ? 451 : null));
const receiver = await startReceiver();
const { client, db } = await startTestService();

const server = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
const good = { ...server, from: "shop@example.com", senderName: "Shop" };
/** The server takes no login at all. */
const bad = { ...good, user: "shop", password: "wrong" };
const smtp = async (identifier: string, credentials: object) => {
  const body = { providerId: "nodemailer", channel: "email", identifier, active: true, credentials } as const;
  return (await client("integrations.create", { body })).body;
};
await smtp("good", good);
await client("integrations.setPrimary", { params: { integrationId: "good" } });
await client("webhooks.create", { body: { url: receiver.url, eventTypes: ["message.sent"] } });

const secret = "the content of the file, which is long enough to be found wherever it is";
const file = Buffer.from(secret).toString("base64");
const attachments = [
  { name: "bill.txt", mime: "text/plain", file },
  { name: "chat.txt", mime: "text/plain", file, channels: ["chat"] },
];
const shown = [
  { name: "bill.txt", mime: "text/plain", size: secret.length },
  { name: "chat.txt", mime: "text/plain", size: secret.length, channels: ["chat"] },
];

const digest: StepIn = {
  name: "Digest",
  stepId: "digest",
  type: "digest",
  controlValues: { amount: 1, unit: "seconds" },
};
await createWorkflow(client, "both", [inApp({ body: "{{ payload.attachments[0].name }}" }), email()]);
await createWorkflow(client, "digested", [digest, email()]);

async function send(name: string, event: Partial<TriggerEvent> = {}, workflow = "both"): Promise<string> {
  const to = { subscriberId: name, email: `${name}@example.com` };
  const body = { name: workflow, to, payload: { attachments }, ...event } as TriggerEvent;
  return (await client("events.trigger", { body })).body.transactionId!;
}

function assertMailed(name: string): void {
  const mails = mail.mailsTo(`${name}@example.com`);
  assert.equal(mails.length, 1);
  const files = mails[0]!.attachments.map(({ filename, content }) => [
    filename,
    Buffer.from(content as never).toString(),
  ]);
  assert.deepEqual(files, [["bill.txt", secret]]);
}

/** Rows of any table that hold the content, by table. */
async function tablesWithContent(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} t where t::text like ${`%${file}%`} limit 1`.execute(
      db,
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe("the content is in the mail and nowhere else", () => {
  test("messages, the feed, notifications and webhooks show name, media type and size", async () => {
    const transactionId = await send("ada");
    const [notification] = await settled(client, transactionId);
    assertMailed("ada");
    assert.deepEqual(notification!.payload, { attachments: shown });
    for (const job of notification!.jobs!) assert.deepEqual(job.payload, { attachments: shown });
    const [item] = await feedOf(client, "ada");
    assert.deepEqual([item!.payload, item!.content], [{ attachments: shown }, "bill.txt"]);
    const messages = await messagesOf(client, transactionId);
    assert.equal(messages.length, 2);
    for (const message of messages) assert.deepEqual(message.payload, { attachments: shown });
    const told = await eventually(
      () => receiver.received.find(({ event }) => event.data.object.channel === "email"),
      "a webhook",
    );
    assert.deepEqual((told.event.data.object as { payload?: object }).payload, { attachments: shown });
    assert.ok(receiver.received.every(({ body }) => !body.includes(file)));
    assert.deepEqual(await tablesWithContent(), ["event_attachments"]);
    const { rows } = await sql`select 1 from event_attachments`.execute(db);
    assert.equal(rows.length, 1, "once, whatever the number of messages");
  });

  test("a retry carries the attachments as well", async () => {
    await settled(client, await send("busy"));
    assert.equal(mail.asked.get("busy@example.com"), 2);
    assertMailed("busy");
  });

  test("so do the integration that takes over and the replay of a dead letter", async () => {
    await smtp("bad", bad);
    await settled(client, await send("over", { overrides: { email: { integrationIdentifier: "bad" } } }));
    assertMailed("over");

    await client("integrations.update", { params: { integrationId: "good" }, body: { credentials: bad } });
    const capture = (await client("integrations.list")).body.find(({ providerId }) => providerId === "svc-email")!;
    await client("integrations.update", { params: { integrationId: capture._id! }, body: { active: false } });
    const transactionId = await send("dead");
    await settled(client, transactionId);
    const [letter] = (await client("deadLetters.list", { query: { transactionId } })).body.data;
    await client("integrations.update", { params: { integrationId: "good" }, body: { credentials: good } });
    await client("deadLetters.replay", { params: { id: letter!.id } });
    await eventually(() => mail.mailsTo("dead@example.com").length > 0, "the replay");
    assertMailed("dead");
  });

  test("a digested mail carries the attachments of the event that leads the digest", async () => {
    const first = await send("dora", {}, "digested");
    await eventually(
      async () =>
        (await client("notifications.list", { query: { transactionId: first } })).body.data[0]?.jobs?.[0]?.status ===
        "delayed",
      "the digest to open",
    );
    const other = [{ name: "other.txt", mime: "text/plain", file: Buffer.from("other").toString("base64") }];
    await send("dora", { payload: { attachments: other } }, "digested");
    const [notification] = await settled(client, first);
    const events = notification!.jobs![0]!.digest!.events as { payload: object }[];
    assert.deepEqual(
      events.map(({ payload }) => payload),
      [{ attachments: shown }, { attachments: [{ name: "other.txt", mime: "text/plain", size: 5 }] }],
    );
    assertMailed("dora");
  });
});

test("a schema of the payload judges what the caller sent", async () => {
  const properties = { attachments: { type: "array", items: { type: "object", required: ["file"] } } };
  const payloadSchema = { type: "object", required: ["attachments"], properties };
  await createWorkflow(client, "strict", [email()], { validatePayload: true, payloadSchema });
  await settled(client, await send("sven", {}, "strict"));
  assertMailed("sven");
});

test("a transaction id that comes again stores nothing again", async () => {
  const event = { transactionId: "once" };
  const count = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from event_attachments`.execute(db)).rows[0]!.count;
  assert.equal(await send("rita", event), "once");
  const before = await count();
  assert.equal(await send("rita", event), "once");
  assert.equal(await count(), before);
});

test("the files and calls by SQL of a deleted environment go with its other rows", async () => {
  const doomed = (await client("environments.create", { body: { name: "Doomed", color: "#112233" } })).body._id;
  for (let n = 0; n < 3; n++) {
    await sql`insert into event_attachments values (${newId()}, ${doomed}, '[]')`.execute(db);
    await sql`insert into sql_outbox (environment_id, transaction_id, kind, body)
      values (${doomed}, ${newId()}, 'trigger', '{}')`.execute(db);
  }
  await sql`update environments set deleted_at = now() - interval '2 days' where id = ${doomed}`.execute(db);
  const left = async () => {
    const { rows } = await sql<{ files: number; calls: number }>`
      select (select count(*)::int from event_attachments where environment_id = ${doomed}) as files,
        (select count(*)::int from sql_outbox where environment_id = ${doomed}) as calls`.execute(db);
    return rows[0];
  };
  assert.equal(await purgeDeletedEnvironments(db, new Date(), 2), true);
  assert.deepEqual(await left(), { files: 1, calls: 1 }, "a page");
  while (await purgeDeletedEnvironments(db, new Date(), 2));
  assert.deepEqual(await left(), { files: 0, calls: 0 });
});
