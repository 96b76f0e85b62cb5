// Notifications of the runs that the pipeline advances.
import { sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
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

export const insertNotifications = (db: Db, rows: NotificationRow[]): Promise<void> =>
  insertRows(db, "notifications", columns, rows);

/** Locks the notifications in order of id, so that a run is advanced by one worker at a time. */
export async function lockNotifications(db: Db, ids: string[]): Promise<NotificationRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<NotificationRow>`
    select * from notifications where id = any(${ids}) order by id for update`.execute(db);
  return rows;
}

export async function markDigested(
  db: Db,
  pairs: { notificationId: string; intoNotificationId: string; at: Date }[],
): Promise<void> {
  if (pairs.length === 0) return;
  const columns = { '"notificationId"': "uuid", '"intoNotificationId"': "uuid", at: "timestamptz" };
  await sql`update notifications n set digested_into = r."intoNotificationId", updated_at = r.at
    from ${rowsOf("r", columns, pairs)}
    where n.id = r."notificationId"`.execute(db);
}
