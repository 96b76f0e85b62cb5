// Notifications of the runs that the pipeline advances.
import { sql } from "kysely";
import { type Insert, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, type RowKey, rowsByKey } from "../keys.ts";
import type { NotificationRow } from "./notifications.ts";

const columns = {
  id: "uuid",
  environment_id: "uuid",
  event_id: "uuid",
  workflow_id: "uuid",
  workflow_version_id: "uuid",
  subscriber_id: "uuid",
  severity: "text",
  critical: "boolean",
  context_keys: "text[]",
  subscriptions: "jsonb",
  digested_into: "uuid",
  finished_jobs: "json",
  created_at: "timestamptz",
  updated_at: "timestamptz",
};

export const notificationInsert = (rows: NotificationRow[]): Insert => ({ table: "notifications", columns, rows });

/** Locks the notifications in order of id, so that a run is advanced by one worker at a time. */
export async function lockNotifications(db: Db, keys: RowKey[]): Promise<NotificationRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<NotificationRow>`
    select n.* from ${rowsByKey("notifications", "n", "id", keys, { lock: "for update" })} order by n.id`.execute(db);
  return rows;
}

export type DigestedNotification = RowKey & { into: string; at: Date };

export async function markDigested(db: Db, digested: DigestedNotification[]): Promise<void> {
  if (digested.length === 0) return;
  const columns = { environment_id: "uuid", id: "uuid", '"into"': "uuid", at: "timestamptz" };
  await sql`update notifications n set digested_into = r."into", updated_at = r.at
    from ${rowsOf("r", columns, digested)}
    where ${hasKeyOf("n", "id", digested)}`.execute(db);
}
