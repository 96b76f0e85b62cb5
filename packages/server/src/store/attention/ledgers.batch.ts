// The ledgers of people: what they were sent of late, and what waits for them.
import type { Channel } from "@tidings/contract";
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";
import type { ChannelLedger, Ledger, OwnLimits } from "../tables.ts";

export type PersonKey = { environment_id: string; subscriber_id: string };
type LedgerRow = PersonKey & { ledger: Ledger };
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

/** Messages of one channel, each of another person, that have a place if fewer than `limit` were sent. */
export type QuickPlaces = { channel: Channel; limit: number; now: Date; people: (PersonKey & { send: Send })[] };
type Send = ChannelLedger["sends"][number];

/**
 * Gives places in one statement where nothing has to be weighed: the person has no own limits, fewer messages are
 * remembered than the lowest budget allows, whatever their age and class, and nothing waits. Returns who got one; the
 * rows of the others are locked.
 */
export async function takeQuickPlaces(db: Db, { channel, limit, now, people }: QuickPlaces): Promise<PersonKey[]> {
  const rows = people.map(({ send, ...key }) => ({
    ...key,
    ledger: { [channel]: { sends: [send], waiting: [] } },
    now,
  }));
  const own = sql`coalesce(l.ledger->${channel}::text, '{"sends": [], "waiting": []}')`;
  const { rows: placed } = await sql<PersonKey>`
    insert into attention_ledgers as l (environment_id, subscriber_id, ledger, updated_at)
    select environment_id, subscriber_id, ledger, now from ${rowsOf("r", columns, rows)}
    order by environment_id, subscriber_id
    on conflict (environment_id, subscriber_id) do update
    set updated_at = excluded.updated_at, ledger = jsonb_set(l.ledger, array[${channel}::text],
      jsonb_set(${own}, '{sends}', ${own}->'sends' || (excluded.ledger->${channel}::text->'sends')))
    where l.limits is null and jsonb_array_length(${own}->'sends') < ${limit} and ${own}->'waiting' = '[]'
      and ${own}->'rollUp' is null
    returning environment_id, subscriber_id`.execute(db);
  return placed;
}
