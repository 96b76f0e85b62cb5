// Sixteen callers at once on one person: never one message more than the budget, and none lost. With TEST_LONG=1 two
// worker processes share the work and are killed at random, `RACE_RUNS` times.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { createRandom } from "@tidings/testkit/load/random";
import { skipUnlessLong } from "@tidings/testkit/long";
import { temporaryFolder } from "@tidings/testkit/process";
import { superviseWorkers } from "@tidings/testkit/programs/kills";
import { startTestService, type TestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const callers = 16;
const eventsEach = 12;
const limit = 7;

/** Requests that a busy or dying service refuses are repeated with their transaction id. */
async function send(client: Client, id: string, isBulk: boolean): Promise<void> {
  const event = { name: "race", to: "ada", payload: { id }, transactionId: id };
  const call = () =>
    isBulk
      ? client.raw("events.triggerBulk", { body: { events: [event] } })
      : client.raw("events.trigger", { body: event });
  await eventually(async () => (await call()).status === 201, "the event to be accepted", 60_000);
}

async function race(service: Pick<TestService, "client" | "url" | "db">, disturb: () => Promise<void>): Promise<void> {
  const { client, environmentId } = await newStage(service);
  const budgets = [{ channel: "in_app" as const, limit, window: { amount: 1, unit: "day" as const } }];
  await client("attention.update", { body: { budgets } });
  await createWorkflow(client, "race", [inApp({ subject: "{{ payload.id }}", body: "Now" })]);
  const ids = Array.from({ length: callers }, (_, caller) =>
    Array.from({ length: eventsEach }, (_, index) => `race-${caller}-${index}-${randomBytes(4).toString("hex")}`),
  );
  const call = async (own: string[], caller: number) => {
    for (const [index, id] of own.entries()) await send(client, id, (caller + index) % 2 === 0);
  };
  await Promise.all([...ids.map(call), disturb()]);
  const total = callers * eventsEach;
  await eventually(
    async () => (await countItems(service, environmentId)) === total - limit,
    "all others to be held",
    120_000,
  );
  const { data: messages } = (await client("messages.list", { query: { limit: 1000 } })).body;
  assert.equal(messages.length, limit, "exactly the budget is sent");
  assert.equal(new Set(messages.map(({ subject }) => subject)).size, limit, "each of them once");
}

/** Messages that the roll-up has as items. */
async function countItems({ db }: Pick<TestService, "db">, environmentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs where environment_id = ${environmentId} and merged_into is not null
      and status = 'skipped'`.execute(db);
  return rows[0]!.count;
}

test("callers that race never exceed the budget", async () => {
  await race(await startTestService(), async () => {});
});

test("nor do they while workers are killed", { skip: skipUnlessLong }, async (context) => {
  const settings = { TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const service = await startTestService({ ...settings, TIDINGS_ROLE: "api" });
  const workers = await superviseWorkers(temporaryFolder(context), settings, service);
  for (let run = 0; run < Number(process.env.RACE_RUNS ?? "5"); run++) {
    const random = createRandom(run);
    await race(service, async () => {
      for (let kill = 0; kill < 2; kill++) await workers.kill(random.below(400));
    });
  }
  await workers.stop();
  context.diagnostic(`${workers.kills()} workers were killed`);
});
