// Common parts of channel connections and channel endpoints. Both belong to an integration, which has their channel and
// provider, and to a subscriber; both have the same list filters, and both are deleted with their integration.
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
/** Fields of the integration and the subscriber that a record belongs to. */
export type ChannelOwner = {
  integration_identifier: string;
  channel: Tables["integrations"]["channel"];
  provider_id: string;
  /** The subscriber's external id. */
  subscriber_key: string | null;
};

export type ChannelFilters = {
  /** Null: of no subscriber. */
  subscriberId?: string | null;
  contextKeys?: string[];
  channel?: string;
  providerId?: string;
  integrationIdentifier?: string;
};

/** Sort column and kind for `cursorPage`. */
export const channelSort = (orderBy: "createdAt" | "updatedAt" | "identifier") =>
  ({
    createdAt: { sort: sql`r.created_at`, kind: "time" },
    updatedAt: { sort: sql`r.updated_at`, kind: "time" },
    identifier: { sort: sql`r.identifier`, kind: "text" },
  })[orderBy] as { sort: RawBuilder<unknown>; kind: "time" | "text" };

/** The filters that connections and endpoints share, on their table `r`. Unknown names match nothing. */
export function channelConditions(environmentId: string, filters: ChannelFilters): RawBuilder<unknown>[] {
  const { subscriberId, contextKeys, channel, providerId, integrationIdentifier } = filters;
  const conditions = [sql`r.environment_id = ${environmentId}`];
  if (subscriberId === null) conditions.push(sql`r.subscriber_id is null`);
  else if (subscriberId !== undefined) {
    conditions.push(sql`r.subscriber_id = (
      select id from subscribers where environment_id = ${environmentId} and subscriber_id = ${subscriberId})`);
  }
  if (contextKeys) conditions.push(sql`r.context_keys = ${contextKeys}::text[]`);
  if (integrationIdentifier !== undefined) {
    conditions.push(sql`r.integration_id = (
      select id from integrations
      where environment_id = ${environmentId} and identifier = ${integrationIdentifier} and deleted_at is null)`);
  }
  if (channel !== undefined) conditions.push(sql`i.channel = ${channel}`);
  if (providerId !== undefined) conditions.push(sql`i.provider_id = ${providerId}`);
  return conditions;
}

const heldIntegration = (db: Db, environmentId: string) =>
  db
    .selectFrom("integrations")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    .select(["id", "provider_id", "credentials"])
    .forShare();

/** Locks an integration until the transaction ends: it can be read meanwhile, but not changed or deleted. */
export const holdIntegration = (db: Db, environmentId: string, identifier: string) =>
  heldIntegration(db, environmentId).where("identifier", "=", identifier).executeTakeFirst();

export const holdIntegrationById = (db: Db, environmentId: string, id: string) =>
  heldIntegration(db, environmentId).where("id", "=", id).executeTakeFirst();

/** Locks a subscriber until the transaction ends: it can be changed meanwhile, but not deleted. */
export const holdSubscriber = (db: Db, environmentId: string, subscriberId: string) =>
  db
    .selectFrom("subscribers")
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .select("id")
    .forKeyShare()
    .executeTakeFirst();

/**
 * Deletes the endpoints and connections of an integration and its entries in subscribers' channels. The subscribers are
 * locked first and in the order of their key, as by every other batch over subscribers.
 */
export async function deleteChannelsOf(db: Db, environmentId: string, integrationId: string, now: Date): Promise<void> {
  // The same expression as in the index.
  const hasEntry = sql`channels <> '[]' and jsonb_path_query_array(channels, '$[*]._integrationId') ? ${integrationId}`;
  await sql`
    select id from subscribers
    where id in (
      select subscriber_id from channel_endpoints where integration_id = ${integrationId}
      union select subscriber_id from channel_connections where integration_id = ${integrationId}
      union select id from subscribers where environment_id = ${environmentId} and ${hasEntry})
    order by subscriber_id for update`.execute(db);
  await sql`
    update subscribers set updated_at = ${now}, channels = (
      select coalesce(jsonb_agg(entry order by position), '[]')
      from jsonb_array_elements(channels) with ordinality as entries(entry, position)
      where entry ->> '_integrationId' is distinct from ${integrationId})
    where environment_id = ${environmentId} and ${hasEntry}`.execute(db);
  const isOfIntegration = sql`environment_id = ${environmentId} and integration_id = ${integrationId}`;
  await sql`delete from channel_endpoints where ${isOfIntegration}`.execute(db);
  await sql`delete from channel_connections where ${isOfIntegration}`.execute(db);
}
