// pg-boss with the queues of the service: opening it, and taking over the tasks of processes that died.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { type ClientOptions, DatabaseClient } from "../client.ts";
import { findDatabaseFault } from "../faults.ts";

export const schema = "queue";

// A process that dies stops its heartbeat. The next check for due tasks (due.ts) gives its tasks to another process.
export const heartbeatSeconds = 10;

// The timers of pg-boss poll, whether there is work or not. Its supervision is called when there is something to take
// over (due.ts), at most once a second over all processes. Its schedules are not used: chores are tasks that enqueue
// themselves for their next time (pipeline/housekeeping.ts).
const timers = { supervise: false, schedule: false, monitorIntervalSeconds: 1 };

const queueOptions = {
  // announce.ts notifies.
  notify: false,
  heartbeatSeconds,
  expireInSeconds: 15 * 60,
  // The queue drops no task: pipeline/set-aside.ts takes out those that keep failing, the others are retried every five
  // minutes.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 5 * 365 * 24 * 3600,
};

const namePrefix = "tidings-queue ";
/** The name of the connection by which processes are counted (listen.ts). */
export const listenerName = "tidings-listen";

/**
 * Groups are few and queried often, the waiting tasks of an environment in the order of their times. `job_next` shows
 * which task is due next (due.ts); its condition is written so that the planner cannot use it for fetching: on old
 * statistics it would read and sort a whole backlog instead of reading the first tasks in their order. Checked first:
 * creating an index takes a lock that blocks writers.
 */
const createIndexes = `
  do $$ begin
    perform pg_advisory_xact_lock(7465003);
    perform set_config('lock_timeout', '300ms', true);
    if to_regclass('${schema}.job_group_due') is null then
      create index job_group_due on ${schema}.job_common (group_id, start_after) where group_id is not null;
      drop index if exists ${schema}.job_group;
    end if;
    if to_regclass('${schema}.job_next') is null then
      create index job_next on ${schema}.job_common (state, name, start_after) where (state <= 'active') is true;
    end if;
  end $$`;

/**
 * One connection stays open: opening one takes more than a minute of idleness. The types of pg-boss lack `min`, its
 * pool has it.
 */
const poolSize = { max: 5, min: 1 };

/** PostgreSQL has no timeout for the statements of pg-boss. */
const connection = { Client: DatabaseClient, silenceMs: 75_000 } satisfies ClientOptions & { Client: unknown };

type BossOptions = { url: string; directUrl?: string; onError(error: Error): void };

export async function openBoss({ url, directUrl, onError }: BossOptions, kinds: readonly string[]): Promise<PgBoss> {
  // Each process connects under its own name, which shows whether other processes are alive.
  const name = `${namePrefix}${randomUUID()}`;
  const boss = new PgBoss({
    connectionString: url,
    schema,
    application_name: name,
    ...poolSize,
    ...connection,
    connectionTimeoutMillis: 5_000,
    ...timers,
  });
  boss.on("error", onError);
  await boss.start();
  try {
    await prepareQueues(boss, kinds);
    // The names of connections through a pooler come and go; those of listeners, which go past it, do not.
    await takeOverTasks(boss, { own: name, prefix: directUrl ? listenerName : namePrefix });
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}

async function prepareQueues(boss: PgBoss, kinds: readonly string[]): Promise<void> {
  const found = new Map((await boss.getQueues([...kinds])).map((queue) => [queue.name, queue]));
  for (const kind of kinds) {
    if (!found.has(kind)) await boss.createQueue(kind, queueOptions);
    else if (found.get(kind)!.notify) await boss.updateQueue(kind, { notify: false });
  }
  await ensureIndexes(boss);
}

const indexTries = 100;
const indexPauseMs = 600;

/**
 * After an upgrade, pg-boss builds its own indexes concurrently, in the background. They wait for our transaction while
 * it waits for them: ours gives way before PostgreSQL would end one of the two, and tries again.
 */
async function ensureIndexes(boss: PgBoss): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await boss.getDb().executeSql(createIndexes);
      return;
    } catch (error) {
      const isWaiting = ["locked", "conflict"].includes(findDatabaseFault(error) ?? "");
      if (!isWaiting || tries === indexTries) throw error;
      await delay(indexPauseMs);
    }
  }
}

/**
 * When no other process is connected, every claim belongs to a process that died: its tasks need not wait until their
 * heartbeat lapses. Claims are fenced, so if another process is alive after all (disconnected for a moment, say), its
 * work on these tasks is rolled back, as after a lapsed heartbeat.
 */
async function takeOverTasks(boss: PgBoss, { own, prefix }: { own: string; prefix: string }): Promise<void> {
  const db = boss.getDb();
  const { rows } = await db.executeSql(
    `select 1 from pg_stat_activity where datname = current_database()
       and starts_with(application_name, $1) and application_name <> $2 limit 1`,
    [prefix, own],
  );
  if (rows.length > 0) return;
  const stale = await db.executeSql(
    `update ${schema}.job set heartbeat_on = '-infinity'
     where state = 'active' and heartbeat_seconds is not null returning 1`,
  );
  if (stale.rows.length > 0) await boss.supervise();
}

/** The NOTIFY channel on which new tasks are announced, with the name of their queue: that of pg-boss. */
export async function findChannel(boss: PgBoss): Promise<string> {
  const { rows } = await boss
    .getDb()
    .executeSql(`select 'pgboss_' || left(encode(sha224('${schema}'::bytea), 'hex'), 24) as channel`);
  return rows[0].channel;
}
