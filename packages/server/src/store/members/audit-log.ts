// The audit log: written with each change, listed newest first. Old entries are deleted by
// store/installation/purges.ts.
import type { JsonObject } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type AuditRow = Selectable<Tables["audit_log"]>;
export type ListedAuditRow = AuditRow & { environment_name: string | null };

const toJson = (value: JsonObject | null): string | null => (value === null ? null : JSON.stringify(value));

export async function insertAuditEntries(db: Db, rows: AuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map((row) => ({ ...row, before: toJson(row.before), after: toJson(row.after) }));
  await db.insertInto("audit_log").values(values).execute();
}

export const insertAuditEntry = (db: Db, row: AuditRow): Promise<void> => insertAuditEntries(db, [row]);

/** Changes of subscribers by steps of workflows, which have no caller. */
type StepChange = { id: string; actor: string; target: string; before: JsonObject | null; after: JsonObject };

export async function insertStepChanges(
  db: Db,
  environmentId: string,
  { entries, now }: { entries: StepChange[]; now: Date },
): Promise<void> {
  if (entries.length === 0) return;
  const columns = { id: "uuid", actor: "text", target: "text", before: "jsonb", after: "jsonb" };
  await sql`
    insert into audit_log (id, organization_id, environment_id, created_at, actor, operation, target, subscriber_id,
      before, after)
    select r.id, e.organization_id, e.id, ${now}, r.actor, 'subscribers.update', r.target, r.target, r.before, r.after
    from environments e, ${rowsOf("r", columns, entries)}
    where e.id = ${environmentId}`.execute(db);
}

/** What the entries about a subscriber hold of it: who changed it, and when, stays. */
export async function eraseSubscriberFromAuditLog(db: Db, environmentId: string, subscriberId: string): Promise<void> {
  await sql`update audit_log set before = null, after = null, target_name = null
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId}
      and (before is not null or after is not null or target_name is not null)`.execute(db);
}

export type AuditFilters = {
  userId?: string;
  operation?: string;
  environmentId?: string;
  subscriberId?: string;
  from?: Date;
  to?: Date;
};

export function listAuditLog(
  db: Db,
  organizationId: string,
  filters: AuditFilters,
  request: CursorRequest,
): Promise<CursorPage<ListedAuditRow>> {
  const { userId, operation, environmentId, subscriberId, from: since, to } = filters;
  const conditions = [sql`a.organization_id = ${organizationId}`];
  if (userId !== undefined) conditions.push(sql`a.user_id = ${userId}`);
  if (operation !== undefined)
    conditions.push(sql`(a.operation = ${operation} or split_part(a.operation, '.', 1) = ${operation})`);
  if (environmentId !== undefined) conditions.push(sql`a.environment_id = ${environmentId}`);
  if (subscriberId !== undefined) conditions.push(sql`a.subscriber_id = ${subscriberId}`);
  if (since) conditions.push(sql`a.created_at >= ${since}`);
  if (to) conditions.push(sql`a.created_at < ${to}`);
  const from = sql`from audit_log a where ${sql.join(conditions, sql` and `)}`;
  const environment = sql`(select e.name from environments e where e.id = a.environment_id) as environment_name`;
  const source = { columns: sql`a.*, ${environment}`, from, sort: sql`a.created_at`, id: sql`a.id` };
  return cursorPage<ListedAuditRow>(db, source, request);
}

/** Entries of one operation from one address since a time of a minute or so ago. */
export async function countEntriesFrom(
  db: Db,
  organizationId: string,
  { operation, address, since }: { operation: string; address: string; since: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit_log
    where organization_id = ${organizationId} and created_at > ${since}
      and operation = ${operation} and address = ${address}`.execute(db);
  return rows[0]!.count;
}
