// Disk use over the months: the same number of events every day, each with an in-app message and an email, and the
// retention at work. Months pass in seconds: rows are written with ids of their time, and the clock of the retention is
// moved. `node bench/retention.ts [events a day] [months]`; prints the size of the database at the end of each month.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@tidings/server/source/config";
import { newId } from "@tidings/server/source/lib/ids";
import { createLogger } from "@tidings/server/source/log";
import { createMetrics } from "@tidings/server/source/metrics";
import { runRetention } from "@tidings/server/source/pipeline/retention/run";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { migrate } from "@tidings/server/source/store/installation/migrate";
import { ensurePartitions } from "@tidings/server/source/store/installation/partitions";
import { listRetentionRuns } from "@tidings/server/source/store/installation/retention-runs";
import { openQueue } from "@tidings/server/source/store/queue/queue";
import { progress } from "@tidings/testkit/load/progress";
import { sql } from "kysely";
import { formatNumber } from "./table.ts";

const perDay = Number(process.argv[2] ?? 400);
const months = Number(process.argv[3] ?? 14);
const config = readConfig({
  TIDINGS_RETENTION_DAYS: "90",
  TIDINGS_RETENTION_IN_APP_DAYS: "180",
  TIDINGS_LOG_LEVEL: "error",
});
const start = new Date("2020-01-01T00:00:00Z");
const dayMs = 86_400_000;
const runEveryDays = 5;

/** Ids of the tables of an event, in the order in which its rows are created. */
const idOf = (digit: number) =>
  sql.raw(`(lpad(to_hex(ms), 12, '0') || '7${digit}00' || substr(md5('${digit}' || ms || s), 1, 16))::uuid`);

async function createTenant(db: Db): Promise<{ environmentId: string; subscriberId: string }> {
  const [organizationId, environmentId, subscriberId] = [newId(), newId(), newId()];
  await sql`insert into organizations values (${organizationId}, 'Bench', now())`.execute(db);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${environmentId}, ${organizationId}, 'Bench', 'bench', 'prod', now(), now())`.execute(db);
  return { environmentId, subscriberId };
}

type Tenant = Awaited<ReturnType<typeof createTenant>>;

async function addDay(db: Db, { environmentId, subscriberId }: Tenant, day: Date): Promise<void> {
  const text = JSON.stringify({ text: "x".repeat(200) });
  await sql`
    with t as (
      select s, ms, to_timestamp(ms / 1000.0) as at, ${idOf(0)} as event, ${idOf(1)} as notification, ${idOf(2)} as in_app,
        ${idOf(3)} as email, ${idOf(4)} as attempt
      from generate_series(1, ${perDay}::int) s
      cross join lateral (select ${day.getTime()}::bigint + s * ${dayMs}::bigint / ${perDay + 1} as ms) as time),
    e as (insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients, created_at)
      select event, ${environmentId}, 'order-' || event, ${environmentId}, ${environmentId}, ${text}::jsonb, '[]', at from t),
    x as (insert into transaction_ids select ${environmentId}, 'order-' || event, event from t),
    f as (insert into event_search_values select ${environmentId}, 'order-' || s, event from t),
    n as (insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity,
        critical, created_at, updated_at)
      select notification, ${environmentId}, event, ${environmentId}, ${environmentId}, ${subscriberId}, 'none', false, at, at from t),
    j as (insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
      select gen_random_uuid(), ${environmentId}, notification, i, k, 'completed', '[]', at
      from t, (values (0, 'in_app'), (1, 'email')) as steps(i, k)),
    m as (insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel, status,
        content, created_at, updated_at)
      select i, ${environmentId}, notification, event, gen_random_uuid(), ${subscriberId}, ${environmentId}, k, 'sent',
        ${text}::text, at, at
      from t cross join lateral (values (in_app, 'in_app'), (email, 'email')) as both_sent(i, k))
    insert into attempts (id, environment_id, message_id, integration_id, number, started_at, finished_at, outcome)
    select attempt, ${environmentId}, email, ${environmentId}, 1, at, at, 'accepted' from t`.execute(db);
}

type Size = { bytes: number; events: number; messages: number };

async function measure(db: Db): Promise<Size> {
  // In a real month the database does this automatically.
  await sql`vacuum analyze`.execute(db);
  const { rows } = await sql<Size>`
    select pg_database_size(current_database()) as bytes, (select count(*) from events) as events,
      (select count(*) from messages) as messages`.execute(db);
  return rows[0]!;
}

const dataDir = mkdtempSync(join(tmpdir(), "tidings-retention-"));
const server = await startEmbedded({ dataDir, progress });
const db = openDb({ url: server.url, poolSize: 4, onError: () => {} });
try {
  await migrate(db);
  await (await openQueue({ url: server.url, onError: () => {} })).stop();
  const tenant = await createTenant(db);
  const empty = (await measure(db)).bytes;
  console.log(`${formatNumber(perDay)} events a day; messages 90 days, in-app 180 days`);
  console.log("month    database  events  messages  deleted rows  dropped partitions  longest run");
  for (let month = 0; month < months; month++) {
    const from = new Date(Date.UTC(start.getUTCFullYear(), month, 1));
    const to = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 1));
    await ensurePartitions(db, from);
    let [deleted, dropped, longestMs] = [0, 0, 0];
    for (let at = from.getTime(); at < to.getTime(); at += dayMs) {
      await addDay(db, tenant, new Date(at));
      if (((at - from.getTime()) / dayMs) % runEveryDays !== 0) continue;
      const now = new Date(at + 240_000);
      const began = performance.now();
      await runRetention({
        config,
        db,
        now: () => now,
        newId,
        metrics: createMetrics(),
        log: createLogger(config, process.stderr),
      });
      longestMs = Math.max(longestMs, performance.now() - began);
      const [run] = await listRetentionRuns(db, 1);
      if (run?.error || !run?.is_complete) throw new Error(run?.error ?? "a run was not complete");
      deleted += Object.values(run.deleted).reduce((sum, rows) => sum + rows, 0);
      dropped += run.partitions.length;
    }
    const size = await measure(db);
    const cells = [
      `${((size.bytes - empty) / 1024 / 1024).toFixed(1)} MB`.padStart(9),
      formatNumber(size.events).padStart(7),
      formatNumber(size.messages).padStart(9),
      formatNumber(deleted).padStart(13),
      String(dropped).padStart(19),
      `${longestMs.toFixed(0)} ms`.padStart(12),
    ];
    console.log(`${from.toISOString().slice(0, 7)} ${cells.join(" ")}`);
  }
} finally {
  await db.destroy();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
