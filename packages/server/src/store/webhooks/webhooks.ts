// Webhooks: the URLs of callers and the event types sent to each. Secrets are encrypted by the caller of these
// functions.
import type { WebhookEventType } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import type { LRUCache } from "lru-cache";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
export type WebhookRow = Selectable<Tables["webhooks"]>;

const live = (db: Db, environmentId: string) =>
  db.selectFrom("webhooks").where("environment_id", "=", environmentId).where("deleted_at", "is", null).selectAll();

export const listWebhooks = (db: Db, environmentId: string): Promise<WebhookRow[]> =>
  live(db, environmentId).orderBy("id").execute();

/** The deliveries of a webhook: the newest that arrived, and how many wait, counted up to `limit`. */
export type DeliveryFigures = { id: string; last_success_at: Date | null; pending: number };

export async function countDeliveries(
  db: Db,
  environmentId: string,
  webhookIds: string[],
  limit: number,
): Promise<DeliveryFigures[]> {
  if (webhookIds.length === 0) return [];
  const { rows } = await sql<DeliveryFigures>`
    select w.id, (
        select d.last_at from webhook_deliveries d where d.webhook_id = w.id and d.status = 'delivered'
        order by d.id desc limit 1) as last_success_at,
      (select count(*)::int from (
        select 1 from webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending' limit ${limit}) p) as pending
    from webhooks w where w.environment_id = ${environmentId} and w.id = any(${webhookIds}::uuid[])`.execute(db);
  return rows;
}

export type FailingWebhook = Pick<WebhookRow, "id" | "url" | "failures" | "failing_since" | "last_error">;

/** Webhooks that are on and have failed at least so often in a row, the longest first. */
export async function listFailingWebhooks(
  db: Db,
  environmentId: string,
  { failures, limit }: { failures: number; limit: number },
): Promise<FailingWebhook[]> {
  const { rows } = await sql<FailingWebhook>`
    select id, url, failures, failing_since, last_error from webhooks
    where environment_id = ${environmentId} and deleted_at is null and active and failures >= ${failures}
    order by failing_since, id limit ${limit}`.execute(db);
  return rows;
}

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

/** A webhook as a target of events. `isOff`: switched off; its deliveries are stored as failed and can be replayed. */
export type WebhookTarget = { id: string; eventTypes: WebhookEventType[]; organizationId: string; isOff: boolean };

/**
 * Cache of the webhooks of each environment. Entries read before `changedAt` are invalid; times are those of
 * `performance.now()`.
 */
export type WebhookTargets = {
  changedAt: number;
  byEnvironment: LRUCache<string, { readAt: number; targets: WebhookTarget[] }>;
};
