// Waits of runs for a signal or for an event of a message. The row is the lock: whoever sets `arrived_at` wins against
// the end of the wait, which deletes the row; of a signal and a timeout at the same moment exactly one takes effect.
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { WaitRow } from "../tables.ts";
import { type SignalName, takeSignalLocks } from "./signal-locks.ts";

const columns = {
  environment_id: "uuid",
  job_id: "uuid",
  notification_id: "uuid",
  subscriber_id: "uuid",
  signal: "text",
  signal_key: "text",
  watched_job_id: "uuid",
  watched_event: "text",
};

export type NewWait = Omit<WaitRow, "arrived_at" | "arrived_by" | "data">;

export async function insertWaits(db: Db, waits: NewWait[]): Promise<void> {
  if (waits.length === 0) return;
  const names = sql.raw(Object.keys(columns).join(", "));
  await sql`insert into run_waits (${names}) select ${names} from ${rowsOf("r", columns, waits)}
    on conflict do nothing`.execute(db);
}

/** A signal that a wait looks back for. */
export type LookBack = {
  environment_id: string;
  job_id: string;
  subscriber_id: string;
  signal: string;
  signal_key: string | null;
  since: Date;
};

const lookBackColumns = {
  environment_id: "uuid",
  job_id: "uuid",
  subscriber_id: "uuid",
  signal: "text",
  signal_key: "text",
  since: "timestamptz",
};

export async function lockSignals(db: Db, names: readonly SignalName[]): Promise<void> {
  if (names.length > 0) await takeSignalLocks(names).execute(db);
}

export type FoundSignal = { job_id: string; data: JsonObject | null; created_at: Date };

/** The last signal that each of these waits looks back for. */
export async function findSignals(db: Db, wanted: LookBack[]): Promise<FoundSignal[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<FoundSignal>`
    select r.job_id, s.data, s.created_at from ${rowsOf("r", lookBackColumns, wanted)} cross join lateral (
      select data, created_at from signals f
      where f.environment_id = r.environment_id and f.subscriber_id = r.subscriber_id and f.name = r.signal
        and f.created_at >= r.since and (r.signal_key is null or f.key = r.signal_key)
      order by f.created_at desc limit 1) as s`.execute(db);
  return rows;
}

/** A wait that may end now. `is_due`: its timeout has come, so that it ends in any case. */
export type EndingWait = { environment_id: string; job_id: string; is_due: boolean };
export type EndedWait = Pick<WaitRow, "job_id" | "arrived_at" | "arrived_by" | "data">;

/** Deletes the waits that end. */
export async function endWaits(db: Db, ending: EndingWait[]): Promise<EndedWait[]> {
  if (ending.length === 0) return [];
  const { rows } = await sql<EndedWait>`
    with held as (
      select w.*, r.is_due
      from ${rowsOf("r", { environment_id: "uuid", job_id: "uuid", is_due: "boolean" }, ending)}
      join run_waits w using (environment_id, job_id)
      order by w.environment_id, w.job_id for update of w)
    delete from run_waits w using held
    where w.environment_id = held.environment_id and w.job_id = held.job_id
      and (held.is_due or held.arrived_at is not null)
    returning w.job_id, held.arrived_at, held.arrived_by, held.data`.execute(db);
  return rows;
}
