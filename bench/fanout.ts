// One event to a topic of 100,000 subscribers: notifications per second from the trigger to the last message in a feed,
// compared with the same rows inserted and copied directly in the same run; the largest memory of the process that does
// it; and a second event with SIGKILL in the middle, after which every member must have the message exactly once.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { createClient } from "@tidings/testkit/client";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { besideRaw, clear, hasDueTasks, measureRaw, type RawRates, visible } from "./raw.ts";
import { type BenchService, peakMemory } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast, valueAtMost } from "./table.ts";

const topicKey = "everyone-who-cares";

export type FanoutOptions = { members: number; rounds: number; isKilled: boolean };

export async function benchFanout(service: BenchService, options: FanoutOptions): Promise<Row[]> {
  const { members, rounds, isKilled } = options;
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: 4, onError: () => {} });
  try {
    progress(`a topic with ${formatNumber(members)} subscribers …`);
    await client("workflows.create", {
      body: {
        name: "Release",
        workflowId: "release",
        active: true,
        steps: [
          {
            name: "Feed",
            type: "in_app",
            controlValues: { subject: "{{ payload.version }} is out", body: "Hello {{ subscriber.firstName }}." },
          },
        ],
      },
    });
    await client("topics.create", { body: { key: topicKey, name: "Everyone" }, query: {} });
    await loadMembers(db, topicKey, members);

    const rates: { service: number; raw: RawRates; peakMb: number }[] = [];
    for (let round = 1; round <= rounds; round++) {
      await clear(db);
      const started = performance.now();
      const { peakMb } = await peakMemory(
        () => service.pid,
        async () => {
          await fire(service);
          await visible(db, members);
        },
      );
      const seconds = (performance.now() - started) / 1000;
      const raw = await measureRaw(db, members);
      rates.push({ service: members / seconds, raw, peakMb });
      progress(
        `round ${round} of ${rounds}: service ${formatNumber(members / seconds)}/s, ${formatNumber(peakMb)} MB; ` +
          `raw ${formatNumber(raw.insert)}/s inserted, ${formatNumber(raw.copy)}/s copied`,
      );
    }
    return [
      ...besideRaw(`fan-out, one event to a topic of ${formatNumber(members)}`, rates, ratioAtLeast(0.65)),
      {
        what: "fan-out, memory of the service at most",
        value: Math.max(...rates.map((rate) => rate.peakMb)),
        unit: "MB",
        aim: valueAtMost(260),
      },
      ...(isKilled ? [await killInTheMiddle(service, db, members)] : []),
    ];
  } finally {
    await db.destroy();
  }
}

/** Subscribers who are named member-1 and so on, and belong to the topic. */
export async function loadMembers(db: Db, topicKey: string, members: number): Promise<void> {
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, first_name, created_at, updated_at)
    select gen_random_uuid(), t.environment_id, 'member-' || i, 'Member ' || i, now(), now()
    from generate_series(1, ${members}::int) i, topics t where t.key = ${topicKey}`.execute(db);
  await sql`
    insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), t.environment_id, t.id, s.id, s.subscriber_id, now(), now()
    from topics t join subscribers s on s.environment_id = t.environment_id and s.subscriber_id like 'member-%'
    where t.key = ${topicKey}`.execute(db);
  await sql`analyze subscribers, topic_subscriptions`.execute(db);
}

async function fire(service: BenchService): Promise<void> {
  const answer = await createClient({ baseUrl: service.url, apiKey: service.apiKey })("events.trigger", {
    body: { name: "release", to: { type: "Topic", topicKey }, payload: { version: "1.0" } },
  });
  if (answer.body.status !== "processed") throw new Error(`the event was not accepted: ${answer.body.status}`);
}

/** Half-way through, the process is killed and started again. */
async function killInTheMiddle(service: BenchService, db: Db, members: number): Promise<Row> {
  await clear(db);
  progress("once more, with SIGKILL half-way …");
  await fire(service);
  await visible(db, members / 2);
  await service.killAndRestart();
  await visible(db, members);
  // Duplicates would come last.
  while (await hasDueTasks(db)) await sleep(100);
  const { rows } = await sql<{ wrong: number }>`
    select ${members} - count(*) filter (where messages = 1) as wrong
    from (select count(*) as messages from messages group by subscriber_id) of_each`.execute(db);
  return {
    what: "fan-out, members without exactly one message after SIGKILL half-way",
    value: rows[0]!.wrong,
    unit: "",
    aim: valueAtMost(0),
  };
}
