// Answers stored by idempotency key. Most clients send a new key with every request, so the common path is one statement
// before the work of the request and one insert in its transaction.
import { sql } from "kysely";
import type { Db } from "./db.ts";
export type StoredAnswer = { fingerprint: Buffer; status: number; body: string | null };

/**
 * Locks the key until the transaction ends and reads the stored answer, in one statement. A crashed request releases the
 * lock at once. The snapshot is older than the lock: an answer committed in between is missed here, and the primary key
 * refuses the second answer when this request stores its own.
 */
export async function claimKey(
  tx: Db,
  environmentId: string,
  key: string,
): Promise<{ isLocked: boolean; stored: StoredAnswer | null }> {
  const { rows } = await sql<{ locked: boolean; fingerprint: Buffer | null; status: number; body: string | null }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${environmentId}:${key}`}, 0)) as locked,
           k.fingerprint, k.status, k.body
    from (select 1) as one
    left join idempotency_keys k on k.environment_id = ${environmentId} and k.key = ${key}
      and k.created_at > now() - interval '24 hours'`.execute(tx);
  const row = rows[0]!;
  const stored = row.fingerprint ? { fingerprint: row.fingerprint, status: row.status, body: row.body } : null;
  return { isLocked: row.locked, stored };
}

/** Whether an answer is stored for the key. For checks outside a transaction, without the lock. */
export async function hasAnswer(db: Db, environmentId: string, key: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from idempotency_keys
    where environment_id = ${environmentId} and key = ${key} and created_at > now() - interval '24 hours'`.execute(db);
  return rows.length > 0;
}

/** The primary key refuses a second answer under the same key; one past its 24 hours is replaced. */
export async function storeAnswer(tx: Db, environmentId: string, key: string, answer: StoredAnswer): Promise<boolean> {
  const { rows } = await sql<{ key: string }>`
    insert into idempotency_keys as k (environment_id, key, fingerprint, status, body)
    values (${environmentId}, ${key}, ${answer.fingerprint}, ${answer.status}, ${answer.body})
    on conflict (environment_id, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = now()
      where k.created_at <= now() - interval '24 hours'
    returning key`.execute(tx);
  return rows.length === 1;
}
