// The ledger of a person in attention budgets: in the export of personal data, erased, and purged when it is old.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { purgeLedgers } from "../../src/store/installation/purges.ts";

const { client, db, url, apiKey } = await startTestService();
await client("attention.update", {
  body: { budgets: [{ channel: "in_app", limit: 1, window: { amount: 1, unit: "day" } }] },
});
await createWorkflow(client, "news", [inApp()]);

const ledgers = async () => {
  const { rows } = await sql<{ subscriber_id: string }>`
    select s.subscriber_id from attention_ledgers l left join subscribers s on s.id = l.subscriber_id order by 1`.execute(
    db,
  );
  return rows.map((row) => row.subscriber_id);
};

test("a person's ledger is exported and erased with the person", async () => {
  for (const subscriberId of ["ada-lovelace", "grace-hopper"])
    await settled(client, await trigger(client, "news", subscriberId));
  assert.deepEqual(await ledgers(), ["ada-lovelace", "grace-hopper"]);
  const headers = { authorization: `ApiKey ${apiKey}` };
  const archive = await fetch(`${url}/v2/subscribers/ada-lovelace/export`, { method: "POST", headers });
  assert.ok(Buffer.from(await archive.arrayBuffer()).includes("attention.json"));
  const { body } = await client("subscribers.erase", { params: { subscriberId: "ada-lovelace" }, body: {} });
  const done = await eventually(async () => {
    const found = (await client("erasures.retrieve", { params: { erasureId: body.id } })).body;
    return found.status === "completed" ? found : undefined;
  }, "the erasure");
  assert.equal(done.receipt?.tables.find(({ table }) => table === "attention_ledgers")?.rows, 1);
  assert.deepEqual(await ledgers(), ["grace-hopper"]);
});

test("a ledger that was not used for long is purged, except in environments with a test clock", async () => {
  const old = new Date(Date.now() - 92 * 86_400_000);
  assert.equal(await purgeLedgers(db, old, 100), 0);
  await sql`update attention_ledgers set updated_at = ${new Date(old.getTime() - 1)}`.execute(db);
  await sql`update environments set test_clock = now()`.execute(db);
  assert.equal(await purgeLedgers(db, old, 100), 0);
  await sql`update environments set test_clock = null`.execute(db);
  assert.equal(await purgeLedgers(db, old, 100), 1);
  assert.deepEqual(await ledgers(), []);
});
