// The integrations that a batch of messages is sent through.
import type { AttentionBudget, BrandIn, Channel } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { IntegrationRow } from "./integrations.ts";

/** With what its environment renders content with, which a batch that creates messages needs. */
export type ActiveIntegration = IntegrationRow & {
  link_schemes: string[];
  brand: BrandIn | null;
  pages_url: string | null;
  variables_version: number;
  attention: AttentionBudget[] | null;
};

/**
 * Active integrations of these channels in several environments, in order of delivery: the primary first, then by
 * priority.
 */
export async function findActiveIntegrationsOfBatch(
  db: Db,
  environmentIds: string[],
  channels: Channel[],
): Promise<ActiveIntegration[]> {
  if (environmentIds.length === 0 || channels.length === 0) return [];
  const { rows } = await sql<ActiveIntegration>`
    select i.*, e.link_schemes, e.brand, e.pages_url, e.variables_version, e.attention
    from integrations i join environments e on e.id = i.environment_id
    where i.environment_id = any(${environmentIds}::uuid[]) and i.deleted_at is null and i.active
      and i.channel = any(${channels}::text[])
    order by i.is_primary desc, i.priority desc, i.created_at`.execute(db);
  return rows;
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
