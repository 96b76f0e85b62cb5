// Many events at once, from many callers, for the same groups: digests lose and double nothing, throttles grant exactly
// what they may. STORM_RUNS repeats the storms; `npm run test:long` does it 20 times.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { isLong } from "@tidings/testkit/long";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, db, logs } = await startTestService({ TIDINGS_THREADS: "2" });

const runs = Number(process.env.STORM_RUNS ?? (isLong ? 20 : 1));
/** Keys of the first storm, with a hundred events each. */
const keys = isLong ? 50 : 10;
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const limitMs = 100_000;

const digest = (controlValues: object): StepIn => ({
  name: "Digest",
  stepId: "digest",
  type: "digest",
  controlValues: { amount: 1, unit: "hours", ...controlValues },
});
const report = inApp({
  body: "{{ steps.digest.eventCount }};{% for e in steps.digest.events %}{{ e.payload.n }},{% endfor %}",
});

type Count = { status: string; count: number };

/**
 * How many jobs of a type have which status, once the expected number of notifications exists and no job of this type
 * is pending.
 */
const jobsOf = (workflowId: string, type: string, total: number): Promise<Record<string, number>> =>
  eventually(
    async () => {
      const { rows } = await sql<Count>`
        select j.status, count(*)::int as count from notifications n join jobs j on j.notification_id = n.id
        join workflows w on w.id = n.workflow_id
        where w.workflow_id = ${workflowId} and j.type = ${type} group by j.status`.execute(db);
      const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
      const sum = rows.reduce((so, { count }) => so + count, 0);
      return sum === total && !counts.pending && !counts.queued ? counts : null;
    },
    `${total} ${type} jobs of ${workflowId}`,
    limitMs,
  );

const messagesOf = async (workflowId: string): Promise<{ subscriber: string; content: string }[]> => {
  const { rows } = await sql<{ subscriber: string; content: string }>`
    select s.subscriber_id as subscriber, m.content from messages m join workflows w on w.id = m.workflow_id
    join subscribers s on s.id = m.subscriber_id where w.workflow_id = ${workflowId}`.execute(db);
  return rows;
};

type StormEvent = { to: string; payload: Record<string, unknown> };

/** Sends the events, so many a request, by 16 callers at once. */
async function send(name: string, events: StormEvent[], size = 100): Promise<void> {
  const requests = range(Math.ceil(events.length / size)).map((n) => events.slice(n * size, n * size + size));
  const caller = async () => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      await client("events.triggerBulk", { body: { events: request.map((event) => ({ name, ...event })) } });
    }
  };
  await Promise.all(range(16).map(caller));
}

for (const round of range(runs)) {
  test(`${100 * keys} events over ${keys} keys and 20 subscribers: each event is in one digest of its group (${round})`, async () => {
    const name = `digest-${round}`;
    await createWorkflow(client, name, [digest({ digestKey: "k" }), report]);
    const keyOf = (n: number) => Math.floor(n / 20) % keys;
    await send(
      name,
      range(100 * keys).map((n) => ({ to: `s${n % 20}`, payload: { n, k: keyOf(n) } })),
    );
    assert.deepEqual(await jobsOf(name, "digest", 100 * keys), { delayed: 20 * keys, merged: 80 * keys });
    const { body } = await client("digests.close", { params: { workflowId: name }, body: {} });
    assert.equal(body.closed, 20 * keys);
    assert.deepEqual(await jobsOf(name, "in_app", 100 * keys), { completed: 20 * keys, merged: 80 * keys });

    const seen = new Set<number>();
    const groups = new Set<string>();
    for (const { subscriber, content } of await messagesOf(name)) {
      const [count, list] = content.split(";") as [string, string];
      const numbers = list.split(",").filter(Boolean).map(Number);
      assert.equal(Number(count), 5);
      assert.equal(numbers.length, 5);
      for (const n of numbers) {
        assert.ok(!seen.has(n), `event ${n} twice`);
        seen.add(n);
        groups.add(`${subscriber} ${keyOf(n)}`);
        assert.equal(subscriber, `s${n % 20}`);
      }
    }
    assert.equal(seen.size, 100 * keys);
    assert.equal(groups.size, 20 * keys, "one digest for each group");
    const { rows } = await sql`select 1 from digest_windows`.execute(db);
    assert.equal(rows.length, 0);
  });

  test(`of 200 events at once a throttle grants exactly three, for each key (${round})`, async () => {
    const name = `throttle-${round}`;
    const throttle: StepIn = {
      name: "Throttle",
      stepId: "throttle",
      type: "throttle",
      controlValues: { amount: 1, unit: "hours", threshold: 3, throttleKey: "k" },
    };
    await createWorkflow(client, name, [
      throttle,
      inApp({ body: "{{ payload.k }}{{ steps.throttle.executionCount }}" }),
    ]);
    const events = range(200).map((n) => ({ name, to: "ada", payload: { k: n % 2 === 0 ? "a" : "b" } }));
    // A request each: what one request carries would be counted together.
    await Promise.all(events.map((event) => client("events.trigger", { body: event })));
    assert.deepEqual(await jobsOf(name, "throttle", 200), { completed: 6, skipped: 194 });
    assert.deepEqual(await jobsOf(name, "in_app", 200), { completed: 6, skipped: 194 });
    const contents = (await messagesOf(name)).map(({ content }) => content).sort();
    assert.deepEqual(contents, ["a1", "a2", "a3", "b1", "b2", "b3"]);
  });

  test(`of 200 events at once a digest that looks back lets exactly one go ahead (${round})`, async () => {
    const name = `backoff-${round}`;
    await createWorkflow(client, name, [digest({ lookBackWindow: { amount: 5, unit: "minutes" } }), report]);
    const events = range(200).map((n) => ({ to: "bob", payload: { n } }));
    await send(name, events, 1);
    assert.deepEqual(await jobsOf(name, "digest", 200), { skipped: 1, delayed: 1, merged: 198 });
    await client("digests.close", { params: { workflowId: name }, body: {} });
    assert.deepEqual(await jobsOf(name, "in_app", 200), { completed: 2, merged: 198 });
    const reports = (await messagesOf(name)).map(({ content }) => content.split(";") as [string, string]);
    assert.deepEqual(reports.map(([count]) => Number(count)).sort(), [1, 199]);
    const numbers = reports.flatMap(([, list]) => list.split(",").filter(Boolean).map(Number));
    assert.equal(new Set(numbers).size, 200);
  });

  test(`batches that reach the same groups by different ways all get through (${round})`, async () => {
    // Where the throttle is skipped the digest is reached a step earlier: locks must not be taken in a circle.
    const name = `mixed-${round}`;
    const throttle: StepIn = {
      name: "Throttle",
      type: "throttle",
      controlValues: { amount: 1, unit: "hours", threshold: 100, throttleKey: "n", skip: { var: "payload.ahead" } },
    };
    await createWorkflow(client, name, [throttle, digest({}), report]);
    await send(
      name,
      range(2_000).map((n) => ({ to: `m${n % 10}`, payload: { n, ahead: Math.floor(n / 10) % 2 === 0 } })),
    );
    assert.deepEqual(await jobsOf(name, "digest", 2_000), { delayed: 10, merged: 1_990 });
    await client("digests.close", { params: { workflowId: name }, body: {} });
    assert.deepEqual(await jobsOf(name, "in_app", 2_000), { completed: 10, merged: 1_990 });
    for (const { content } of await messagesOf(name)) assert.match(content, /^200;/);
  });

  test(`two digests in sequence lose nothing while their windows close and open (${round})`, async () => {
    const name = `sequence-${round}`;
    const second: StepIn = { ...digest({ unit: "seconds" }), stepId: "second", name: "Second" };
    const body = "{{ steps.second.eventCount }};{% for e in steps.second.events %}{{ e.payload.n }},{% endfor %}";
    await createWorkflow(client, name, [digest({ unit: "seconds", digestKey: "k" }), second, inApp({ body })]);
    await send(
      name,
      range(1_500).map((n) => ({ to: `q${n % 5}`, payload: { n, k: Math.floor(n / 5) % 10 } })),
      5,
    );
    const { merged, ...ended } = await eventually(
      async () => {
        const counts = await jobsOf(name, "in_app", 1_500);
        return counts.delayed || counts.pending ? null : counts;
      },
      "every run to end",
      limitMs,
    );
    assert.deepEqual(Object.keys(ended), ["completed"]);
    assert.ok(merged! > 1_000, "most events were merged");
    const numbers = (await messagesOf(name)).flatMap(({ content }) => {
      const [count, list] = content.split(";") as [string, string];
      const listed = list.split(",").filter(Boolean).map(Number);
      assert.equal(Number(count), listed.length);
      return listed;
    });
    assert.equal(numbers.length, 1_500, "no event twice");
    assert.equal(new Set(numbers).size, 1_500, "no event lost");
    const { rows } = await sql`select 1 from digest_windows`.execute(db);
    assert.equal(rows.length, 0);
  });
}

test("no batch failed, not even to be retried", () => {
  const errors = logs.filter(({ level }) => Number(level) >= 50);
  assert.deepEqual(errors, []);
});
