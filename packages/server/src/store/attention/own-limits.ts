// How many messages a subscriber wants at most, by channel.
import type { OwnLimitsPatch } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { OwnLimits } from "../tables.ts";

/** `subscriberId`: the internal one. */
export async function findOwnLimits(db: Db, environmentId: string, subscriberId: string): Promise<OwnLimits | null> {
  const row = await db
    .selectFrom("subscribers")
    .where("environment_id", "=", environmentId)
    .where("id", "=", subscriberId)
    .select("attention")
    .executeTakeFirst();
  return row?.attention ?? null;
}

/** Merged by the database, so that simultaneous changes of two channels are both kept. Returns the result. */
export async function mergeOwnLimits(
  db: Db,
  environmentId: string,
  { subscriberId, changes }: { subscriberId: string; changes: OwnLimitsPatch },
): Promise<OwnLimits | null> {
  const { rows } = await sql<{ attention: OwnLimits | null }>`
    update subscribers
    set attention = nullif(jsonb_strip_nulls(coalesce(attention, '{}') || ${JSON.stringify(changes)}::jsonb), '{}')
    where environment_id = ${environmentId} and id = ${subscriberId} returning attention`.execute(db);
  return rows[0]?.attention ?? null;
}
