// Webhooks: who is told what. Secrets are encrypted by the caller.
import type { WebhookEventType } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import type { LRUCache } from "lru-cache";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type WebhookRow = Selectable<Tables["webhooks"]>;

const live = (db: Db, environmentId: string) =>
  db.selectFrom("webhooks").where("environment_id", "=", environmentId).where("deleted_at", "is", null).selectAll();

export const listWebhooks = (db: Db, environmentId: string): Promise<WebhookRow[]> =>
  live(db, environmentId).orderBy("id").execute();

export async function findWebhook(
  db: Db,
  environmentId: string,
  id: string,
  options: { lock?: boolean } = {},
): Promise<WebhookRow | undefined> {
  if (!isUuid(id)) return undefined;
  const found = live(db, environmentId).where("id", "=", id);
  return (options.lock ? found.forNoKeyUpdate() : found).executeTakeFirst();
}

export const insertWebhook = (db: Db, row: WebhookRow): Promise<WebhookRow> =>
  db.insertInto("webhooks").values(row).returningAll().executeTakeFirstOrThrow();

export type WebhookChanges = Partial<Omit<WebhookRow, "id" | "environment_id" | "created_at">>;

export const updateWebhook = (
  db: Db,
  environmentId: string,
  id: string,
  changes: WebhookChanges,
): Promise<WebhookRow> =>
  db
    .updateTable("webhooks")
    .set(changes)
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** A webhook as whoever reports an event has to know it. `isOff`: it is not told, but may ask for it later. */
export type WebhookTarget = { id: string; eventTypes: WebhookEventType[]; organizationId: string; isOff: boolean };

/**
 * The webhooks of environments that hear of events, remembered. What was read before `changedAt` counts for nothing; the times are
 * those of `performance.now()`.
 */
export type WebhookTargets = {
  changedAt: number;
  byEnvironment: LRUCache<string, { readAt: number; targets: WebhookTarget[] }>;
};

type TargetRow = {
  id: string;
  environment_id: string;
  organization_id: string;
  event_types: WebhookEventType[];
  active: boolean;
};

/** Those that are active, and those that the service has switched off since `offSince`. */
export async function findWebhookTargets(
  db: Db,
  environmentIds: string[],
  offSince: Date,
): Promise<Map<string, WebhookTarget[]>> {
  const { rows } = await sql<TargetRow>`
    select w.id, w.environment_id, w.event_types, w.active, e.organization_id
    from webhooks w join environments e on e.id = w.environment_id
    where w.environment_id = any(${environmentIds}::uuid[]) and (w.active or w.disabled_at > ${offSince})
      and w.deleted_at is null and e.deleted_at is null order by w.id`.execute(db);
  const found = Map.groupBy(rows, (row) => row.environment_id);
  return new Map(
    environmentIds.map((environmentId) => [
      environmentId,
      (found.get(environmentId) ?? []).map((row) => ({
        id: row.id,
        eventTypes: row.event_types,
        organizationId: row.organization_id,
        isOff: !row.active,
      })),
    ]),
  );
}

/** What came of the deliveries of a batch. `refusal`: the receiver asked not to be told any more. */
export type WebhookHealth = { id: string; is_well: boolean; refusal: string | null };

export type SwitchedOff = { id: string; disabled_reason: string };

/**
 * Notes successes and failures; switches off webhooks that asked for it, and those that have failed without a success
 * since `limit.since`. Answers the ones switched off.
 */
export async function recordHealth(
  db: Db,
  health: WebhookHealth[],
  limit: { since: Date; reason: string },
  now: Date,
): Promise<SwitchedOff[]> {
  const shape = { id: "uuid", is_well: "boolean", refusal: "text" };
  const { rows } = await sql<SwitchedOff & { is_off: boolean }>`
    update webhooks w set
      failing_since = case when v.is_well then null else coalesce(w.failing_since, ${now}::timestamptz) end,
      active = v.reason is null,
      disabled_at = case when v.reason is null then null else ${now}::timestamptz end,
      disabled_reason = v.reason
    from (
      select h.id, h.is_well, coalesce(h.refusal,
        case when not h.is_well and f.failing_since <= ${limit.since} then ${limit.reason}::text end) as reason
      from ${rowsOf("h", shape, health)} join webhooks f on f.id = h.id) as v
    where w.id = v.id and w.active and (v.reason is not null or v.is_well = (w.failing_since is not null))
    returning w.id, w.disabled_reason, v.reason is not null as is_off`.execute(db);
  return rows.flatMap(({ is_off, ...off }) => (is_off ? [off] : []));
}
