// The people of a condition over `subscribers s`: counted, listed, and what PostgreSQL expects of the query.
import { exactPeople } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import { estimateRows, keptCount } from "../paging.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";

type Condition = RawBuilder<boolean>;

const matching = (environmentId: string, condition: Condition) =>
  sql`from subscribers s where s.environment_id = ${environmentId} and ${condition}`;

/** All subscribers of the environment. */
export async function countEveryone(db: Db, environmentId: string): Promise<number> {
  const { rows } = await keptCount(environmentId, environmentId).execute(db);
  return Number(rows[0]!.count);
}

/** Exact up to a number, and estimated above it. */
export async function countPeople(
  db: Db,
  environmentId: string,
  condition: Condition,
): Promise<{ people: number; isEstimated: boolean }> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 ${matching(environmentId, condition)} limit ${exactPeople + 1}) as found`.execute(
    db,
  );
  const { count } = rows[0]!;
  if (count <= exactPeople) return { people: count, isEstimated: false };
  const everyone = await countEveryone(db, environmentId);
  const estimate = (await shareOfSample(db, environmentId, condition)) ?? null;
  const people =
    estimate === null
      ? await estimateRows(db, sql`select 1 ${matching(environmentId, condition)}`)
      : Math.round(estimate * everyone);
  return { people: Math.max(exactPeople + 1, Math.min(people, everyone)), isEstimated: true };
}

const sampleRows = 30_000;
const enoughRows = 2_000;

/** The share of people in a sample of the table; null when it has too few of this environment. */
async function shareOfSample(db: Db, environmentId: string, condition: Condition): Promise<number | null> {
  const size = await sql<{ rows: number }>`
    select greatest(reltuples, 1) as rows from pg_class where oid = 'subscribers'::regclass`.execute(db);
  const percent = Math.min(100, (100 * sampleRows) / size.rows[0]!.rows);
  const { rows } = await sql<{ seen: number; found: number }>`
    select count(*) as seen, count(*) filter (where ${condition}) as found
    from subscribers s tablesample system (${percent}::real) where s.environment_id = ${environmentId}`.execute(db);
  const { seen, found } = rows[0]!;
  return seen < enoughRows ? null : found / seen;
}

/** Whether someone of the environment is not among these people. */
export async function hasOthers(db: Db, environmentId: string, condition: Condition): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 ${matching(environmentId, sql`not ${condition}`)}) as found`.execute(db);
  return rows[0]!.found;
}

export type PersonRow = Pick<
  SubscriberRow,
  "id" | "subscriber_id" | "first_name" | "last_name" | "email" | "locale" | "timezone"
>;

/** In order of their internal ids, after this one. */
export async function listMatching(
  db: Db,
  environmentId: string,
  condition: Condition,
  { after, limit }: { after: string | null; limit: number },
): Promise<PersonRow[]> {
  const behind = after === null ? sql`` : sql`and s.id > ${after}::uuid`;
  const { rows } = await sql<PersonRow>`
    select s.id, s.subscriber_id, s.first_name, s.last_name, s.email, s.locale, s.timezone
    ${matching(environmentId, condition)} ${behind} order by s.id limit ${limit}`.execute(db);
  return rows;
}

/** A node of a plan, as PostgreSQL describes it. */
export type PlanNode = {
  "Node Type": string;
  "Total Cost": number;
  "Plan Rows": number;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Parent Relationship"?: string;
  Plans?: PlanNode[];
};

export async function planPeople(db: Db, environmentId: string, condition: Condition): Promise<PlanNode> {
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`
    explain (format json) select count(*) ${matching(environmentId, condition)}`.execute(db);
  return rows[0]!["QUERY PLAN"][0].Plan;
}
