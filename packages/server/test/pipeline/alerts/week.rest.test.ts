// A week of normal traffic through the default rules: more by day than by night, less at the weekend, with single
// failures, retries, short pauses of a provider, a receiver that is deployed, and a backlog after a broadcast. None of
// it is an alert. The week lies in the future, so that the service itself works on none of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong } from "@tidings/testkit/long";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { firstIdAt, newId } from "../../../src/lib/ids.ts";
import { alertsOf, minutes, startAlertService } from "../../support/alerts.ts";

const { service, pass } = await startAlertService();
const { production: client, db } = service;
const integration = await mailer(client, "main", "https://mail.example.com/send");
const environmentId = integration._environmentId;
const { body: webhook } = await client("webhooks.create", { body: { url: "https://hooks.example.com/tidings" } });

/** A random number from 0 to 1; the same sequence in every run. */
let seed = 20261118;
function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
}

const hour = minutes(60);
const monday = new Date(Math.ceil(Date.now() / (24 * hour)) * 24 * hour + 24 * hour).getTime();
/** Messages an hour: few at night, a third at the weekend (the last two days). */
const trafficAt = (hours: number): number => {
  const daily = 1 + Math.sin(((hours % 24) / 24) * 2 * Math.PI - Math.PI / 2);
  return 20_000 * (daily + 0.1) * (hours >= 5 * 24 ? 0.33 : 1);
};

/** `worst`: the moment in which what changed is worst, just before it is over. */
type Change = { at: number; worst?: number; apply(): Promise<unknown> };
const second = 1_000;

const setHealth = (state: "closed" | "open", failures: number, since: number | null) =>
  sql`insert into integration_health (integration_id, environment_id, state, failures, probes, updated_at, failing_since,
      opened_at, last_error, last_error_class)
    values (${integration._id}, ${environmentId}, ${state}, ${failures}, 0, now(), ${since && new Date(since)},
      ${state === "open" ? new Date(since!) : null}, 'connect ECONNREFUSED', 'transient')
    on conflict (integration_id) do update set state = excluded.state, failures = excluded.failures,
      failing_since = excluded.failing_since, opened_at = excluded.opened_at`.execute(db);

/** The provider fails at `at`, `failures` times in a row, and responds again `ms` later. */
const providerFails = (at: number, failures: number, ms: number): Change[] => [
  { at, worst: at + ms, apply: () => setHealth(failures >= 5 ? "open" : "closed", failures, at) },
  { at: at + ms, apply: () => setHealth("closed", 0, null) },
];

const setWebhook = (failures: number, since: number | null) =>
  sql`update webhooks set failures = ${failures}, failing_since = ${since && new Date(since)}
    where id = ${webhook.id}`.execute(db);

const webhookFails = (at: number, failures: number, ms: number): Change[] => [
  { at, worst: at + ms, apply: () => setWebhook(failures, at) },
  { at: at + ms, apply: () => setWebhook(0, null) },
];

const deadLetter = (at: number): Change => ({
  at,
  worst: at + 1,
  apply: () =>
    sql`insert into dead_letters (id, environment_id, message_id, notification_id, job_id, transaction_id,
        subscriber_id, workflow_id, step_id, channel, provider_id, integration_id, error_class, error_id, error_text,
        attempts, status, created_at)
      values (${firstIdAt(new Date(at)).slice(0, 19) + newId().slice(19)}, ${environmentId}, ${newId()}, ${newId()},
        ${newId()}, 'txn', 'ada', ${newId()}, 'email', 'email', 'email-webhook', ${integration._id}, 'quota', 'quota',
        'Daily limit reached', 3, 'open', ${new Date(at)})`.execute(db),
});

/** A task that is due at `at` and worked on `ms` later. */
const taskWaits = (at: number, ms: number): Change[] => {
  const id = newId();
  return [
    {
      at,
      worst: at + ms,
      apply: () =>
        sql`insert into queue.job_common (id, name, data, singleton_key, start_after)
          values (${id}, 'trigger', '{}', ${environmentId}, ${new Date(at)})`.execute(db),
    },
    { at: at + ms, apply: () => sql`delete from queue.job_common where id = ${id}`.execute(db) },
  ];
};

/** The chores of housekeeping run in this week too. */
const chores = (at: number): Change => ({
  at,
  apply: () =>
    sql`update queue.job_common set start_after = ${new Date(at + hour)} where name = 'housekeeping'`.execute(db),
});

function normalWeek(): Change[] {
  const changes: Change[] = [];
  for (let hours = 0; hours < 7 * 24; hours++) {
    const start = monday + hours * hour;
    const traffic = trafficAt(hours);
    const somewhen = () => start + Math.floor(random() * hour);
    changes.push(chores(start));
    // One failed call in 60,000, whose retry succeeds after some seconds; dead letters are rarer still.
    for (let n = traffic / 60_000; n > random(); n--) changes.push(...providerFails(somewhen(), 2, 5 * second));
    for (let n = traffic / 15_000; n > random(); n--) changes.push(deadLetter(somewhen()));
    if (hours % 4 === 0) changes.push(...taskWaits(somewhen(), (traffic / 2_000) * second));
    // Now and then five failures in a row open the circuit breaker until its first probe.
    if (hours % 30 === 11) changes.push(...providerFails(somewhen(), 5, 35 * second));
    // The receiver of the webhook is deployed every working day, and once is down for ten minutes.
    if (hours % 24 === 14 && hours < 5 * 24) changes.push(...webhookFails(start, 4, minutes(2)));
    if (hours === 3 * 24 + 2) changes.push(...webhookFails(start, 3, minutes(10)));
    // A broadcast on Tuesday is worked on for four minutes.
    if (hours === 34) changes.push(...taskWaits(start, minutes(4)));
  }
  return changes.sort((a, b) => a.at - b.at);
}

test("a week of normal traffic opens no alert; an outage after it does, within two minutes", async (context) => {
  // Tasks of the integration that was just created would be days old in this week.
  const isIdle = async () =>
    (await sql`select 1 from queue.job_common where singleton_key is not null and state <= 'active'`.execute(db)).rows
      .length === 0;
  await eventually(isIdle, "the queue to be empty");
  await chores(monday).apply();
  const changes = normalWeek();
  // Every half minute in the long version, else when something is worst.
  const moments = isLong
    ? Array.from({ length: (7 * 24 * hour) / (30 * second) }, (_, index) => monday + index * 30 * second)
    : changes.flatMap(({ worst }) => (worst === undefined ? [] : [worst - 1])).sort((a, b) => a - b);
  const waiting = [...changes];
  for (const moment of moments) {
    while (waiting[0] && waiting[0].at <= moment) await waiting.shift()!.apply();
    await pass(new Date(moment));
  }
  const passes = moments.length;
  context.diagnostic(`${changes.length} changes, ${passes} passes`);
  assert.ok(passes > 250);
  assert.deepEqual(await alertsOf(client), []);

  const down = monday + 8 * 24 * hour;
  await chores(down).apply();
  await setHealth("open", 5, down);
  for (let after = 0; after < 120; after += 30) await pass(new Date(down + after * second));
  const [alert] = await alertsOf(client);
  assert.equal(alert!.subject.id, integration._id);
  assert.ok(Date.parse(alert!.openedAt) - down <= minutes(1.5));
});
