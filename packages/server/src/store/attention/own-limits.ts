// How many messages a subscriber wants at most, by channel: a part of the ledger of the person.
import type { OwnLimitsPatch } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { OwnLimits } from "../tables.ts";

/** `subscriberId`: the internal one. */
export async function findOwnLimits(db: Db, environmentId: string, subscriberId: string): Promise<OwnLimits | null> {
  const row = await db
    .selectFrom("attention_ledgers")
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .select("limits")
    .executeTakeFirst();
  return row?.limits ?? null;
}

type Change = { subscriberId: string; changes: OwnLimitsPatch; now: Date };

/** Merged by the database, so that simultaneous changes of two channels are both kept. Returns the result. */
export async function mergeOwnLimits(
  db: Db,
  environmentId: string,
  { subscriberId, changes, now }: Change,
): Promise<OwnLimits | null> {
  const given = sql`${JSON.stringify(changes)}::jsonb`;
  const { rows } = await sql<{ limits: OwnLimits | null }>`
    insert into attention_ledgers as l (environment_id, subscriber_id, ledger, limits, updated_at)
    values (${environmentId}, ${subscriberId}, '{}', nullif(jsonb_strip_nulls(${given}), '{}'), ${now})
    on conflict (environment_id, subscriber_id) do update
    set limits = nullif(jsonb_strip_nulls(coalesce(l.limits, '{}') || ${given}), '{}'), updated_at = ${now}
    returning limits`.execute(db);
  return rows[0]?.limits ?? null;
}
