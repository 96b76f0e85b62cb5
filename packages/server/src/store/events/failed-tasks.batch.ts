// What a task that failed repeatedly is about.
import { sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import type { TaskKind } from "../queue/claims.ts";

/** The table that the id in a task of each kind refers to. */
const owners: Partial<Record<TaskKind, { table: string; idOf: (data: JsonObject) => unknown }>> = {
  trigger: { table: "events", idOf: ({ eventIds }) => (eventIds as string[])[0] },
  fanout: { table: "events", idOf: ({ eventId }) => eventId },
  wake: { table: "notifications", idOf: ({ notificationIds }) => (notificationIds as string[])[0] },
  bridge: { table: "notifications", idOf: ({ notificationId }) => notificationId },
  request: { table: "notifications", idOf: ({ notificationId }) => notificationId },
  deliver: { table: "messages", idOf: ({ messageIds }) => (messageIds as string[])[0] },
  unsend: { table: "messages", idOf: ({ messageIds }) => (messageIds as string[])[0] },
  unsnooze: { table: "messages", idOf: ({ messageId }) => messageId },
  import: { table: "imports", idOf: ({ importId }) => importId },
  webhook: { table: "webhook_deliveries", idOf: ({ deliveryId }) => deliveryId },
};

/**
 * Whether the row that the task names, and its environment, still exist; false for kinds that belong to no environment.
 */
export async function hasTaskSubject(db: Db, environmentId: string, kind: TaskKind, data: object): Promise<boolean> {
  const owner = owners[kind];
  const id = owner?.idOf(data as JsonObject);
  if (!owner || typeof id !== "string" || !isUuid(id)) return false;
  const { rows } = await sql`
    select 1 from ${sql.table(owner.table)} t join environments e on e.id = t.environment_id
    where t.environment_id = ${environmentId} and t.id = ${id}`.execute(db);
  return rows.length > 0;
}
