// Webhooks: the URLs of callers and the event types sent to each. Secrets are encrypted by the caller of these functions.
import type { WebhookEventType } from "@tidings/contract";
import type { Selectable } from "kysely";
import type { LRUCache } from "lru-cache";
import { isUuid } from "../../lib/ids.ts";
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
