// The alerts of an environment, and the messages about them.
import type { AlertEnding, AlertKindName, AlertStatus, AlertSubjectType } from "@tidings/contract";
import { countCap } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type AlertRow = Selectable<Tables["alerts"]>;
export type AlertMessageRow = Selectable<Tables["alert_messages"]>;

export type AlertFilters = {
  status?: AlertStatus;
  kind?: AlertKindName;
  ruleId?: string;
  subjectType?: AlertSubjectType;
  subjectId?: string;
};

type Page = { offset: number; limit: number };

const ofEnvironment = (db: Db, environmentId: string, filters: AlertFilters) => {
  let query = db.selectFrom("alerts").where("environment_id", "=", environmentId);
  if (filters.status) query = query.where("status", "=", filters.status);
  if (filters.kind) query = query.where("kind", "=", filters.kind);
  if (filters.ruleId) query = query.where("rule_id", "=", filters.ruleId);
  if (filters.subjectType) query = query.where("subject_type", "=", filters.subjectType);
  if (filters.subjectId) query = query.where("subject_id", "=", filters.subjectId);
  return query;
};

/** Newest first, with one row more than the page has. */
export async function listAlerts(
  db: Db,
  environmentId: string,
  { page, ...filters }: AlertFilters & { page: Page },
): Promise<{ rows: AlertRow[]; totalCount: number; openCount: number }> {
  const countUpTo = async (given: AlertFilters): Promise<number> => {
    const counted = ofEnvironment(db, environmentId, given).select("id").limit(countCap).as("c");
    const { count } = await db
      .selectFrom(counted)
      .select((e) => e.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return count;
  };
  const openCount = await countUpTo({ status: "open" });
  if (filters.ruleId !== undefined && !isUuid(filters.ruleId)) return { rows: [], totalCount: 0, openCount };
  const rows = await ofEnvironment(db, environmentId, filters)
    .selectAll()
    .orderBy("id", "desc")
    .offset(page.offset)
    .limit(page.limit + 1)
    .execute();
  return { rows, totalCount: await countUpTo(filters), openCount };
}

export async function findAlert(db: Db, environmentId: string, id: string): Promise<AlertRow | undefined> {
  if (!isUuid(id)) return undefined;
  return ofEnvironment(db, environmentId, {}).where("id", "=", id).selectAll().executeTakeFirst();
}

/** The newest messages about each of these alerts, up to `limit`. */
export async function listAlertMessages(
  db: Db,
  environmentId: string,
  alertIds: string[],
  limit: number,
): Promise<(AlertMessageRow & { alert_id: string })[]> {
  if (alertIds.length === 0) return [];
  const { rows } = await sql<AlertMessageRow & { alert_id: string }>`
    select a.id as alert_id, m.* from unnest(${alertIds}::uuid[]) as a(id)
    cross join lateral (
      select * from alert_messages m where m.environment_id = ${environmentId} and m.alert_ids @> array[a.id]
      order by m.id desc limit ${limit}) as m
    order by a.id, m.id desc`.execute(db);
  return rows;
}

/** The first one who takes it on is kept. */
export async function acknowledgeAlert(
  db: Db,
  environmentId: string,
  { id, by, now }: { id: string; by: string; now: Date },
): Promise<void> {
  if (!isUuid(id)) return;
  await sql`
    update alerts set acknowledged_at = ${now}, acknowledged_by = ${by}
    where environment_id = ${environmentId} and id = ${id} and acknowledged_at is null`.execute(db);
}

/** Ends the open alerts of a rule without a message. */
export async function closeAlertsOfRule(
  db: Db,
  environmentId: string,
  { ruleId, ending, now }: { ruleId: string; ending: AlertEnding; now: Date },
): Promise<void> {
  await sql`
    update alerts set status = 'resolved', resolved_at = ${now}, ending = ${ending}, closed_at = ${now}
    where environment_id = ${environmentId} and rule_id = ${ruleId} and status = 'open'`.execute(db);
  await sql`
    update alerts set closed_at = ${now}
    where environment_id = ${environmentId} and rule_id = ${ruleId} and closed_at is null`.execute(db);
}
