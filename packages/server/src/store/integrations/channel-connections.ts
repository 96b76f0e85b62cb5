// Channel connections: the workspaces an integration may write to. They are always read together with their integration
// and subscriber, which hold channel, provider and both identifiers.
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
import { type ChannelFilters, type ChannelOwner, channelConditions, channelSort } from "./channel-owners.ts";

type Row = Selectable<Tables["channel_connections"]>;

export type ConnectionRow = Row & ChannelOwner;

const columns = sql`r.*, i.identifier as integration_identifier, i.channel, i.provider_id,
  s.subscriber_id as subscriber_key`;

const from = (conditions: RawBuilder<unknown>[]) => sql`
  from channel_connections r
  join integrations i on i.id = r.integration_id
  left join subscribers s on s.id = r.subscriber_id
  where ${sql.join(conditions, sql` and `)}`;

export async function findConnection(
  db: Db,
  environmentId: string,
  identifier: string,
): Promise<ConnectionRow | undefined> {
  const conditions = [sql`r.environment_id = ${environmentId}`, sql`r.identifier = ${identifier}`];
  return (await sql<ConnectionRow>`select ${columns} ${from(conditions)}`.execute(db)).rows[0];
}

export const listConnections = (
  db: Db,
  environmentId: string,
  {
    filters,
    orderBy,
    request,
  }: { filters: ChannelFilters; orderBy: "createdAt" | "updatedAt" | "identifier"; request: CursorRequest },
): Promise<CursorPage<ConnectionRow>> =>
  cursorPage<ConnectionRow>(
    db,
    { columns, from: from(channelConditions(environmentId, filters)), id: sql`r.id`, ...channelSort(orderBy) },
    request,
  );

/**
 * The connection of a subscriber with an integration for exactly these contexts; shared connections do not count. The
 * subscriber is locked until the transaction ends, so that of two requests the second finds the connection of the
 * first.
 */
export async function findOwnConnection(
  db: Db,
  environmentId: string,
  {
    integrationId,
    subscriberId,
    contextKeys,
  }: { integrationId: string; subscriberId: string | null; contextKeys: string[] },
): Promise<{ id: string; identifier: string } | undefined> {
  if (subscriberId === null) return undefined;
  await sql`
    select id from subscribers where environment_id = ${environmentId} and id = ${subscriberId}
    for no key update`.execute(db);
  const { rows } = await sql<{ id: string; identifier: string }>`
    select id, identifier from channel_connections
    where environment_id = ${environmentId} and integration_id = ${integrationId} and subscriber_id = ${subscriberId}
      and context_keys = ${contextKeys}::text[]
    order by id desc limit 1`.execute(db);
  return rows[0];
}

/**
 * A connection to the workspace through which messages to the subscriber may go: its own one, else one that all
 * subscribers share; with an identifier, that one alone. Locked until the transaction ends, as is the subscriber: of
 * two requests, the second finds what the first has written.
 */
export async function findUsableConnection(
  db: Db,
  environmentId: string,
  by: { integrationId: string; subscriberId: string; workspaceId: string; identifier?: string },
): Promise<{ id: string } | undefined> {
  await sql`
    select id from subscribers where environment_id = ${environmentId} and id = ${by.subscriberId}
    for no key update`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select id from channel_connections
    where environment_id = ${environmentId} and integration_id = ${by.integrationId}
      and (subscriber_id = ${by.subscriberId} or subscriber_id is null) and workspace ->> 'id' = ${by.workspaceId}
      and ${by.identifier === undefined ? sql`true` : sql`identifier = ${by.identifier}`}
    order by subscriber_id is null, id desc limit 1 for key share`.execute(db);
  return rows[0];
}

/** False when the identifier is taken. */
export async function insertConnection(db: Db, row: Row): Promise<boolean> {
  const inserted = await db
    .insertInto("channel_connections")
    .values({ ...row, workspace: JSON.stringify(row.workspace) })
    .onConflict((conflict) => conflict.columns(["environment_id", "identifier"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** False when there is no such connection. */
export async function updateConnection(
  db: Db,
  environmentId: string,
  { identifier, changes, now }: { identifier: string; changes: { workspace: object; auth: string }; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("channel_connections")
    .set({ workspace: JSON.stringify(changes.workspace), auth: changes.auth, updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Deletes its endpoints as well. False when there is no such connection. The subscriber is locked first, because
 * deleting a subscriber locks the same rows in that order.
 */
export async function deleteConnection(db: Db, environmentId: string, identifier: string): Promise<boolean> {
  await sql`
    select s.id from subscribers s
    join channel_connections r on r.subscriber_id = s.id
    where r.environment_id = ${environmentId} and r.identifier = ${identifier}
    for key share of s`.execute(db);
  const { numDeletedRows } = await db
    .deleteFrom("channel_connections")
    .where("environment_id", "=", environmentId)
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Locks a connection until the transaction ends, so that it cannot be deleted while an endpoint is added to it. */
export const holdConnection = (db: Db, environmentId: string, identifier: string) =>
  db
    .selectFrom("channel_connections")
    .where("environment_id", "=", environmentId)
    .where("identifier", "=", identifier)
    .select(["id", "integration_id"])
    .forKeyShare()
    .executeTakeFirst();
