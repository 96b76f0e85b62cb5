// Requests that arrive while others are being worked on share a transaction, and each gets the response that it would
// get alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationId } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { exchange, type Reply } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inTransaction } from "../../../src/store/db.ts";
import { signInOwner } from "../../app/members/browsers.ts";

// The second thread works on some of them.
const service = await startTestService({ TIDINGS_THREADS: "2" });
const { client, db } = service;
await createWorkflow(client, "hello", [inApp()]);
await createWorkflow(client, "later", [{ name: "Wait", type: "delay", controlValues: { amount: 1, unit: "days" } }]);
await client("workflows.create", {
  body: {
    ...{ name: "Strict", workflowId: "strict", active: true, steps: [inApp()], validatePayload: true },
    payloadSchema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  },
});
await client("workflows.create", { body: { name: "Off", workflowId: "off", active: false, steps: [inApp()] } });

type Sent = {
  id?: OperationId;
  body: unknown;
  key?: string;
  by?: (id: OperationId, input: RawInput) => Promise<Reply>;
};

const send = ({ id = "events.trigger", body, key, by }: Sent): Promise<Reply> =>
  by?.(id, { body } as RawInput) ??
  exchange(service, id, { body, headers: key === undefined ? {} : { "idempotency-key": key } } as RawInput);

/** Sends the requests while the clock of their environment is locked, so that most of them wait for their turn. */
async function sendTogether(requests: Sent[]): Promise<Reply[]> {
  let replies: Promise<Reply[]> = Promise.resolve([]);
  await inTransaction(db, async (tx) => {
    await sql`select 1 from environments where type = 'dev' for update`.execute(tx);
    replies = Promise.all(requests.map(send));
    await eventually(async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`.execute(tx);
      return rows[0]!.count > 0;
    }, "the first request to wait for the clock");
  });
  return replies;
}

/** How many transactions wrote the events with these transaction ids. */
async function countTransactions(transactionIds: string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::int as count from events where transaction_id = any(${transactionIds})`.execute(
    db,
  );
  return rows[0]!.count;
}

const transactionIdOf = ({ body }: Reply) => (body as { transactionId: string }).transactionId;

test("twenty events by twenty requests take few transactions, and each is in the feed when its request is answered", async () => {
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  const replies = await sendTogether(
    numbers.map((number) => ({ body: { name: "hello", to: `reader-${number}`, payload: { name: String(number) } } })),
  );
  const feeds = await Promise.all(numbers.map((number) => feedOf(client, `reader-${number}`)));
  assert.deepEqual(
    feeds.map((feed) => feed.map(({ content }) => content)),
    numbers.map((number) => [`Hello ${number}`]),
  );
  const ids = replies.map(transactionIdOf);
  assert.equal(new Set(ids).size, 20);
  assert.ok((await countTransactions(ids)) < 10, "they shared transactions");
});

/** What differs from one time to the next. */
const constant = (reply: Reply, marks: string) =>
  reply.text
    .replaceAll(/"(timestamp|transactionId)":"[^"]*"/g, '"$1":""')
    .replaceAll(marks, "")
    .concat(` ${reply.status} ${reply.headers.get("content-type")} ${reply.headers.get("idempotency-replay")}`);

test("refused and accepted requests get the answers that they get one after the other", async () => {
  const kinds = (mark: string): Sent[] => [
    { body: { name: "hello", to: `${mark}a` } },
    { body: { name: "missing", to: `${mark}a` } },
    { body: { name: "off", to: `${mark}a` } },
    { body: { name: "strict", to: `${mark}a`, payload: { name: 1 } } },
    { body: { name: "hello" } },
    { body: { name: "hello", to: [] } },
    { body: { name: "hello", to: { subscriberId: `${mark}b`, email: "no address" } } },
    { body: { name: "hello", to: `${mark}c`, tenant: "nowhere" } },
    { body: { name: "later", to: `${mark}c` } },
    { body: { name: "hello", to: `${mark}c`, payload: { text: "x".repeat(600_000) } } },
    { body: { name: "hello", to: ["a", "b", "c", "d", "e", "f", "g"] } },
    { body: { name: "hello", to: `${mark}d`, transactionId: `${mark}once` } },
    { body: { name: "hello", to: `${mark}d`, transactionId: `${mark}once` } },
    { body: { name: "hello", to: { subscriberId: `${mark}e`, firstName: "Eve" }, context: { team: "blue" } } },
  ];
  const keyed = (mark: string) => kinds(mark).map((sent, at) => ({ ...sent, key: `${mark}${at}` }));
  const requests = (mark: string) => [...kinds(`${mark}p-`), ...keyed(`${mark}k-`)];
  const alone: Reply[] = [];
  for (const sent of requests("alone-")) alone.push(await send(sent));
  const shared = await sendTogether(requests("shared-"));
  assert.deepEqual(
    shared.map((reply) => constant(reply, "shared-")),
    alone.map((reply) => constant(reply, "alone-")),
  );
  assert.equal((await feedOf(client, "shared-p-d")).length, 1, "an event is accepted once by its transaction id");
  const repeats = await Promise.all(keyed("shared-k-").map(send));
  for (const [at, repeat] of repeats.entries()) {
    const first = shared[kinds("").length + at]!;
    assert.deepEqual([repeat.status, repeat.text], [first.status, first.text], "the answers were stored");
    assert.equal(repeat.headers.get("idempotency-replay"), "true");
  }
});

test("of requests with the same key, one is worked on and the others get its answer; another request under it is refused", async () => {
  const body = { name: "hello", to: "same-key" };
  const same: Sent = { body, key: "same-key" };
  const other: Sent = { body: { ...body, payload: { name: "other" } }, key: "same-key" };
  const replies = await sendTogether([...Array(8).fill(same), other]);
  const statuses = new Set(replies.map(({ status }) => status));
  assert.ok([...statuses].every((status) => [201, 409, 422].includes(status)));
  const accepted = replies.filter(({ status }) => status === 201);
  assert.equal(new Set(accepted.map(({ text }) => text)).size, 1);
  assert.equal(accepted.filter(({ headers }) => headers.get("idempotency-replay") === null).length, 1);
  assert.equal((await feedOf(client, "same-key")).length, 1);
});

test("a member and an API key share transactions, and only the member's events are in the audit log", async () => {
  const owner = await signInOwner(service);
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  const replies = await sendTogether(
    numbers.map((number) => ({
      body: { name: "hello", to: `mixed-${number}` },
      ...(number % 2 === 0 && { by: owner.call }),
    })),
  );
  const ids = replies.map(transactionIdOf);
  assert.ok((await countTransactions(ids)) < numbers.length, "they shared transactions");
  for (const number of numbers) assert.equal((await feedOf(client, `mixed-${number}`)).length, 1);
  const { body } = await owner.call("auditLog.list", { query: { operation: "events.trigger" } });
  const { data } = body as { data: { person: { email: string } | null; apiKeyId?: string }[] };
  assert.equal(data.length, 6, JSON.stringify(data));
});

test("bulk requests share too, each with its own results, up to the recipients of a batch", async () => {
  const bulk = (number: number): Sent => ({
    id: "events.triggerBulk",
    body: {
      events: [
        { name: "hello", to: `bulk-${number}` },
        { name: number % 2 ? "missing" : "hello", to: `bulk-${number}-second` },
        { name: "hello", to: `bulk-${number}`, transactionId: `bulk-${number}` },
      ],
    },
    key: `bulk-${number}`,
  });
  const replies = await sendTogether(Array.from({ length: 12 }, (_, number) => bulk(number)));
  for (const [number, { status, body }] of replies.entries()) {
    const results = body as { status: string; error?: string[]; transactionId?: string }[];
    assert.equal(status, 201);
    assert.deepEqual(
      results.map((result) => result.status),
      ["processed", number % 2 ? "error" : "processed", "processed"],
    );
    assert.equal(results[2]!.transactionId, `bulk-${number}`);
    await eventually(async () => (await feedOf(client, `bulk-${number}`)).length === 2, "both messages");
  }
  const ids = replies.map((_, number) => `bulk-${number}`);
  assert.ok((await countTransactions(ids)) < 9, "they shared transactions");
});

test("a fault of one request is its own: the others run alone, and are accepted once", async () => {
  await sql`create function refuse_event() returns trigger language plpgsql as $$
    begin
      if new.payload->>'name' = 'fault' then raise exception 'refused by the test'; end if;
      return new;
    end $$`.execute(db);
  await sql`create trigger refuse_event before insert on events for each row execute function refuse_event()`.execute(
    db,
  );
  const names = Array.from({ length: 12 }, (_, number) => (number === 7 ? "fault" : `n${number}`));
  const replies = await sendTogether(
    names.map((name) => ({ body: { name: "hello", to: `fault-${name}`, payload: { name } }, key: `fault-${name}` })),
  );
  await sql`drop trigger refuse_event on events`.execute(db);
  assert.deepEqual(
    replies.map(({ status }) => status),
    names.map((name) => (name === "fault" ? 500 : 201)),
  );
  for (const name of names) {
    await eventually(
      async () => (await feedOf(client, `fault-${name}`).catch(() => [])).length === (name === "fault" ? 0 : 1),
      name,
    );
  }
});
