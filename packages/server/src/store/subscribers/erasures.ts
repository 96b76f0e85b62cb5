// Erasures of the data of a person: their rows, and what makes them start and end.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { ErasureProgress, Tables } from "../tables.ts";

export type ErasureRow = Selectable<Tables["erasures"]>;

/** False when the subscriber is being erased already. */
export async function insertErasure(db: Db, environmentId: string, row: ErasureRow): Promise<boolean> {
  const { rows } = await sql`
    insert into erasures (environment_id, id, pseudonym, subscriber_hash, subscriber_id, person, status, progress, counts,
      requested_by, created_at, updated_at)
    values (${environmentId}, ${row.id}, ${row.pseudonym}, ${row.subscriber_hash}, ${row.subscriber_id}, ${row.person},
      ${row.status}, ${JSON.stringify(row.progress)}::jsonb, ${JSON.stringify(row.counts)}::jsonb, ${row.requested_by},
      ${row.created_at}, ${row.updated_at})
    on conflict (environment_id, subscriber_id) where subscriber_id is not null do nothing returning 1`.execute(db);
  return rows.length > 0;
}

export async function findErasure(db: Db, environmentId: string, id: string): Promise<ErasureRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ErasureRow>`
    select * from erasures where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return rows[0];
}

/** The erasure of this subscriber that has not ended. */
export async function findRunningErasure(
  db: Db,
  environmentId: string,
  subscriberId: string,
): Promise<ErasureRow | undefined> {
  const { rows } = await sql<ErasureRow>`
    select * from erasures where environment_id = ${environmentId} and subscriber_id = ${subscriberId}`.execute(db);
  return rows[0];
}

/** Which of these subscribers are being erased. */
export async function findBeingErased(db: Db, environmentId: string, subscriberIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ subscriber_id: string }>`
    select subscriber_id from erasures
    where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}::text[])`.execute(db);
  return new Set(rows.map((row) => row.subscriber_id));
}

/** Locked until the transaction ends: the batches of one erasure follow each other. */
export async function lockErasure(db: Db, environmentId: string, id: string): Promise<ErasureRow | undefined> {
  const { rows } = await sql<ErasureRow>`
    select * from erasures where environment_id = ${environmentId} and id = ${id} for update`.execute(db);
  return rows[0];
}

export async function saveErasureProgress(
  db: Db,
  environmentId: string,
  { id, progress, counts, now }: { id: string; progress: ErasureProgress; counts: ErasureRow["counts"]; now: Date },
): Promise<void> {
  await sql`
    update erasures set progress = ${JSON.stringify(progress)}::jsonb, counts = ${JSON.stringify(counts)}::jsonb,
      updated_at = ${now}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** Only the pseudonym, the hash and the receipt remain. */
export async function finishErasure(
  db: Db,
  environmentId: string,
  { id, receipt, now }: { id: string; receipt: string; now: Date },
): Promise<void> {
  await sql`
    update erasures set status = 'completed', subscriber_id = null, person = null, receipt = ${receipt},
      updated_at = ${now}, finished_at = ${now}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
