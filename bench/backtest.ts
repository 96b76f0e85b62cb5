// A backtest of past events: how long it takes to replay them with and without a change, and the memory of the service
// meanwhile. Half of the events go through a digest.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { type BenchService, peakMemory } from "./support.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";

const topicKey = "customers";
/** Events of each of the two workflows. */
const eventsOfEach = 10;
const patienceMs = 20 * 60_000;

const note = (body: string) => ({
  ...{ name: "Note", stepId: "note", type: "in_app" as const },
  controlValues: { subject: "{{ payload.version }} is out", body, skip: { "==": [{ var: "payload.n" }, 3] } },
});
const digest = {
  ...{ name: "Collect", stepId: "collect", type: "digest" as const },
  controlValues: { type: "regular", amount: 20, unit: "seconds" },
};
const summary = (text: string) => ({
  ...{ name: "Summary", stepId: "summary", type: "in_app" as const },
  controlValues: { subject: text, body: "{% for event in steps.collect.events %}{{ event.payload.n }} {% endfor %}" },
});

export async function benchBacktest(service: BenchService, notifications: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    await prepare(client, db, Math.ceil(notifications / (2 * eventsOfEach)));
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from notifications`.execute(db);
    const count = rows[0]!.count;
    const found: Row[] = [];
    const changes = {
      "unchanged only": {},
      "with two workflows changed": {
        workflows: [
          { workflowId: "release", name: "Release", steps: [note("Good morning {{ subscriber.firstName }}.")] },
          { workflowId: "activity", name: "Activity", steps: [digest, summary("New")] },
        ],
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      const { value: seconds, peakMb } = await peakMemory(
        () => service.pid,
        () => run(client, change),
      );
      progress(`${name}: ${seconds.toFixed(1)} s, ${formatNumber(peakMb)} MB`);
      const what = `backtest of ${formatNumber(count)} notifications, ${name}`;
      found.push({ what, value: seconds, unit: "s", aim: valueAtMost(60) });
      found.push({ what: `${what}: memory of the service at most`, value: peakMb, unit: "MB", aim: valueAtMost(500) });
    }
    return found;
  } finally {
    await db.destroy();
  }
}

async function prepare(client: Client, db: Db, people: number): Promise<void> {
  progress(`${formatNumber(people)} people and their events …`);
  const { environmentId } = (await client("files.export")).body;
  const create = (workflowId: string, name: string, steps: object[]) =>
    client("workflows.create", { body: { workflowId, name, active: true, steps: steps as never } });
  await create("release", "Release", [note("Hello {{ subscriber.firstName }}.")]);
  await create("activity", "Activity", [digest, summary("{{ steps.collect.eventCount }} events")]);
  await client("topics.create", { body: { key: topicKey, name: "Customers" }, query: {} });
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, first_name, created_at, updated_at)
    select gen_random_uuid(), ${environmentId}, 'member-' || i, 'Member ' || i, now(), now()
    from generate_series(1, ${people}::int) i`.execute(db);
  await sql`
    insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), t.environment_id, t.id, s.id, s.subscriber_id, now(), now()
    from topics t join subscribers s on s.environment_id = t.environment_id and s.first_name like 'Member %'
    where t.environment_id = ${environmentId} and t.key = ${topicKey}`.execute(db);
  const to = { type: "Topic" as const, topicKey };
  for (let n = 0; n < eventsOfEach; n++) {
    for (const name of ["release", "activity"])
      await client("events.trigger", { body: { name, to, payload: { n, version: `1.${n}` } } });
  }
  await settled(db, 2 * eventsOfEach * people);
}

async function settled(db: Db, count: number): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const { rows } = await sql<{ notifications: number; open: number }>`
      select (select count(*)::int from notifications) as notifications,
        (select count(*)::int from jobs where status in ('pending', 'queued', 'delayed')) as open`.execute(db);
    const { notifications, open } = rows[0]!;
    if (notifications >= count && open === 0) return;
    if (Date.now() > end) throw new Error(`${notifications} of ${count} notifications, ${open} steps are open`);
    await sleep(1_000);
  }
}

/** Seconds from the request to the report. */
async function run(client: Client, change: object): Promise<number> {
  const began = performance.now();
  const { body } = await client("backtests.create", { body: { lastDays: 1, change } });
  const params = { backtestId: body._id };
  for (;;) {
    const { status, failure, report } = (await client("backtests.get", { params })).body;
    if (status === "failed") throw new Error(failure ?? status);
    if (report) {
      progress(report.sentences.join("; "));
      for (const { sentence, examples } of report.calibration.deviations) {
        progress(
          [
            sentence,
            ...examples.slice(0, 2).map(({ stepId, was, replayed }) => `${stepId}: ${was} → ${replayed}`),
          ].join("; "),
        );
      }
      return (performance.now() - began) / 1_000;
    }
    if (performance.now() - began > patienceMs) throw new Error("the backtest did not end");
    await sleep(100);
  }
}
