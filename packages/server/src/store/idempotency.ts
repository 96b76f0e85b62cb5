// Responses stored by idempotency key. Most clients send a new key with every request, so the common path is one
// statement before the work of the request and one insert in its transaction.
import { sql } from "kysely";
import type { Db } from "./db.ts";
export type StoredAnswer = { fingerprint: Buffer; status: number; body: string | null };

export type KeyClaim = { key: string; isLocked: boolean; stored: StoredAnswer | null };

/**
 * Locks the keys until the transaction ends and reads the stored responses, in one statement. A crashed request
 * releases the locks at once. The snapshot is older than the locks: a response committed in between is missed here, and
 * the primary key refuses the second response when this request stores its own. The keys must differ: the second lock
 * on a key would be granted too.
 */
export async function claimKeys(tx: Db, environmentId: string, keys: string[]): Promise<KeyClaim[]> {
  if (keys.length === 0) return [];
  // `offset 0`: one look-up for each key, even while the table has no statistics (keys.ts).
  const { rows } = await sql<{ key: string; locked: boolean } & { [P in keyof StoredAnswer]: StoredAnswer[P] | null }>`
    select w.key, pg_try_advisory_xact_lock(hashtextextended(${environmentId} || ':' || w.key, 0)) as locked,
           k.fingerprint, k.status, k.body
    from unnest(${keys}::text[]) as w(key) left join lateral (
      select fingerprint, status, body from idempotency_keys
      where environment_id = ${environmentId} and key = w.key and created_at > now() - interval '24 hours' offset 0
    ) as k on true`.execute(tx);
  return rows.map(({ key, locked, fingerprint, status, body }) => ({
    key,
    isLocked: locked,
    stored: fingerprint && { fingerprint, status: status!, body },
  }));
}

/** Whether a response is stored for the key. For checks outside a transaction, without the lock. */
export async function hasAnswer(db: Db, environmentId: string, key: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from idempotency_keys
    where environment_id = ${environmentId} and key = ${key} and created_at > now() - interval '24 hours'`.execute(db);
  return rows.length > 0;
}

/** Whether the response was stored; see storeAnswers. */
export const storeAnswer = async (tx: Db, environmentId: string, key: string, answer: StoredAnswer): Promise<boolean> =>
  (await storeAnswers(tx, environmentId, [{ ...answer, key }])) === 1;

/**
 * Returns how many responses were stored. The primary key refuses a second response under the same key; one past its 24
 * hours is replaced. Keys are inserted in order, so that two transactions cannot deadlock.
 */
export async function storeAnswers(
  tx: Db,
  environmentId: string,
  answers: (StoredAnswer & { key: string })[],
): Promise<number> {
  if (answers.length === 0) return 0;
  const sorted = [...answers].sort((a, b) => (a.key < b.key ? -1 : 1));
  const values = sorted.map(
    ({ key, fingerprint, status, body }) => sql`(${environmentId}, ${key}, ${fingerprint}, ${status}, ${body})`,
  );
  const { numAffectedRows } = await sql`
    insert into idempotency_keys as k (environment_id, key, fingerprint, status, body) values ${sql.join(values)}
    on conflict (environment_id, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = now()
      where k.created_at <= now() - interval '24 hours'`.execute(tx);
  return Number(numAffectedRows);
}
