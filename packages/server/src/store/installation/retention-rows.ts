// Rows past their retention, in months that are kept. Each call examines the oldest rows of many environments at
// once, a bounded number, and deletes those that nothing needs any longer; the caller continues behind them.
import { type RawBuilder, sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import { type Db, inRepeatableTransaction, type Tx } from "../db.ts";
import {
  hasNotification,
  hasWaitingPeople,
  isLiveJob,
  isNeededMessage,
  isReadByLiveDigest,
} from "../environments/needed-rows.ts";
import { hasKeyOf, type RowKey } from "../keys.ts";

/** How far an environment's rows are examined. `before`: the retention has passed for rows from before this time. */
export type Horizon = {
  environment_id: string;
  before: Date;
  before_id: string;
  /** Rows up to this id have been examined. */
  after_id: string;
  /** Its clock may have been a test clock, so that times and ids of its rows need not agree. */
  is_dev: boolean;
};

const horizonColumns = {
  environment_id: "uuid",
  before: "timestamptz",
  before_id: "uuid",
  after_id: "uuid",
  is_dev: "boolean",
};

export type WalkStep = {
  /** By environment: where the next call continues. Environments without more rows are missing. */
  rest: Horizon[];
  /** Rows that were deleted, by table; in-app messages apart. */
  deleted: Record<string, number>;
};

export const firstId = firstIdAt(new Date(0));
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

type Walk = { horizons: Horizon[]; limit: number; now: Date };

/** The oldest rows behind the last ones examined: of each environment the same number, `limit` in all. */
function candidates(table: string, columns: RawBuilder<unknown>, { horizons, limit }: Walk): RawBuilder<unknown> {
  const share = Math.max(1, Math.floor(limit / horizons.length));
  const ids = horizons.map(({ before_id }) => before_id).toSorted();
  return sql`${rowsOf("c", horizonColumns, horizons)} cross join lateral (
    select ${columns} from ${sql.table(table)} t
    where t.environment_id = c.environment_id and t.id > c.after_id and t.id < c.before_id and t.id < ${ids.at(-1)}::uuid
    order by t.id limit ${share}) as t`;
}

/** Which environments have more rows: those that had as many as asked for. */
function findRest({ horizons, limit }: Walk, examined: RowKey[]): Horizon[] {
  const share = Math.max(1, Math.floor(limit / horizons.length));
  const byEnvironment = Map.groupBy(examined, (row) => row.environment_id);
  return horizons.flatMap((horizon) => {
    const rows = byEnvironment.get(horizon.environment_id) ?? [];
    const last = rows.map(({ id }) => id).toSorted();
    return rows.length < share ? [] : [{ ...horizon, after_id: last.at(-1)! }];
  });
}

type ExaminedRun = RowKey & { subscriber_id: string; is_dev: boolean; ended_at: Date | null; is_gone: boolean };

/** Notifications with their jobs, the messages of all channels but in-app, and the attempts to send them. */
export async function purgeRuns(db: Db, walk: Walk): Promise<WalkStep> {
  const before = sql`c.before`;
  const columns = sql`t.environment_id, t.id, t.subscriber_id, t.digested_into`;
  const { rows } = await sql<ExaminedRun>`
    select t.environment_id, t.id, t.subscriber_id, c.is_dev, r.ended_at,
      not coalesce(r.is_live, false) and not ${isReadByLiveDigest("t", before, walk.now)} as is_gone
    from ${candidates("notifications", columns, walk)}
    cross join lateral (
      select max(j.updated_at) as ended_at, bool_or(${isLiveJob("j", before, walk.now)}) as is_live
      from jobs j where j.environment_id = t.environment_id and j.notification_id = t.id) as r`.execute(db);
  const gone = rows.filter((row) => row.is_gone);
  const deleted = await inRepeatableTransaction(db, (tx) => deleteRuns(tx, gone));
  return { rest: findRest(walk, rows), deleted };
}

/** A message is created before its step ends; some time for clocks that differ. */
const slackMs = 3_600_000;

async function deleteRuns(tx: Tx, runs: ExaminedRun[]): Promise<Record<string, number>> {
  // A run without rows of jobs sent nothing to a provider (docs/decisions/0023-finished-jobs.md).
  const sending = runs.flatMap((run) =>
    run.ended_at === null
      ? []
      : [{ ...run, until: run.is_dev ? lastId : firstIdAt(new Date(run.ended_at.getTime() + slackMs)) }],
  );
  const columns = { environment_id: "uuid", id: "uuid", subscriber_id: "uuid", until: "uuid" };
  const { rows: messages } = await sql<RowKey>`
    select m.environment_id, m.id from ${rowsOf("r", columns, sending)} cross join lateral (
      select f.environment_id, f.id from messages f
      where f.subscriber_id = r.subscriber_id and f.id >= r.id and f.id < r.until
        and f.environment_id = r.environment_id and f.notification_id = r.id and f.channel <> 'in_app' offset 0) as m`.execute(
    tx,
  );
  // A run that passed an experiment has jobs with a result, so they have rows.
  await deleteByKey(
    tx,
    "exposures",
    "notification_id",
    runs.filter((run) => run.ended_at !== null),
  );
  return {
    ...(await deleteMessagesWithAttempts(tx, messages)),
    jobs: await deleteByKey(tx, "jobs", "notification_id", runs),
    notifications: await deleteByKey(tx, "notifications", "id", runs),
  };
}

const deleteMessagesWithAttempts = async (tx: Tx, messages: RowKey[]) => ({
  attempts: await deleteByKey(tx, "attempts", "message_id", messages),
  messages: await deleteByKey(tx, "messages", "id", messages),
});

/** Deletes the rows whose column has one of these ids; returns how many there were. */
async function deleteByKey(tx: Tx, table: string, column: string, keys: RowKey[]): Promise<number> {
  if (keys.length === 0) return 0;
  const rows = keys.map(({ environment_id, id }) => ({ environment_id, [column]: id }));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} t using ${rowsOf("r", { environment_id: "uuid", [column]: "uuid" }, rows)}
    where ${hasKeyOf("t", column, rows as never)}`.execute(tx);
  return Number(numAffectedRows);
}

/** In-app messages, and messages of other channels that are left. */
export async function purgeInApp(db: Db, walk: Walk): Promise<WalkStep> {
  const columns = sql`t.environment_id, t.id, t.notification_id, t.channel, t.status, t.snoozed_until, t.delivered_at`;
  const { rows } = await sql<RowKey & { channel: string; is_gone: boolean }>`
    select t.environment_id, t.id, t.channel, not ${isNeededMessage("t", sql`c.before`, walk.now)} as is_gone
    from ${candidates("messages", columns, walk)}`.execute(db);
  const { inApp = [], others = [] } = Object.groupBy(
    rows.filter((row) => row.is_gone),
    ({ channel }) => (channel === "in_app" ? "inApp" : "others"),
  );
  const deleted = await inRepeatableTransaction(db, async (tx) => ({
    ...(await deleteMessagesWithAttempts(tx, others)),
    inApp: await deleteByKey(tx, "messages", "id", inApp),
  }));
  return { rest: findRest(walk, rows), deleted };
}

/** Events of which no notification is left, with attachments, transaction ids and the names of refused ones. */
export async function purgeEvents(db: Db, walk: Walk): Promise<WalkStep> {
  const { rows } = await sql<RowKey & { transaction_id: string; is_gone: boolean }>`
    select t.environment_id, t.id, t.transaction_id, not ${hasNotification("t")} and not ${hasWaitingPeople("t")} as is_gone
    from ${candidates("events", sql`t.environment_id, t.id, t.transaction_id, t.canceled_at`, walk)}`.execute(db);
  const gone = rows.filter((row) => row.is_gone);
  const deleted = await inRepeatableTransaction(db, async (tx): Promise<Record<string, number>> => {
    if (gone.length === 0) return {};
    await deleteByKey(tx, "event_attachments", "id", gone);
    await deleteByKey(tx, "refused_event_names", "event_id", gone);
    const columns = { environment_id: "uuid", id: "uuid", transaction_id: "text" };
    await sql`
      delete from transaction_ids t using ${rowsOf("r", columns, gone)}
      where t.environment_id = r.environment_id and t.transaction_id = r.transaction_id and t.event_id = r.id
        and t.transaction_id = any(${gone.map((row) => row.transaction_id)}::text[])`.execute(tx);
    return { events: await deleteByKey(tx, "events", "id", gone) };
  });
  return { rest: findRest(walk, rows), deleted };
}

/** The people of events that are gone: a month of events is dropped without them. */
export async function purgeEventPages(db: Db, { horizons, limit }: Walk): Promise<WalkStep> {
  const ids = horizons.map(({ before_id }) => before_id).toSorted();
  const share = Math.max(1, Math.floor(limit / horizons.length));
  const { rows } = await sql<{ environment_id: string }>`
    with gone as (
      select t.* from ${rowsOf("c", horizonColumns, horizons)} cross join lateral (
        select p.environment_id, p.event_id, p.page from event_pages p
        where p.environment_id = c.environment_id and p.event_id < c.before_id and p.event_id < ${ids.at(-1)}::uuid
          and not exists (select 1 from events e where e.environment_id = p.environment_id and e.id = p.event_id offset 0)
        limit ${share}) as t)
    delete from event_pages p using gone g
    where p.environment_id = g.environment_id and p.event_id = g.event_id and p.page = g.page
    returning p.environment_id`.execute(db);
  const full = Map.groupBy(rows, (row) => row.environment_id);
  const rest = horizons.filter(({ environment_id }) => (full.get(environment_id)?.length ?? 0) >= share);
  return { rest, deleted: {} };
}

/** Search values of events that are gone. Their key does not begin with the event, so they are searched for. */
export async function purgeSearchValues(db: Db, { horizons, limit }: Walk): Promise<WalkStep> {
  const ids = horizons.map(({ before_id }) => before_id).toSorted();
  const share = Math.max(1, Math.floor(limit / horizons.length));
  const { rows } = await sql<RowKey & { value: string }>`
    select t.* from ${rowsOf("c", horizonColumns, horizons)} cross join lateral (
      select v.environment_id, v.id, v.value from event_search_values v
      where v.environment_id = c.environment_id and v.id < c.before_id and v.id < ${ids.at(-1)}::uuid
        and not exists (select 1 from events e where e.environment_id = v.environment_id and e.id = v.id offset 0)
      limit ${share}) as t`.execute(db);
  if (rows.length > 0) {
    await sql`
      delete from event_search_values v
      using ${rowsOf("r", { environment_id: "uuid", id: "uuid", value: "text" }, rows)}
      where ${hasKeyOf("v", "id", rows)} and v.value = r.value
        and v.value = any(${rows.map((row) => row.value)}::text[])`.execute(db);
  }
  const full = Map.groupBy(rows, (row) => row.environment_id);
  const rest = horizons.filter(({ environment_id }) => (full.get(environment_id)?.length ?? 0) >= share);
  return { rest, deleted: {} };
}

/** Tables whose rows are found by their age: the column that has it. */
const agedTables = {
  captured_messages: "id",
  message_expiries: "message_id",
  refused_event_names: "event_id",
  retractions: "created_at",
  retracted_messages: "notification_id",
  supersede_keys: "notification_id",
  dead_letters: "created_at",
  dead_letter_replays: "created_at",
  failed_tasks: "created_at",
  deleted_subscribers: "deleted_at",
  statistics_hours: "hour",
} as const;
export type AgedTable = keyof typeof agedTables;

/** Deletes rows from before the horizons of their environments, at most `limit`; returns how many. */
export async function purgeByAge(
  db: Db,
  table: AgedTable,
  horizons: Pick<Horizon, "environment_id" | "before" | "before_id">[],
  limit: number,
): Promise<number> {
  const column = agedTables[table];
  const isId = column.endsWith("id");
  const latest = new Date(Math.max(...horizons.map(({ before }) => before.getTime())));
  const age = sql.ref(`t.${column}`);
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid in (
      select t.ctid from ${sql.table(table)} t
      join ${rowsOf("c", { environment_id: "uuid", before: "timestamptz", before_id: "uuid" }, horizons)}
        on c.environment_id = t.environment_id and ${age} < ${isId ? sql`c.before_id` : sql`c.before`}
      where ${age} < ${isId ? sql`${firstIdAt(latest)}::uuid` : latest}
      limit ${limit} for update of t skip locked)`.execute(db);
  return Number(numAffectedRows);
}
