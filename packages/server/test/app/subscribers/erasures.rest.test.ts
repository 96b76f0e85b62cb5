// Requests for erasures and exports: bad input, roles, what happens meanwhile, and an erasure that is interrupted.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { temporaryFolder } from "@tidings/testkit/process";
import { refused } from "@tidings/testkit/refusals";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { readZip } from "@tidings/testkit/zip";
import { sql } from "kysely";
import { dumpRows, findTexts } from "../../support/dump.ts";
import { invite, signInOwner } from "../members/browsers.ts";

const encryptionKey = randomBytes(32).toString("base64");
// Without workers, so that a test can look at an erasure that has not begun.
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_ROLE: "api" });
const { client, production, db } = service;

const erase = (subscriberId: string, by = client) => by("subscribers.erase", { params: { subscriberId }, body: {} });
const retrieve = async (erasureId: string) => (await client("erasures.retrieve", { params: { erasureId } })).body;
const create = (subscriberId: string, fields: object = {}) =>
  client("subscribers.create", { body: { subscriberId, ...fields } });

async function finish(erasureId: string) {
  const worker = await startWorker(service, encryptionKey);
  try {
    return await eventually(
      async () => {
        const erasure = await retrieve(erasureId);
        return erasure.status === "completed" ? erasure : null;
      },
      "the end of the erasure",
      60_000,
    );
  } finally {
    await worker.stop();
  }
}

test("bad input is refused, and nothing changes", async () => {
  await create("known", { email: "known@example.com" });
  for (const id of ["subscribers.erase"] as const) {
    await refused(client, id, { params: { subscriberId: "unknown" }, body: {} }, "SUBSCRIBER_NOT_FOUND");
    await refused(production, id, { params: { subscriberId: "known" }, body: {} }, "SUBSCRIBER_NOT_FOUND");
  }
  const params = { subscriberId: "known" };
  for (const terms of [["abc"], ["x".repeat(501)], Array(51).fill("text"), [7], "text"]) {
    await refused(client, "subscribers.erase", { params, body: { terms } as never }, "VALIDATION_ERROR");
  }
  await refused(client, "erasures.retrieve", { params: { erasureId: "no-id" } }, "ERASURE_NOT_FOUND");
  await refused(client, "erasures.verify", { body: {} as never }, "VALIDATION_ERROR");
  assert.equal((await client("subscribers.retrieve", { params })).body.email, "known@example.com");
  const owner = await signInOwner(service);
  for (const role of ["viewer", "support", "editor"] as const) {
    const member = await invite(service, owner, role);
    const answer = await member.call("subscribers.erase", { params, body: {} });
    assert.equal(answer.status, 403, `${role}: ${answer.text}`);
  }
  assert.equal((await owner.call("subscribers.erase", { params, body: {} })).status, 202);
  const audit = await owner.call("auditLog.list", {});
  assert.ok(audit.text.includes("subscribers.erase"));
});

test("meanwhile the person cannot come back; an event leaves them out; afterwards the id is free", async () => {
  await createWorkflow(client, "greet", [inApp({ body: "Hello {{ payload.name }}" }), email()]);
  const to = { subscriberId: "meanwhile-person", email: "meanwhile@example-odd.test", firstName: "Meanwhilea" };
  await create(to.subscriberId, to);
  const { id } = (await erase(to.subscriberId)).body;
  // Without a body, and the same erasure.
  const second = await client.raw("subscribers.erase", { params: { subscriberId: to.subscriberId } });
  assert.deepEqual([second.status, (second.body as { id: string }).id], [200, id]);
  await refused(client, "subscribers.retrieve", { params: { subscriberId: to.subscriberId } }, "SUBSCRIBER_NOT_FOUND");
  await refused(client, "subscribers.create", { body: to }, "SUBSCRIBER_BEING_ERASED");
  const bulk = (await client("subscribers.createBulk", { body: { subscribers: [to, { subscriberId: "dan" }] } })).body;
  assert.deepEqual([bulk.created, bulk.failed.length], [[{ subscriberId: "dan" }], 1]);
  const transactionId = await trigger(client, "greet", [to, "dan"], { name: "Meanwhilea" });
  assert.equal((await notificationsOf(client, transactionId)).length, 1);
  const alone = await trigger(client, "greet", to, { name: "Meanwhilea" });
  const { receipt } = await finish(id);
  assert.ok(receipt);
  const texts = ["meanwhile-person", "meanwhile@example-odd.test", "Meanwhilea"];
  assert.deepEqual(findTexts(await dumpRows(db, encryptionKey), texts), []);
  assert.deepEqual(await notificationsOf(client, alone), []);
  assert.equal((await create(to.subscriberId, to)).status, 201);
});

test("a deleted subscriber can be erased, and what another subscriber has too stays with them", async () => {
  await createWorkflow(client, "mail", [inApp({ body: "About {{ payload.what }}" })]);
  const shared = { email: "family@example-odd.test", lastName: "Familyname" };
  await create("deleted-one", { ...shared, firstName: "Deletedina" });
  await create("relative", { ...shared, firstName: "Relativus" });
  await trigger(client, "mail", "deleted-one", { what: "Secret-77" });
  await client("subscribers.delete", { params: { subscriberId: "deleted-one" } });
  assert.equal(findTexts(await dumpRows(db, encryptionKey), ["Secret-77"]).length > 0, true);
  await finish((await erase("deleted-one")).body.id);
  assert.deepEqual(findTexts(await dumpRows(db, encryptionKey), ["Secret-77", "deleted-one"]), []);
  const relative = await client("subscribers.retrieve", { params: { subscriberId: "relative" } });
  assert.deepEqual([relative.body.email, relative.body.lastName], ["family@example-odd.test", "Familyname"]);
});

test("an erasure whose process is killed goes on in the next one", async (context) => {
  await create("interrupted-person", { email: "interrupted@example-odd.test" });
  const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
  await sql`insert into transaction_ids (environment_id, transaction_id, event_id)
    select ${environment!._id}, 'interrupted@example-odd.test-' || n, gen_random_uuid()
    from generate_series(1, 6000) n`.execute(db);
  const { id } = (await erase("interrupted-person")).body;
  const worker = temporaryFolder(context).run({
    DATABASE_URL: service.database.url,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_ROLE: "worker",
  });
  await eventually(async () => (await retrieve(id)).progress.rows > 500, "some batches", 60_000);
  await worker.end("SIGKILL");
  const killed = await retrieve(id);
  assert.equal(killed.status, "running", "there was work left");
  // Its heartbeat would lapse after 10 s.
  await sql`update queue.job_common set heartbeat_on = '-infinity' where state = 'active'`.execute(db);
  const erasure = await finish(id);
  assert.equal(erasure.tables.transaction_ids, 6_000);
  assert.deepEqual(findTexts(await dumpRows(db, encryptionKey), ["interrupted@example-odd.test"]), []);
});

test("an export has everything that is stored, readable, without secrets and without other recipients", async () => {
  const profile = { firstName: "Exporta", email: "exporta@example-odd.test", data: { shoe: 44 } };
  await create("exported", profile);
  const channels = { email: { limit: 2, unit: "day" } } as const;
  await client("attention.update", {
    body: { budgets: [{ channel: "email", limit: 9, window: { amount: 1, unit: "day" } }] },
  });
  await client("subscribers.updateAttention", { params: { subscriberId: "exported" }, body: { channels } });
  const to = ["exported", { subscriberId: "other", email: "other@example-odd.test" }];
  await trigger(client, "greet", to, { name: "Exporta" });
  const headers = { authorization: `ApiKey ${service.apiKey}` };
  const download = (subscriberId: string) =>
    fetch(`${service.url}/v2/subscribers/${subscriberId}/export`, { method: "POST", headers });
  const response = await download("exported");
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/zip"]);
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  const read = (name: string) => JSON.parse(files.get(name)!);
  assert.equal(read("profile.json").email, profile.email);
  assert.deepEqual(read("attention.json")[0].limits, channels);
  assert.deepEqual(read("events.json")[0].payload, { name: "Exporta" });
  assert.deepEqual([read("events.json")[0].otherRecipients, read("runs.json").length], [1, 1]);
  const messages = [...files.keys()].filter((name) => name.startsWith("messages/"));
  const texts = messages.map((name) => files.get(name)!);
  assert.ok(texts.includes("Hello Exporta"), messages.join(" "));
  assert.ok(messages.some((name) => /^messages\/\d{4}-\d\d\/.*-email-.*\.html$/.test(name)));
  assert.equal(read("manifest.json").rows.messages, 2);
  for (const name of files.keys())
    assert.ok(name.startsWith("messages/") || files.get("README.txt")!.includes(name) || name === "README.txt", name);
  assert.ok(![...files.values()].some((text) => text.includes("other@example-odd.test")));
  for (const unknown of ["nobody", "%00"]) assert.equal((await download(unknown)).status, 404);
});

test("audiences and activity are exported and erased, and the pages of events lose the person", async () => {
  await create("listed-person");
  await create("listed-other");
  const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
  await sql`insert into audiences (environment_id, id, audience_id, name, created_at, updated_at)
    values (${environment!._id}, gen_random_uuid(), 'vip', 'Very important', now(), now())`.execute(db);
  const subscriberIds = ["listed-person", "listed-other"];
  await client("audiences.addMembers", { params: { audienceId: "vip" }, body: { subscriberIds } });
  const { rows: ids } = await sql<{ id: string }>`select id from subscribers
    where subscriber_id = any(${subscriberIds}) order by array_position(${subscriberIds}::text[], subscriber_id)`.execute(
    db,
  );
  const [person, other] = ids.map(({ id }) => id);
  await sql`insert into subscriber_activity values (${person}, ${environment!._id}, now(), null)`.execute(db);
  await sql`insert into event_pages (environment_id, event_id, page, subscriber_ids, people, due_at)
    select ${environment!._id}, gen_random_uuid(), n, array[${other}, ${person}]::uuid[], 2, now()
    from generate_series(1, 120) n`.execute(db);
  const headers = { authorization: `ApiKey ${service.apiKey}` };
  const response = await fetch(`${service.url}/v2/subscribers/listed-person/export`, { method: "POST", headers });
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  assert.deepEqual(JSON.parse(files.get("audiences.json")!), [{ audienceId: "vip", name: "Very important" }]);
  assert.ok(JSON.parse(files.get("activity.json")!)[0].lastReadAt);

  const { tables } = await finish((await erase("listed-person")).body.id);
  assert.deepEqual([tables.audience_members, tables.subscriber_activity, tables.event_pages], [1, 1, 120]);
  const { rows: left } = await sql`select 1 from audience_members where subscriber_id = ${person}
    union all select 1 from subscriber_activity where subscriber_id = ${person}
    union all select 1 from event_pages where subscriber_ids @> array[${person}::uuid]`.execute(db);
  assert.equal(left.length, 0);
  const { rows: pages } = await sql`select 1 from event_pages
    where subscriber_ids[1] = ${other} and cardinality(subscriber_ids) = 2`.execute(db);
  assert.equal(pages.length, 120, "the others stay, in their places");
  const { rows: members } = await sql`select 1 from audience_members where subscriber_id = ${other}`.execute(db);
  assert.equal(members.length, 1);
});
