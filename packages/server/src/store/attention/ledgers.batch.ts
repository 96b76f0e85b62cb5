// The ledgers of people: what they were sent of late, and what waits for them.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";
import type { Ledger, OwnLimits } from "../tables.ts";

export type PersonKey = { environment_id: string; subscriber_id: string };
export type LedgerRow = PersonKey & { ledger: Ledger };
/** `limits`: the lower ones that the person chose. */
export type FoundLedger = LedgerRow & { limits: OwnLimits | null };

const keyColumns = { environment_id: "uuid", subscriber_id: "uuid" };
const columns = { ...keyColumns, ledger: "jsonb", now: "timestamptz" };

/** Those that exist, locked in the order of their key, so that two batches cannot deadlock. */
export async function lockLedgers(db: Db, people: PersonKey[]): Promise<FoundLedger[]> {
  const { rows } = await sql<FoundLedger>`
    select l.environment_id, l.subscriber_id, l.ledger, l.limits
    from ${rowsByKey("attention_ledgers", "l", "subscriber_id", people, { lock: "for update" })}`.execute(db);
  return rows;
}

/** As `lockLedgers`, for a dry run. */
export async function findLedgers(db: Db, people: PersonKey[]): Promise<FoundLedger[]> {
  const { rows } = await sql<FoundLedger>`
    select l.environment_id, l.subscriber_id, l.ledger, l.limits
    from ${rowsByKey("attention_ledgers", "l", "subscriber_id", people)}`.execute(db);
  return rows;
}

type WrittenLedger = LedgerRow & { now: Date };

/** Writes locked ledgers. */
export async function updateLedgers(db: Db, ledgers: WrittenLedger[]): Promise<void> {
  if (ledgers.length === 0) return;
  await sql`
    update attention_ledgers l set ledger = r.ledger, updated_at = r.now from ${rowsOf("r", columns, ledgers)}
    where l.environment_id = r.environment_id and l.subscriber_id = r.subscriber_id`.execute(db);
}

/** Returns the people whose ledger was written: another transaction may have been the first for the others. */
export async function insertLedgers(db: Db, ledgers: WrittenLedger[]): Promise<PersonKey[]> {
  if (ledgers.length === 0) return [];
  const { rows } = await sql<PersonKey>`
    insert into attention_ledgers (environment_id, subscriber_id, ledger, updated_at)
    select environment_id, subscriber_id, ledger, now from ${rowsOf("r", columns, ledgers)}
    order by environment_id, subscriber_id on conflict do nothing
    returning environment_id, subscriber_id`.execute(db);
  return rows;
}
