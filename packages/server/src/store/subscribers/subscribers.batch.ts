// What runs and deliveries need to know of their subscribers: preferences, contexts, tenants, suppressed addresses.
import type { BrandIn, SuppressionReason } from "@tidings/contract";
import { sql } from "kysely";
import { normalizeAddress } from "../../lib/addresses.ts";
import type { AddressHashes } from "../../lib/suppression-hash.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CategoryRule, categoryRule } from "./categories.ts";
import type { ContextRow } from "./contexts.ts";
import type { PreferenceRow } from "./preferences.ts";
import type { SubscriberRow } from "./subscribers.ts";
import type { TenantRow } from "./tenants.ts";

type CategoryOfBatch = CategoryRule & { environmentId: string };
export type PreferencesOfBatch = { rows: PreferenceRow[]; categories: CategoryOfBatch[] };

/**
 * The preferences of the subscribers of a batch, globally, for these workflows and for these categories. Most
 * environments have no preferences: one index lookup finds that out, and the ids of a thousand subscribers are only
 * sent when there are any. The same statement reads the categories, if workflows of the batch have any.
 */
export async function findPreferencesOfBatch(
  db: Db,
  environmentIds: string[],
  { subscriberIds, workflowIds, categoryIds }: Record<"subscriberIds" | "workflowIds" | "categoryIds", string[]>,
): Promise<PreferencesOfBatch> {
  if (subscriberIds.length === 0) return { rows: [], categories: [] };
  const named =
    categoryIds.length === 0
      ? sql``
      : sql`, (select jsonb_agg(${categoryRule} || jsonb_build_object('environmentId', c.environment_id))
          from preference_categories c
          where c.environment_id = any(${environmentIds}::uuid[]) and c.category_id = any(${categoryIds})) as categories`;
  const any = await sql<{ found: boolean; categories?: CategoryOfBatch[] | null }>`
    select exists (select 1 from subscriber_preferences where environment_id = any(${environmentIds}::uuid[])) as found
      ${named}`.execute(db);
  const categories = any.rows[0]!.categories ?? [];
  if (!any.rows[0]!.found) return { rows: [], categories };
  const ids = [...workflowIds, ...categories.map(({ id }) => id)];
  const { rows } = await sql<PreferenceRow>`
    select * from subscriber_preferences
    where environment_id = any(${environmentIds}::uuid[]) and subscriber_id = any(${subscriberIds}::uuid[])
      and (workflow_id is null or workflow_id = any(${ids}::uuid[]))`.execute(db);
  return { rows, categories };
}

export type ContextContent = Pick<ContextRow, "environment_id" | "type" | "id" | "data" | "brand">;

/** The present data and brands of the contexts of a batch; deleted ones are missing. */
export async function findContextsOfBatch(
  db: Db,
  environmentIds: string[],
  named: { type: string; id: string }[],
): Promise<ContextContent[]> {
  if (named.length === 0) return [];
  const { rows } = await sql<ContextContent>`
    select c.environment_id, c.type, c.id, c.data, c.brand
    from ${rowsOf("r", { type: "text", id: "text" }, named)} join contexts c on c.type = r.type and c.id = r.id
    where c.environment_id = any(${environmentIds}::uuid[])`.execute(db);
  return rows;
}

/** A tenant, with the brand of the context of type `tenant` that has its identifier. */
export type BrandedTenant = TenantRow & { brand: BrandIn | null };

/** The present data of the tenants of a batch of events. */
export async function findTenantsOfBatch(
  db: Db,
  environmentIds: string[],
  identifiers: string[],
): Promise<BrandedTenant[]> {
  if (identifiers.length === 0) return [];
  const { rows } = await sql<BrandedTenant>`
    select t.*, c.brand from tenants t
    left join contexts c on c.environment_id = t.environment_id and c.type = 'tenant' and c.id = t.identifier
    where t.environment_id = any(${environmentIds}::uuid[]) and t.identifier = any(${identifiers})`.execute(db);
  return rows;
}

/** A message and all its addresses. */
export type AddressedMessage = { id: string; environment_id: string; channel: string; addresses: string[] };

export type SuppressedAddress = {
  message_id: string;
  address: string;
  suppression_id: string;
  reason: SuppressionReason;
  created_at: Date;
};

/**
 * The suppressed addresses of these messages, by message id: one query for a whole batch. `hashesOf`: an address of an
 * erased person is stored as a hash.
 */
export async function findSuppressedAddresses(
  db: Db,
  messages: AddressedMessage[],
  hashesOf: AddressHashes,
): Promise<Map<string, SuppressedAddress[]>> {
  const given = messages.flatMap(({ id, environment_id, channel, addresses }) =>
    [...new Set(addresses.map(normalizeAddress))].flatMap((address) =>
      [address, ...hashesOf(environment_id, channel, address)].map((stored) => {
        return { id, environment_id, channel, address, stored };
      }),
    ),
  );
  if (given.length === 0) return new Map();
  const columns = { id: "uuid", environment_id: "uuid", channel: "text", address: "text", stored: "text" };
  const { rows } = await sql<SuppressedAddress>`
    select r.id as message_id, r.address, s.id as suppression_id, s.reason, s.created_at from ${rowsOf("r", columns, given)}
    join suppressions s on s.environment_id = r.environment_id and s.channel = r.channel and s.address = r.stored
  `.execute(db);
  return Map.groupBy(rows, (row) => row.message_id);
}

/** Locked in the order of their ids, as in every batch of deliveries. */
export async function lockSubscribersByIds(db: Db, ids: string[]): Promise<SubscriberRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SubscriberRow>`
    select * from subscribers where id = any(${ids}) order by id for update`.execute(db);
  return rows;
}
