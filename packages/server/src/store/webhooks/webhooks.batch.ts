// Webhooks as targets of events, and the deliveries of a batch.
import type { WebhookDeliveryStatus, WebhookEventType } from "@tidings/contract";
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { WebhookTarget } from "./webhooks.ts";

type TargetRow = {
  id: string;
  environment_id: string;
  organization_id: string;
  event_types: WebhookEventType[];
  active: boolean;
};

/** Active webhooks, and those that the service has switched off since `offSince`. */
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

/** The result of a batch of deliveries to one webhook. `refusal`: the receiver asked for no more deliveries (410). */
export type WebhookHealth = {
  id: string;
  is_well: boolean;
  refusal: string | null;
  /** Calls of the batch that failed, and the response to the last of them. */
  failed: number;
  error: string | null;
};

export type DisabledWebhook = { id: string; disabled_reason: string };

/**
 * Records successes and failures; switches off webhooks that refused deliveries, and those that have failed without a
 * success since `limit.since`. Returns the webhooks switched off.
 */
export async function recordWebhookHealth(
  db: Db,
  health: WebhookHealth[],
  limit: { since: Date; reason: string },
  now: Date,
): Promise<DisabledWebhook[]> {
  const shape = { id: "uuid", is_well: "boolean", refusal: "text", failed: "integer", error: "text" };
  const { rows } = await sql<DisabledWebhook & { is_off: boolean }>`
    update webhooks w set
      failing_since = case when v.is_well then null else coalesce(w.failing_since, ${now}::timestamptz) end,
      failures = case when v.is_well then 0 else w.failures + v.failed end,
      last_failure_at = case when v.is_well then w.last_failure_at else ${now}::timestamptz end,
      last_error = case when v.is_well then w.last_error else v.error end,
      active = v.reason is null,
      disabled_at = case when v.reason is null then null else ${now}::timestamptz end,
      disabled_reason = v.reason
    from (
      select h.id, h.is_well, h.failed, h.error, coalesce(h.refusal,
        case when not h.is_well and f.failing_since <= ${limit.since} then ${limit.reason}::text end) as reason
      from ${rowsOf("h", shape, health)} join webhooks f on f.id = h.id) as v
    where w.id = v.id and w.active and (v.reason is not null or not v.is_well or w.failing_since is not null)
    returning w.id, w.disabled_reason, v.reason is not null as is_off`.execute(db);
  return rows.flatMap(({ is_off, ...off }) => (is_off ? [off] : []));
}

/** A pending delivery with its event and webhook. `active` is false when the webhook was switched off or deleted. */
export type DueDelivery = {
  id: string;
  environment_id: string;
  webhook_id: string;
  event_id: string;
  failures: number;
  body: string;
  trace_context: string | null;
  url: string;
  active: boolean;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
};

export async function findDueDeliveries(db: Db, ids: string[]): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select d.id, d.environment_id, d.webhook_id, d.event_id, d.failures, e.body, e.trace_context, w.url, w.active and w.deleted_at is null as active,
      w.secret, w.previous_secret, w.previous_secret_until
    from webhook_deliveries d join webhook_events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
    where d.id = any(${ids}::uuid[]) and d.status = 'pending'`.execute(db);
  return rows;
}

export type DeliveryResult = {
  id: string;
  status: WebhookDeliveryStatus;
  /** 1 when the receiver was called. */
  tries: 0 | 1;
  next_at: Date | null;
  response_status: number | null;
  response: string | null;
};

export async function recordDeliveries(db: Db, results: DeliveryResult[], now: Date): Promise<void> {
  if (results.length === 0) return;
  const shape = {
    id: "uuid",
    status: "text",
    tries: "integer",
    next_at: "timestamptz",
    response_status: "smallint",
    response: "text",
  };
  await sql`
    update webhook_deliveries d set status = r.status, attempts = d.attempts + r.tries,
      failures = d.failures + case when r.status = 'delivered' then 0 else r.tries end, next_at = r.next_at,
      last_at = case when r.tries = 0 then d.last_at else ${now}::timestamptz end,
      response_status = r.response_status, response = r.response
    from ${rowsOf("r", shape, results)} where d.id = r.id`.execute(db);
}
