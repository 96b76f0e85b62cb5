// What webhooks are told: an event is stored once, with the exact text that is sent; each webhook that hears of it has a
// delivery of its own.
import type { WebhookDeliveryStatus } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { firstIdAt, isUuid } from "../../lib/ids.ts";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type WebhookEventRow = Selectable<Tables["webhook_events"]>;
/** `isOff`: the webhook is switched off, so that the delivery has failed and can be replayed. */
export type NewDelivery = { id: string; environment_id: string; webhook_id: string; event_id: string; isOff: boolean };

export const switchedOff = "Not sent: the webhook is switched off";

export async function insertWebhookEvents(db: Db, events: WebhookEventRow[], deliveries: NewDelivery[]): Promise<void> {
  const eventColumns = {
    id: "uuid",
    environment_id: "uuid",
    type: "text",
    body: "text",
    created_at: "timestamptz",
  };
  await insertRows(db, "webhook_events", eventColumns, events);
  const columns = {
    id: "uuid",
    environment_id: "uuid",
    webhook_id: "uuid",
    event_id: "uuid",
    status: "text",
    attempts: "integer",
    failures: "integer",
    response: "text",
  };
  const fresh = { status: "pending", attempts: 0, failures: 0 };
  const missed = { ...fresh, status: "failed", response: switchedOff };
  await insertRows(
    db,
    "webhook_deliveries",
    columns,
    deliveries.map((delivery) => ({ ...delivery, ...(delivery.isOff ? missed : fresh) })),
  );
}

/** A delivery that waits, with what it takes to make it. `active` is false when the webhook was switched off or deleted. */
export type DueDelivery = {
  id: string;
  environment_id: string;
  webhook_id: string;
  event_id: string;
  failures: number;
  body: string;
  url: string;
  active: boolean;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
};

export async function findDueDeliveries(db: Db, ids: string[]): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select d.id, d.environment_id, d.webhook_id, d.event_id, d.failures, e.body, w.url, w.active and w.deleted_at is null as active,
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

export type ListedDelivery = Selectable<Tables["webhook_deliveries"]> & Pick<WebhookEventRow, "type" | "created_at">;

/** Newest first; one row more than asked comes back. */
export async function listDeliveries(
  db: Db,
  environmentId: string,
  webhookId: string,
  status: WebhookDeliveryStatus | undefined,
  page: { offset: number; limit: number },
): Promise<{ rows: ListedDelivery[]; totalCount: number }> {
  const from = sql`from webhook_deliveries d
    where d.environment_id = ${environmentId} and d.webhook_id = ${webhookId}
      ${status === undefined ? sql`` : sql`and d.status = ${status}`}`;
  const { rows } = await sql<ListedDelivery>`
    select p.*, e.type, e.created_at from (
      select d.* ${from} order by d.id desc limit ${page.limit + 1} offset ${page.offset}) as p
    join webhook_events e on e.id = p.event_id order by p.id desc`.execute(db);
  return { rows, totalCount: await cappedCount(db, from) };
}

/** Those of the ids that are deliveries of this webhook. */
export async function findDeliveryIds(
  db: Db,
  environmentId: string,
  webhookId: string,
  ids: string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_deliveries where environment_id = ${environmentId} and webhook_id = ${webhookId}
      and id = any(${ids.filter(isUuid)}::uuid[])`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Makes finished deliveries wait again, up to `limit` of them, the oldest first. Answers their ids. */
export async function restartDeliveries(
  db: Db,
  environmentId: string,
  webhookId: string,
  target: { ids: string[] } | { failedSince: Date },
  limit: number,
): Promise<string[]> {
  const condition =
    "ids" in target
      ? sql`status <> 'pending' and id = any(${target.ids}::uuid[])`
      : sql`status = 'failed' and id >= ${firstIdAt(target.failedSince)}`;
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set status = 'pending', failures = 0, next_at = null
    where id in (select id from webhook_deliveries
      where environment_id = ${environmentId} and webhook_id = ${webhookId} and ${condition}
      order by id limit ${limit} for update)
    returning id`.execute(db);
  return rows.map((row) => row.id);
}

/** Whether deliveries have failed for good since then. */
export async function hasFailedSince(db: Db, environmentId: string, webhookId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from webhook_deliveries where environment_id = ${environmentId} and webhook_id = ${webhookId}
      and status = 'failed' and id >= ${firstIdAt(since)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Removes up to `limit` events from before this time with their deliveries; then webhooks deleted before it. */
export async function purgeWebhookEvents(db: Db, before: Date, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_events where id in (
      select id from webhook_events where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  if (numAffectedRows > 0n) return true;
  await sql`delete from webhooks where deleted_at < ${before}`.execute(db);
  return false;
}
