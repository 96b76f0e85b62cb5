// The people of fixed audiences.
import { type RawBuilder, sql } from "kysely";
import { type Db, withTimeLimit } from "../db.ts";

/** Whether the subscriber `s` is in one of these fixed audiences, for a query over `subscribers s`. */
export const isFixedMember = (environmentId: string, audienceRowIds: string[]): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from audience_members m where m.environment_id = ${environmentId}
    and m.audience_id = any(${audienceRowIds}::uuid[]) and m.subscriber_id = s.id)`;

/** A condition over `subscribers s`. */
export type PeopleCondition = RawBuilder<boolean>;

/** In at least one of them; without any, no one. */
export const anyOf = (conditions: PeopleCondition[]): PeopleCondition =>
  conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`;

/** Those of `included` (null: everyone) without those of `excluded`. */
export const allBut = (included: PeopleCondition | null, excluded: PeopleCondition | null): PeopleCondition =>
  sql<boolean>`(${included ?? sql`true`}) and (${excluded ?? sql`false`}) is not true`;
/** Returns how many were not in it before. People who are deleted at the same time are left out. */
export async function insertMembers(
  db: Db,
  environmentId: string,
  audienceRowId: string,
  subscriberRowIds: string[],
): Promise<number> {
  const { rows } = await sql`
    with people as (
      select id from subscribers where environment_id = ${environmentId} and id = any(${subscriberRowIds}::uuid[])
      order by id for key share)
    insert into audience_members (environment_id, audience_id, subscriber_id)
    select ${environmentId}, ${audienceRowId}, id from people order by id
    on conflict do nothing returning 1`.execute(db);
  return rows.length;
}

/** Returns how many were in it. */
export async function deleteMembers(
  db: Db,
  environmentId: string,
  audienceRowId: string,
  subscriberRowIds: string[],
): Promise<number> {
  const { rows } = await sql`
    delete from audience_members where environment_id = ${environmentId} and audience_id = ${audienceRowId}
      and subscriber_id = any(${subscriberRowIds}::uuid[]) returning 1`.execute(db);
  return rows.length;
}

/** Everyone for whom the condition over `subscribers s` holds, in one statement that may take `limitMs`. */
export async function insertMatching(
  db: Db,
  environmentId: string,
  audienceRowId: string,
  { condition, limitMs }: { condition: RawBuilder<boolean>; limitMs: number },
): Promise<void> {
  const insert = sql`
    insert into audience_members (environment_id, audience_id, subscriber_id)
    select ${environmentId}, ${audienceRowId}, s.id from subscribers s
    where s.environment_id = ${environmentId} and ${condition}
    order by s.id for key share of s`;
  await withTimeLimit(db, limitMs, () => insert.execute(db));
}
