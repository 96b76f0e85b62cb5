// Alerts of all environments, for the pass that evaluates the rules, and the messages that it writes.
import type { AlertEnding } from "@tidings/contract";
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { AlertRuleRow } from "./alert-rules.ts";
import type { AlertMessageRow, AlertRow } from "./alerts.ts";

export type WatchedRule = AlertRuleRow & { environment_name: string };

/** The active rules of all environments. */
export async function listActiveRules(db: Db): Promise<WatchedRule[]> {
  const { rows } = await sql<WatchedRule>`
    select r.*, e.name as environment_name from alert_rules r join environments e on e.id = r.environment_id
    where r.active and e.deleted_at is null order by r.environment_id, r.id`.execute(db);
  return rows;
}

/** Alerts that are open, or whose end was not reported yet. Locked: a request that ends them waits. */
export async function lockUnsettledAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    select a.* from alerts a join environments e on e.id = a.environment_id
    where a.closed_at is null and e.deleted_at is null
    order by a.environment_id, a.id limit ${limit} for no key update of a`.execute(db);
  return rows;
}

export type SeenAlert = Pick<
  AlertRow,
  "environment_id" | "id" | "rule_id" | "rule_name" | "kind" | "code" | "subject_type" | "subject_id" | "subject_name"
> & { facts: object };

const seenColumns = {
  environment_id: "uuid",
  id: "uuid",
  rule_id: "uuid",
  rule_name: "text",
  kind: "text",
  code: "text",
  subject_type: "text",
  subject_id: "text",
  subject_name: "text",
  facts: "jsonb",
};

/** Opens alerts, or updates those that are open for the same rule and subject. Rules that are gone open none. */
export async function saveSeenAlerts(db: Db, seen: SeenAlert[], now: Date): Promise<AlertRow[]> {
  if (seen.length === 0) return [];
  const { rows } = await sql<AlertRow>`
    insert into alerts as a (environment_id, id, rule_id, rule_name, kind, code, subject_type, subject_id, subject_name,
      facts, status, opened_at, last_seen_at)
    select s.environment_id, s.id, s.rule_id, s.rule_name, s.kind, s.code, s.subject_type, s.subject_id, s.subject_name,
      s.facts, 'open', ${now}, ${now}
    from ${rowsOf("s", seenColumns, seen)}
    where exists (select 1 from alert_rules r
      where r.environment_id = s.environment_id and r.id = s.rule_id and r.active)
    on conflict (environment_id, rule_id, subject_type, subject_id) where status = 'open'
    do update set last_seen_at = excluded.last_seen_at, code = excluded.code, facts = a.facts || excluded.facts,
      subject_name = excluded.subject_name, rule_name = excluded.rule_name
    returning *`.execute(db);
  return rows;
}

export type AlertChange = {
  environment_id: string;
  id: string;
  ending: AlertEnding | null;
  is_told: boolean;
  is_closed: boolean;
};

export async function applyAlertChanges(db: Db, changes: AlertChange[], now: Date): Promise<void> {
  if (changes.length === 0) return;
  const shape = { environment_id: "uuid", id: "uuid", ending: "text", is_told: "boolean", is_closed: "boolean" };
  await sql`
    update alerts a set
      status = case when c.ending is null then a.status else 'resolved' end,
      resolved_at = case when c.ending is null then a.resolved_at else ${now}::timestamptz end,
      ending = coalesce(c.ending, a.ending),
      told_at = case when c.is_told then ${now}::timestamptz else a.told_at end,
      closed_at = case when c.is_closed then ${now}::timestamptz else a.closed_at end
    from ${rowsOf("c", shape, changes)} where a.environment_id = c.environment_id and a.id = c.id`.execute(db);
}

export type NewAlertMessage = Omit<AlertMessageRow, "status" | "attempts" | "next_at" | "last_at" | "detail">;

const messageColumns = {
  environment_id: "uuid",
  id: "uuid",
  key: "text",
  target: "text",
  alert_ids: "uuid[]",
  content: "jsonb",
  is_fallback: "boolean",
  created_at: "timestamptz",
};

/** Returns those that were written: a message with the same key exists otherwise. */
export async function insertAlertMessages(db: Db, messages: NewAlertMessage[]): Promise<Pick<AlertMessageRow, "id">[]> {
  if (messages.length === 0) return [];
  const rows = messages.map((row) => ({ ...row, alert_ids: `{${row.alert_ids.join(",")}}` }));
  const { rows: written } = await sql<{ id: string }>`
    insert into alert_messages (environment_id, id, key, target, alert_ids, content, is_fallback, created_at, status,
      attempts, next_at)
    select m.environment_id, m.id, m.key, m.target, m.alert_ids, m.content, m.is_fallback, m.created_at, 'pending', 0,
      m.created_at
    from ${rowsOf("m", messageColumns, rows)}
    on conflict (environment_id, key) do nothing returning id`.execute(db);
  return written;
}

export type PendingMessage = AlertMessageRow & {
  organization_id: string;
  environment_name: string;
  environment_identifier: string;
};

/** A message that is still to be sent; none in a deleted environment. */
export async function findPendingMessage(
  db: Db,
  environmentId: string,
  id: string,
): Promise<PendingMessage | undefined> {
  const { rows } = await sql<PendingMessage>`
    select m.*, e.organization_id, e.name as environment_name, e.identifier as environment_identifier
    from alert_messages m join environments e on e.id = m.environment_id
    where m.environment_id = ${environmentId} and m.id = ${id} and m.status = 'pending' and e.deleted_at is null`.execute(
    db,
  );
  return rows[0];
}

export async function recordAlertMessage(
  db: Db,
  environmentId: string,
  result: Pick<AlertMessageRow, "id" | "status" | "next_at" | "detail"> & { now: Date },
): Promise<void> {
  await sql`
    update alert_messages set status = ${result.status}, attempts = attempts + 1, next_at = ${result.next_at},
      last_at = ${result.now}, detail = ${result.detail}
    where environment_id = ${environmentId} and id = ${result.id}`.execute(db);
}
