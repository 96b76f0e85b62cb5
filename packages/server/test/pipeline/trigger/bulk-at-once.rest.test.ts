// Bulk requests to a process that also works are worked on in the transaction that accepts them. An event and its
// message that were written by the same transaction (`xmin`) show it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerEvent } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, db } = await shareService();

const bulk = (name: string, count: number, to = (index: number): TriggerEvent["to"] => `${name}-${index}`) =>
  Array.from({ length: count }, (_, index) => ({ name, to: to(index), payload: { name: String(index) } }));

/** How many messages of these events were written by the transaction of their event, and how many were not. */
async function countMessages(transactionIds: string[]): Promise<{ atOnce: number; later: number }> {
  const { rows } = await sql<{ atOnce: number; later: number }>`
    select count(*) filter (where m.xmin = e.xmin) as "atOnce", count(*) filter (where m.xmin <> e.xmin) as later
    from messages m join events e on e.environment_id = m.environment_id and e.id = m.event_id
    where e.transaction_id = any(${transactionIds}::text[])`.execute(db);
  return rows[0]!;
}

test("every message is in its feed when the request is answered, and a repeat gets the same answer", async () => {
  await createWorkflow(client, "hundred", [inApp()]);
  const send = () =>
    client("events.triggerBulk", {
      body: { events: bulk("hundred", 100) },
      headers: { "idempotency-key": "hundred" },
    });
  const { body: first } = await send();
  const transactionIds = first.map(({ transactionId }) => transactionId!);
  assert.equal(new Set(transactionIds).size, 100);
  assert.deepEqual((await send()).body, first);
  assert.deepEqual(await countMessages(transactionIds), { atOnce: 100, later: 0 });
  for (const index of [0, 57, 99]) {
    const contents = (await feedOf(client, `hundred-${index}`)).map(({ content }) => content);
    assert.deepEqual(contents, [`Hello ${index}`]);
  }
});

test("with more than 100 recipients, the request leaves them to the queue", async () => {
  await createWorkflow(client, "crowd", [inApp()]);
  const events = bulk("crowd", 3, (index) => Array.from({ length: 34 }, (_, person) => `crowd-${index}-${person}`));
  const { body } = await client("events.triggerBulk", { body: { events } });
  const transactionIds = body.map(({ transactionId }) => transactionId!);
  for (const transactionId of transactionIds) await settled(client, transactionId);
  assert.deepEqual(await countMessages(transactionIds), { atOnce: 0, later: 102 });
});

test("a request whose templates take long starts what it has time for; the queue goes on with the rest", async () => {
  const words = "{% for number in (1..8000) %}{{ number }}{% endfor %}";
  await createWorkflow(client, "slow", [inApp({ body: words })]);
  const { body } = await client("events.triggerBulk", { body: { events: bulk("slow", 100) } });
  const transactionIds = body.map(({ transactionId }) => transactionId!);
  for (const transactionId of transactionIds) await settled(client, transactionId);
  const { atOnce, later } = await countMessages(transactionIds);
  assert.equal(atOnce + later, 100);
  assert.ok(atOnce > 0 && later > 0, `${atOnce} at once, ${later} later`);
  assert.equal((await messagesOf(client, transactionIds[99]!)).length, 1);
});
