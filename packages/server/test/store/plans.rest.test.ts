// Statements that name rows by key read those rows and no others: while the tables have no statistics, as after an
// import, and with statistics; for the keys of one environment and of several.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { newId } from "../../src/lib/ids.ts";
import { type Db, inTransaction, openDb } from "../../src/store/db.ts";
import { scanEvents } from "../../src/store/events/activity.ts";
import { cancelJobsOfRuns } from "../../src/store/events/event-cancel.ts";
import { findEventAttachments, findEventsOfBatch, lockEvents } from "../../src/store/events/events.batch.ts";
import { findEventOfTransaction, findUsedTransactionIds, lockEventForCancel } from "../../src/store/events/events.ts";
import {
  emptyJobUpdate,
  findJobsOfBatch,
  findUnfinished,
  lockJobs,
  updateJobs,
} from "../../src/store/events/jobs.batch.ts";
import { lockNotifications, markDigested } from "../../src/store/events/notifications.batch.ts";
import { listNotifications } from "../../src/store/events/notifications.ts";
import { countOutcomes } from "../../src/store/events/outcomes.ts";
import { ensurePartitions } from "../../src/store/installation/partitions.ts";
import { findDeliveryStates, finishAttempts, summarizeAttempts } from "../../src/store/messages/attempts.batch.ts";
import { findInboxMessages } from "../../src/store/messages/live.batch.ts";
import { selectMessages, writeMark } from "../../src/store/messages/message-marks.ts";
import { findMessagesToReport, holdPendingMessages, recordOutcomes } from "../../src/store/messages/messages.batch.ts";
import { listMessages } from "../../src/store/messages/messages.ts";
import { redeliverMessages } from "../../src/store/messages/snooze.batch.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const rowsPerEnvironment = 6_000;
/** Keys of one statement, and the most rows of one table that it may read for each. */
const named = 60;
const readsPerKey = 4;

type Row = {
  environment_id: string;
  id: string;
  event_id: string;
  notification_id: string;
  job_id: string;
  attempt_id: string;
  subscriber_id: string;
};

const environmentIds = [newId(), newId(), newId()];
const workflowId = newId();
const rows = environmentIds.flatMap((environment_id) =>
  Array.from({ length: rowsPerEnvironment }, (): Row => {
    const [event_id, notification_id, job_id, id, attempt_id] = [newId(), newId(), newId(), newId(), newId()];
    return { environment_id, event_id, notification_id, job_id, id, attempt_id, subscriber_id: newId() };
  }),
);

async function load(): Promise<void> {
  await ensurePartitions(db, new Date());
  const { rows: partitions } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relname ~ '_[0-9]{4}_[0-9]{2}$' and c.relkind = 'r'`.execute(
    db,
  );
  for (const { name } of partitions) {
    await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(db);
  }
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::json) as r(environment_id uuid, id uuid, event_id uuid,
    notification_id uuid, job_id uuid, attempt_id uuid, subscriber_id uuid)`;
  await sql`insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients,
      created_at)
    select event_id, environment_id, 'txn_' || replace(event_id::text, '-', ''), ${workflowId}, ${workflowId}, '{}', '[]',
      now() from ${given}`.execute(db);
  await sql`insert into event_attachments (id, environment_id, attachments)
    select event_id, environment_id, '[]' from ${given}`.execute(db);
  await sql`insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity,
      critical, created_at, updated_at)
    select notification_id, environment_id, event_id, ${workflowId}, ${workflowId}, subscriber_id, 'none', false, now(), now()
    from ${given}`.execute(db);
  await sql`insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
    select job_id, environment_id, notification_id, 0, 'email', 'queued', '[]', now() from ${given}`.execute(db);
  await sql`insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel,
      status, snoozed_until, created_at, updated_at)
    select id, environment_id, notification_id, event_id, job_id, subscriber_id, ${workflowId}, 'in_app', 'pending', now(),
      now(), now() from ${given}`.execute(db);
  await sql`insert into attempts (id, environment_id, message_id, integration_id, number, started_at)
    select attempt_id, environment_id, id, ${workflowId}, 1, now() from ${given}`.execute(db);
}

const now = new Date();
const detail = { d: "message_sent", t: 1 };
const eventKeys = (keys: Row[]) => keys.map(({ environment_id, event_id }) => ({ environment_id, id: event_id }));
const notificationKeys = (keys: Row[]) =>
  keys.map((key) => ({ environment_id: key.environment_id, id: key.notification_id }));
const transactionId = ({ event_id }: Row) => `txn_${event_id.replaceAll("-", "")}`;
const outcome = {
  status: "sent",
  error_id: null,
  error_text: null,
  integration_id: workflowId,
  provider_id: "x",
  provider_message_id: null,
  updated_at: now,
} as const;

type Statements = Record<string, (tx: Db, keys: Row[]) => Promise<unknown>>;

const reads: Statements = {
  lockEvents: (tx, keys) => lockEvents(tx, eventKeys(keys)),
  findEventsOfBatch: (tx, keys) => findEventsOfBatch(tx, eventKeys(keys)),
  findEventAttachments: (tx, keys) => findEventAttachments(tx, eventKeys(keys)),
  lockNotifications: (tx, keys) => lockNotifications(tx, notificationKeys(keys)),
  findJobsOfBatch,
  findUnfinished,
  lockJobs,
  holdPendingMessages,
  findMessagesToReport,
  findInboxMessages,
  findDeliveryStates: (tx, keys) =>
    findDeliveryStates(
      tx,
      keys.map((key) => ({ ...key, workflow_id: workflowId })),
    ),
};

const writes: Statements = {
  markDigested: (tx, keys) =>
    markDigested(
      tx,
      notificationKeys(keys).map((key) => ({ ...key, into: key.id, at: now })),
    ),
  updateJobs: (tx, keys) =>
    updateJobs(
      tx,
      keys.map((key) => ({ ...emptyJobUpdate(key, now), status: "completed" })),
    ),
  recordOutcomes: (tx, keys) =>
    recordOutcomes(
      tx,
      keys.map(({ environment_id, id }) => ({ ...outcome, environment_id, id })),
    ),
  summarizeAttempts: (tx, keys) =>
    summarizeAttempts(
      tx,
      keys.map((key) => ({ ...key, round: 0 })),
      now,
    ),
  finishAttempts: (tx, keys) =>
    finishAttempts(
      tx,
      keys.map(({ environment_id, id, attempt_id }) => ({
        environment_id,
        message_id: id,
        id: attempt_id,
        finished_at: now,
        outcome: "accepted",
        reason: null,
        provider_message_id: null,
      })),
    ),
  redeliverMessages: (tx, keys) =>
    redeliverMessages(
      tx,
      keys.map(({ environment_id, id }) => ({ environment_id, id, at: now, detail })),
    ),
};

/** Statements on one environment; each for one key. */
const single: Record<string, (tx: Db, key: Row) => Promise<unknown>> = {
  findUsedTransactionIds: (tx, key) => findUsedTransactionIds(tx, key.environment_id, [transactionId(key), "other"]),
  findEventOfTransaction: (tx, key) => findEventOfTransaction(tx, key.environment_id, transactionId(key)),
  lockEventForCancel: (tx, key) => lockEventForCancel(tx, key.environment_id, transactionId(key)),
  cancelJobsOfRuns: (tx, key) =>
    cancelJobsOfRuns(tx, key.environment_id, {
      runs: { eventId: key.event_id },
      openLeaders: [],
      canceled: detail,
      now,
    }),
  writeMark: (tx, key) =>
    writeMark(tx, key.environment_id, selectMessages(key.subscriber_id, [key.id]), { mark: "read", detail, now }),
  listMessages: (tx, key) =>
    listMessages(tx, key.environment_id, { transactionIds: [transactionId(key)] }, { offset: 0, limit: 10 }),
  listNotifications: (tx, key) =>
    listNotifications(
      tx,
      key.environment_id,
      { transactionId: transactionId(key), after: new Date(0), before: new Date(now.getTime() + 60_000) },
      { offset: 0, limit: 10 },
    ),
};

/** Pages of lists: the rows of a table that they may read, however many there are. */
const pageSize = 10;
const everything = { below: "ffffffff-ffff-ffff-ffff-ffffffffffff", from: "00000000-0000-0000-0000-000000000000" };
const pages: Record<string, { most: number; read: (tx: Db, key: Row) => Promise<unknown> }> = {
  scanEvents: {
    most: 2 * pageSize,
    read: (tx, { environment_id }) =>
      scanEvents(tx, environment_id, { after: null, before: null }, { ...everything, scan: pageSize, limit: pageSize }),
  },
  "scanEvents for a text": {
    most: 2 * 200,
    read: (tx, { environment_id }) =>
      scanEvents(
        tx,
        environment_id,
        { after: null, before: null, text: { part: "nothing has this", orEventIds: [] } },
        { ...everything, scan: 200, limit: pageSize },
      ),
  },
  "scanEvents by id": {
    most: 2,
    read: (tx, { environment_id, event_id }) =>
      scanEvents(
        tx,
        environment_id,
        { after: null, before: null, eventIds: [event_id] },
        { ...everything, scan: 200, limit: pageSize },
      ),
  },
  countOutcomes: {
    most: 1,
    read: (tx, { environment_id, event_id }) => countOutcomes(tx, environment_id, [event_id], 500),
  },
};

type Reads = Map<string, number>;

/** Rows that this connection read so far, by partition. */
async function countReads(tx: Db): Promise<Reads> {
  const { rows: read } = await sql<{ name: string; rows: number }>`
    select relname as name, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
    where relname ~ '_[0-9]{4}_[0-9]{2}$'`.execute(tx);
  return new Map(read.map(({ name, rows }) => [name, rows]));
}

/** The rows that the statement reads of each partition. */
function readsOf(work: (tx: Db) => Promise<unknown>): Promise<[string, number][]> {
  return inTransaction(db, async (tx) => {
    const before = await countReads(tx);
    await work(tx);
    const after = await countReads(tx);
    return [...after].map(([name, rows]): [string, number] => [name, rows - (before.get(name) ?? 0)]);
  });
}

/**
 * Before version 17, an index is not searched for lists of values in two columns: until the first ANALYZE, updates read
 * the rows that their environments have in the months they name.
 */
async function hasArraySearch(): Promise<boolean> {
  const { rows: found } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db);
  return found[0]!.version >= 170_000;
}

const pick = (from: Row[]) => from.filter((_, index) => index % Math.floor(from.length / named) === 0).slice(0, named);

async function expectFewReads(state: string): Promise<void> {
  const few = { one: pick(rows.slice(0, rowsPerEnvironment)), several: pick(rows) };
  const tooMany: string[] = [];
  const check = async (name: string, most: number, work: (tx: Db) => Promise<unknown>) => {
    for (const [table, read] of await readsOf(work)) {
      if (read > most) tooMany.push(`${name} reads ${read} rows of ${table}`);
    }
  };
  const checked = (await hasArraySearch()) ? { ...reads, ...writes } : reads;
  for (const [name, run] of Object.entries(checked)) {
    for (const [environments, keys] of Object.entries(few)) {
      await check(`${name} in ${environments}`, named * readsPerKey, (tx) => run(tx, keys));
    }
  }
  for (const [name, run] of Object.entries(single)) await check(name, readsPerKey, (tx) => run(tx, few.one[7]!));
  for (const [name, { most, read }] of Object.entries(pages)) await check(name, most, (tx) => read(tx, few.one[7]!));
  assert.deepEqual(tooMany, [], state);
}

test("rows are read by key without statistics and with them", async () => {
  await load();
  await expectFewReads("without statistics");
  await sql`analyze events, event_attachments, notifications, jobs, messages, attempts`.execute(db);
  await expectFewReads("with statistics");
});
