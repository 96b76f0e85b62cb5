// Signals from 16 callers at the moment at which the waits time out: each run ends once, and each signal says exactly
// how many runs it reached. STORM_RUNS repeats the storm; `npm run test:long` does it 20 times.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@tidings/testkit/client";
import { isLong } from "@tidings/testkit/long";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, db, logs } = await startTestService({ TIDINGS_THREADS: "2" });

const storms = Number(process.env.STORM_RUNS ?? (isLong ? 20 : 1));
const runs = isLong ? 5_000 : 500;
const callers = 16;
const msPerRun = 8;
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const limitMs = isLong ? 300_000 : 100_000;

/** Runs the calls, by 16 callers at once. */
async function callAll<T>(calls: (() => Promise<T>)[]): Promise<T[]> {
  const left = [...calls];
  const results: T[] = [];
  const caller = async () => {
    for (let call = left.shift(); call; call = left.shift()) results.push(await call());
  };
  await Promise.all(range(callers).map(caller));
  return results;
}

/** As a client does: a request that was refused under load is repeated, with the same key. */
async function insist<T>(call: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  const headers = { "idempotency-key": randomUUID() };
  for (let tries = 1; ; tries++) {
    try {
      return await call(headers);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 503) || tries === 20) throw error;
      await sleep(250 * tries);
    }
  }
}

type Outcome = { n: number; content: string };

const outcomesOf = async (workflowId: string): Promise<Outcome[]> => {
  const { rows } = await sql<Outcome>`
    select (e.payload->>'n')::int as n, m.content from messages m
    join workflows w on w.id = m.workflow_id join notifications f on f.id = m.notification_id
    join events e on e.id = f.event_id
    where w.workflow_id = ${workflowId}`.execute(db);
  return rows;
};

for (const round of range(storms)) {
  test(`${runs} waits that time out while their signals arrive each end once (${round})`, async (context) => {
    const name = `storm-${round}`;
    const signal = `paid-${round}`;
    await createWorkflow(client, name, [
      {
        name: "Wait",
        stepId: "wait",
        type: "wait",
        controlValues: {
          type: "dynamic",
          dynamicKey: "payload.until",
          signal: { name: signal, key: "{{ payload.n }}" },
        },
      },
      inApp({ body: "{{ steps.wait.reason }}" }),
    ]);
    const first = Date.now() + (isLong ? 10_000 : 4_000);
    // The waits end one after the other, and the signals are sent around the same times, so that they meet.
    const untilOf = (n: number) => first + n * msPerRun;
    // Ten runs for each person.
    const personOf = (n: number) => `p${n % (runs / 10)}`;
    await callAll(
      range(runs / 50).map((part) => () => {
        const events = range(50).map((n) => {
          const own = part * 50 + n;
          return { name, to: personOf(own), payload: { n: own, until: new Date(untilOf(own)).toISOString() } };
        });
        return insist((headers) => client("events.triggerBulk", { body: { events }, headers }));
      }),
    );
    await eventually(
      async () => {
        // On a slow machine, the first waits may have ended.
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from jobs j join notifications n on n.id = j.notification_id
          join workflows w on w.id = n.workflow_id
          where w.workflow_id = ${name} and j.type = 'wait' and j.status <> 'pending'`.execute(db);
        return rows[0]!.count === runs;
      },
      "every run to begin its wait",
      limitMs,
    );
    // Three quarters of the runs get a signal, before the end of their wait or after it.
    const sendAt = (n: number) => untilOf(n) - 1_500 + ((n * 389) % 2_000);
    const send = async (n: number) => {
      await sleep(Math.max(0, sendAt(n) - Date.now()));
      const body = { name: signal, to: personOf(n), key: String(n) };
      const answer = await insist((headers) => client("signals.send", { body, headers }));
      return { n, ...answer.body };
    };
    const answers = await callAll(
      range(runs)
        .filter((n) => n % 4 !== 0)
        .toSorted((a, b) => sendAt(a) - sendAt(b))
        .map((n) => () => send(n)),
    );
    const outcomes = await eventually(
      async () => {
        const found = await outcomesOf(name);
        return found.length >= runs ? found : null;
      },
      "every run to end",
      limitMs,
    );
    assert.equal(outcomes.length, runs, "one message each");
    assert.equal(new Set(outcomes.map(({ n }) => n)).size, runs, "of each run");
    const reached = answers.flatMap((answer) => (answer.reached === 1 ? [answer.n] : []));
    const signaled = outcomes.flatMap(({ n, content }) => (content === "signal" ? [n] : []));
    assert.deepEqual(signaled.toSorted(), reached.toSorted(), "a run that was reached says so, and no other");
    assert.ok(answers.every((answer) => answer.reached <= 1));
    context.diagnostic(`${reached.length} ended by their signal, ${runs - reached.length} by the timeout`);
    const { rows } = await sql`select 1 from run_waits where signal = ${signal}`.execute(db);
    assert.equal(rows.length, 0);
    const { rows: open } = await sql`
      select 1 from jobs j join notifications n on n.id = j.notification_id join workflows w on w.id = n.workflow_id
      where w.workflow_id = ${name} and j.status in ('pending', 'queued', 'delayed')`.execute(db);
    assert.equal(open.length, 0, "every run has ended");
  });
}

test("no batch failed, not even to be retried", () => {
  const errors = logs.filter(({ level }) => Number(level) >= 50);
  assert.deepEqual(errors, []);
});
