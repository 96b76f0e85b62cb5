// Order, with several relays on one source: rows of a key are accepted in the order of their ids, each once, and a
// cancellation follows its event.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { openCustomer, openShop, withClient } from "./shop.ts";

const settings = { TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"), TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8" };
const workers: Awaited<ReturnType<typeof startWorker>>[] = [];
// Before the service, which drops the database.
atEnd(() => Promise.all(workers.map((worker) => worker.stop())));
const service = await startTestService(settings);
const { client, db } = service;
for (let count = 0; count < 2; count++)
  workers.push(await startWorker(service, settings.TIDINGS_ENCRYPTION_KEY, settings));
const wait = { name: "Wait", type: "delay" as const, controlValues: { type: "regular", amount: 1, unit: "hours" } };
await createWorkflow(client, "shipped", [inApp({ subject: "{{ payload.order }}", body: "Shipped" })]);
await createWorkflow(client, "later", [wait, inApp({ subject: "Later", body: "Later" })]);
const shop = await openShop(service);
const customer = await openCustomer(service);
// The order in which events are stored, by all processes.
await sql`create table stored_order (n bigint generated always as identity, transaction_id text)`.execute(db);
await sql`create function note_order() returns trigger language plpgsql as
  $$ begin insert into stored_order (transaction_id) values (new.transaction_id); return new; end $$`.execute(db);
await sql`create trigger note_order before insert on events for each row execute function note_order()`.execute(db);

const writers = 10;
const keysEach = 5;
const rowsEach = 200;

/** Calls for its own keys, in transactions of one to twenty calls, of which some are rolled back. */
async function write(url: string, writer: number, random: Random): Promise<Map<string, string[]>> {
  const committed = new Map<string, string[]>();
  await withClient(url, async (own) => {
    for (let count = 0, order = 0; count < rowsEach; ) {
      const calls: [key: string, id: string][] = [];
      await own.query("begin");
      for (let left = Math.min(rowsEach - count, 1 + random.below(20)); left > 0; left--) {
        const key = `key-${writer}-${random.below(keysEach)}`;
        const options = random.chance(0.5) ? { key } : { key, transactionId: randomBytes(8).toString("hex") };
        const values = [`reader-${random.below(500)}`, { order: ++order }, options];
        const { rows } = await own.query("select tidings.trigger('shipped', $1::text, $2, $3) as id", values);
        calls.push([key, rows[0].id]);
      }
      const isKept = random.chance(0.8);
      await own.query(isKept ? "commit" : "rollback");
      if (!isKept) continue;
      count += calls.length;
      for (const [key, id] of calls) committed.set(key, [...(committed.get(key) ?? []), id]);
    }
  });
  return committed;
}

for (const [place, url] of [
  ["local", shop.url],
  ["remote", customer.url],
] as const) {
  test(`${place}: three relays accept ${writers * rowsEach} rows of ${writers * keysEach} keys in order`, async () => {
    const seed = chooseSeed(1);
    const written = await Promise.all(
      Array.from({ length: writers }, (_, writer) => write(url, writer, createRandom(seed + writer))),
    );
    const expected = written.flatMap((committed) => [...committed.entries()]);
    const ids = new Set(expected.flatMap(([, own]) => own));
    assert.equal(ids.size, writers * rowsEach);
    const stored = async () => {
      const { rows } = await sql<{ transaction_id: string }>`
        select transaction_id from stored_order o where exists (select from events e where e.transaction_id = o.transaction_id)
        order by n`.execute(db);
      return rows.map((row) => row.transaction_id).filter((id) => ids.has(id));
    };
    await eventually(async () => (await stored()).length >= ids.size, "all rows", 60_000);
    const all = await stored();
    assert.equal(all.length, ids.size, "each once");
    const position = new Map(all.map((id, index) => [id, index]));
    for (const [key, own] of expected)
      assert.deepEqual(
        own.toSorted((a, b) => position.get(a)! - position.get(b)!),
        own,
        `${key}, seed ${seed}`,
      );
  });

  test(`${place}: a cancellation that follows its event always wins`, async () => {
    const ids = await withClient(url, async (own) => {
      const list: string[] = [];
      for (let index = 0; index < 60; index++) {
        const { rows } = await own.query("select tidings.trigger('later', $1::text) as id", [`waiter-${index % 20}`]);
        await own.query("select tidings.cancel($1)", [rows[0].id]);
        list.push(rows[0].id);
      }
      return list;
    });
    await eventually(async () => {
      const { rows } = await sql<{ events: number; canceled: number; open: number }>`
        select count(distinct e.id)::int as events,
          count(distinct e.id) filter (where e.canceled_at is not null or j.status = 'canceled')::int as canceled,
          count(*) filter (where j.status not in ('canceled', 'completed', 'skipped'))::int as open
        from events e left join notifications n on n.event_id = e.id left join jobs j on j.notification_id = n.id
        where e.transaction_id = any(${ids}::text[])`.execute(db);
      const [{ events, canceled, open }] = rows as [(typeof rows)[number]];
      return events === ids.length && canceled === ids.length && open === 0;
    }, "all events to be canceled");
  });
}
