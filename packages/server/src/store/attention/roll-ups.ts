// Roll-ups: which of them still take items, their items for people who look, and items that are taken out again.
import type { Channel } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import { eventIdsOfTransactions } from "../events/events.ts";
import type { StoredDetail } from "../tables.ts";

/** Those of the transactions whose event has not been started yet, or whose run still waits. */
export async function findWaitingRollUps(
  db: Db,
  environmentId: string,
  transactionIds: string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ transaction_id: string }>`
    select e.transaction_id from events e
    where e.environment_id = ${environmentId} and e.id in (${eventIdsOfTransactions(environmentId, transactionIds)})
      and e.canceled_at is null and (
        not exists (select 1 from notifications n where n.environment_id = e.environment_id and n.event_id = e.id)
        or exists (
          select 1 from notifications n join jobs j on j.environment_id = n.environment_id and j.notification_id = n.id
          where n.environment_id = e.environment_id and n.event_id = e.id and j.status in ('pending', 'queued', 'delayed')))`.execute(
    db,
  );
  return new Set(rows.map((row) => row.transaction_id));
}

export type ListedItem = {
  transaction_id: string;
  workflow_id: string;
  workflow_name: string;
  step_type: Channel;
  output: JsonObject | null;
  is_taken_back: boolean;
};

/** The items of a roll-up, oldest first, with those that were taken back. */
export async function listRollUpItems(
  db: Db,
  environmentId: string,
  { rollUp, limit }: { rollUp: string; limit: number },
): Promise<ListedItem[]> {
  const { rows } = await sql<ListedItem>`
    select e.transaction_id, w.workflow_id, w.name as workflow_name, j.type as step_type, j.output,
      j.status = 'canceled' as is_taken_back
    from jobs j join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
    join events e on e.environment_id = n.environment_id and e.id = n.event_id
    join workflows w on w.environment_id = n.environment_id and w.id = n.workflow_id
    where j.environment_id = ${environmentId} and j.merged_into = ${rollUp} and j.type <> 'digest'
    order by j.notification_id, j.id limit ${limit}`.execute(db);
  return rows;
}

export type HeldJob = { id: string; notification_id: string; type: Channel };

type Withdrawal = { isOfRuns: RawBuilder<boolean>; canceled: StoredDetail; now: Date };

/**
 * Takes items out of roll-ups that have not been sent, and returns them. The ledgers are locked first: a roll-up that
 * is being sent has its items already. `isOfRuns`: a condition on `j.notification_id`.
 */
export async function withdrawItems(
  db: Db,
  environmentId: string,
  { isOfRuns, canceled, now }: Withdrawal,
): Promise<HeldJob[]> {
  const { rows: open } = await sql<{ id: string }>`
    with held as (
      select j.id, j.type, j.merged_into, n.subscriber_id from jobs j
      join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
      where j.environment_id = ${environmentId} and ${isOfRuns} and j.merged_into is not null and j.status = 'skipped')
    select held.id from attention_ledgers l join held on held.subscriber_id = l.subscriber_id
    where l.environment_id = ${environmentId} and l.ledger->held.type->'rollUp'->>'id' = held.merged_into::text
    order by l.environment_id, l.subscriber_id for update of l`.execute(db);
  if (open.length === 0) return [];
  // A second statement: it sees the ledgers as they were when their locks were given.
  const { rows } = await sql<HeldJob>`
    update jobs j set status = 'canceled', updated_at = ${now}, details = j.details || ${JSON.stringify([canceled])}::jsonb
    from notifications n join attention_ledgers l on l.environment_id = n.environment_id and l.subscriber_id = n.subscriber_id
    where j.environment_id = ${environmentId} and ${isOfRuns} and j.id = any(${open.map(({ id }) => id)}::uuid[])
      and n.environment_id = j.environment_id and n.id = j.notification_id and j.status = 'skipped'
      and l.ledger->j.type->'rollUp'->>'id' = j.merged_into::text
    returning j.id, j.notification_id, j.type`.execute(db);
  return rows;
}

/** Items of these runs in roll-ups that were sent. */
export async function findSentItems(db: Db, environmentId: string, notificationIds: string[]): Promise<HeldJob[]> {
  const { rows } = await sql<HeldJob>`
    select j.id, j.notification_id, j.type from jobs j
    where j.environment_id = ${environmentId} and j.notification_id = any(${notificationIds}::uuid[])
      and j.merged_into is not null and j.status = 'skipped'`.execute(db);
  return rows;
}
