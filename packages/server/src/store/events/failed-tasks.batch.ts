// The environment of a task that failed repeatedly.
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
  deliver: { table: "messages", idOf: ({ messageId }) => messageId },
  unsnooze: { table: "messages", idOf: ({ messageId }) => messageId },
  webhook: { table: "webhook_deliveries", idOf: ({ deliveryId }) => deliveryId },
};

/** Undefined when the row that the task names was deleted, or when its kind belongs to no environment. */
export async function findTaskEnvironment(db: Db, kind: TaskKind, data: object): Promise<string | undefined> {
  const owner = owners[kind];
  const id = owner?.idOf(data as JsonObject);
  if (!owner || typeof id !== "string" || !isUuid(id)) return undefined;
  const { rows } = await sql<{ environment_id: string }>`
    select t.environment_id from ${sql.table(owner.table)} t join environments e on e.id = t.environment_id
    where t.id = ${id}`.execute(db);
  return rows[0]?.environment_id;
}
