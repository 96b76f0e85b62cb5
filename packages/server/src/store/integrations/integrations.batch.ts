// The integrations that a batch of messages is sent through.
import type { Db } from "../db.ts";
import type { IntegrationRow } from "./integrations.ts";
/** Active integrations of several environments, in order of delivery: the primary first, then by priority. */
export async function findActiveIntegrationsOfBatch(db: Db, environmentIds: string[]): Promise<IntegrationRow[]> {
  if (environmentIds.length === 0) return [];
  return db
    .selectFrom("integrations")
    .where("environment_id", "in", environmentIds)
    .where("deleted_at", "is", null)
    .where("active", "=", true)
    .orderBy("is_primary", "desc")
    .orderBy("priority", "desc")
    .orderBy("created_at")
    .selectAll()
    .execute();
}

/** Also deleted ones: a delivery that has begun finishes with its integration. */
export const findIntegrationsOfBatch = async (db: Db, ids: string[]): Promise<IntegrationRow[]> =>
  ids.length === 0 ? [] : db.selectFrom("integrations").where("id", "in", ids).selectAll().execute();

/** The token, encrypted as it is stored, and the id of the workspace. */
export type ConnectionAccess = { auth: string; workspaceId: string };

/** Access data of the connections that messages name, by id; deleted connections are missing. */
export async function findConnectionAccess(db: Db, ids: string[]): Promise<Map<string, ConnectionAccess>> {
  if (ids.length === 0) return new Map();
  const columns = ["id", "auth", "workspace"] as const;
  const rows = await db.selectFrom("channel_connections").where("id", "in", ids).select(columns).execute();
  return new Map(rows.map(({ id, auth, workspace }) => [id, { auth, workspaceId: workspace.id }]));
}
