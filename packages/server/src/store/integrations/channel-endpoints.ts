// Channel endpoints: the addresses of a subscriber on a chat integration.
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
import { type ChannelFilters, type ChannelOwner, channelConditions, channelSort } from "./channel-owners.ts";

type Row = Selectable<Tables["channel_endpoints"]>;

export type EndpointRow = Row & ChannelOwner & { connection_identifier: string | null };

const columns = sql`r.*, i.identifier as integration_identifier, i.channel, i.provider_id,
  s.subscriber_id as subscriber_key, c.identifier as connection_identifier`;

const from = (conditions: RawBuilder<unknown>[]) => sql`
  from channel_endpoints r
  join integrations i on i.id = r.integration_id
  left join subscribers s on s.id = r.subscriber_id
  left join channel_connections c on c.id = r.connection_id
  where ${sql.join(conditions, sql` and `)}`;

export async function findEndpoint(
  db: Db,
  environmentId: string,
  identifier: string,
): Promise<EndpointRow | undefined> {
  const conditions = [sql`r.environment_id = ${environmentId}`, sql`r.identifier = ${identifier}`];
  return (await sql<EndpointRow>`select ${columns} ${from(conditions)}`.execute(db)).rows[0];
}

export type EndpointFilters = ChannelFilters & { connectionIdentifier?: string };

export function listEndpoints(
  db: Db,
  environmentId: string,
  {
    filters,
    orderBy,
    request,
  }: { filters: EndpointFilters; orderBy: "createdAt" | "updatedAt" | "identifier"; request: CursorRequest },
): Promise<CursorPage<EndpointRow>> {
  const conditions = channelConditions(environmentId, filters);
  if (filters.connectionIdentifier !== undefined) {
    conditions.push(sql`r.connection_id = (
      select id from channel_connections
      where environment_id = ${environmentId} and identifier = ${filters.connectionIdentifier})`);
  }
  return cursorPage<EndpointRow>(
    db,
    { columns, from: from(conditions), id: sql`r.id`, ...channelSort(orderBy) },
    request,
  );
}

/** The newest endpoints of a subscriber with an integration for exactly these contexts. */
export const listOwnEndpoints = (
  db: Db,
  environmentId: string,
  { integrationId, subscriberId, contextKeys }: { integrationId: string; subscriberId: string; contextKeys: string[] },
) =>
  db
    .selectFrom("channel_endpoints")
    .where("environment_id", "=", environmentId)
    .where("integration_id", "=", integrationId)
    .where("subscriber_id", "=", subscriberId)
    .where(sql<boolean>`context_keys = ${contextKeys}::text[]`)
    .select(["identifier", "type", "endpoint"])
    .orderBy("id", "desc")
    .limit(1_000)
    .execute();

/** The endpoint is stored encrypted: it may be a webhook URL. False when the identifier is taken. */
export async function insertEndpoint(db: Db, row: Row & { endpoint: string }): Promise<boolean> {
  const inserted = await db
    .insertInto("channel_endpoints")
    .values({ ...row, endpoint: JSON.stringify(row.endpoint) })
    .onConflict((conflict) => conflict.columns(["environment_id", "identifier"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function updateEndpoint(
  db: Db,
  environmentId: string,
  { identifier, endpoint, now }: { identifier: string; endpoint: Row["endpoint"]; now: Date },
): Promise<void> {
  await db
    .updateTable("channel_endpoints")
    .set({ endpoint: JSON.stringify(endpoint), updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("identifier", "=", identifier)
    .execute();
}

/** False when there is no such endpoint. */
export async function deleteEndpoint(db: Db, environmentId: string, identifier: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("channel_endpoints")
    .where("environment_id", "=", environmentId)
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
