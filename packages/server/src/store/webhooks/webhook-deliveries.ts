// Webhook events and deliveries. An event is stored once, with the exact text that is sent; each subscribed webhook has
// its own delivery.
import type { WebhookDeliveryStatus } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { firstIdAt, isUuid } from "../../lib/ids.ts";
import { insertRows } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type WebhookEventRow = Selectable<Tables["webhook_events"]>;
/** `isOff`: the webhook is switched off; the delivery is stored as failed, so that it can be replayed. */
export type NewDelivery = { id: string; environment_id: string; webhook_id: string; event_id: string; isOff: boolean };

export const switchedOffText = "Not sent: the webhook is switched off";

export async function insertWebhookEvents(db: Db, events: WebhookEventRow[], deliveries: NewDelivery[]): Promise<void> {
  const eventColumns = {
    id: "uuid",
    environment_id: "uuid",
    type: "text",
    body: "text",
    trace_context: "text",
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
  const missed = { ...fresh, status: "failed", response: switchedOffText };
  await insertRows(
    db,
    "webhook_deliveries",
    columns,
    deliveries.map((delivery) => ({ ...delivery, ...(delivery.isOff ? missed : fresh) })),
  );
}

export type ListedDelivery = Selectable<Tables["webhook_deliveries"]> & Pick<WebhookEventRow, "type" | "created_at">;

/** Newest first. Reads one row more than asked, so that the caller knows whether there are more. */
export async function listDeliveries(
  db: Db,
  environmentId: string,
  {
    webhookId,
    status,
    page,
  }: { webhookId: string; status: WebhookDeliveryStatus | undefined; page: { offset: number; limit: number } },
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

export async function findDelivery(
  db: Db,
  environmentId: string,
  webhookId: string,
  id: string,
): Promise<(ListedDelivery & { body: string }) | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ListedDelivery & { body: string }>`
    select d.*, e.type, e.created_at, e.body from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where d.environment_id = ${environmentId} and d.webhook_id = ${webhookId} and d.id = ${id}`.execute(db);
  return rows[0];
}

/** A delivery that was sent outside the queue, with its result. */
export async function insertFinishedDelivery(
  db: Db,
  event: WebhookEventRow,
  delivery: Selectable<Tables["webhook_deliveries"]>,
): Promise<void> {
  await db.insertInto("webhook_events").values(event).execute();
  await db.insertInto("webhook_deliveries").values(delivery).execute();
}

/** The deliveries of this webhook among these ids. */
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

/** Sets up to `limit` finished deliveries back to pending, the oldest first. Returns their ids. */
export async function restartDeliveries(
  db: Db,
  environmentId: string,
  { webhookId, target, limit }: { webhookId: string; target: { ids: string[] } | { failedSince: Date }; limit: number },
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

/** Whether a delivery created since then has failed for good. */
export async function hasFailedSince(db: Db, environmentId: string, webhookId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from webhook_deliveries where environment_id = ${environmentId} and webhook_id = ${webhookId}
      and status = 'failed' and id >= ${firstIdAt(since)} limit 1`.execute(db);
  return rows.length > 0;
}
