// Notifications of the runs that the pipeline advances.
import { sql } from "kysely";
import { type Insert, insertOf, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKey, type RowKey } from "../keys.ts";
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
  created_at: "timestamptz",
  updated_at: "timestamptz",
};

export const notificationInsert = (rows: NotificationRow[]): Insert => insertOf("notifications", columns, rows);

/** Locks the notifications in order of id, so that a run is advanced by one worker at a time. */
export async function lockNotifications(db: Db, keys: RowKey[]): Promise<NotificationRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<NotificationRow>`
    select * from notifications n where ${hasKey("n", "id", keys)} order by id for update`.execute(db);
  return rows;
}

export type DigestedNotification = RowKey & { into: string; at: Date };

export async function markDigested(db: Db, digested: DigestedNotification[]): Promise<void> {
  if (digested.length === 0) return;
  const columns = { environment_id: "uuid", id: "uuid", '"into"': "uuid", at: "timestamptz" };
  await sql`update notifications n set digested_into = r."into", updated_at = r.at
    from ${rowsOf("r", columns, digested)}
    where ${hasKey("n", "id", digested)} and n.environment_id = r.environment_id and n.id = r.id`.execute(db);
}
