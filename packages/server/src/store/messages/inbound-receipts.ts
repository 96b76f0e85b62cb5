// What providers reported, as members see it: one row for each report, and for each request that was refused. Which
// effects a report has does not depend on these rows.
import type { InboundChange, InboundReason, InboundResult } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type InboundReceiptRow = Selectable<Tables["inbound_receipts"]>;

const columns = {
  id: "uuid",
  environment_id: "uuid",
  integration_id: "uuid",
  result: "text",
  reason: "text",
  status: "text",
  changes: "text[]",
  message_id: "uuid",
  external_id: "text",
  recipient: "text",
  excerpt: "text",
};

/** Rows of one environment: those of one request. */
export const insertInboundReceipts = (db: Db, rows: InboundReceiptRow[]): Promise<void> =>
  insertRows(db, "inbound_receipts", columns, rows);

export type ResolvedReceipt = {
  id: string;
  environment_id: string;
  result: InboundResult;
  reason: InboundReason | null;
  changes: InboundChange[];
  message_id: string | null;
};

/** The results of reports that waited. */
export async function resolveInboundReceipts(db: Db, rows: ResolvedReceipt[]): Promise<void> {
  if (rows.length === 0) return;
  const shape = {
    id: "uuid",
    environment_id: "uuid",
    result: "text",
    reason: "text",
    changes: "text[]",
    message_id: "uuid",
  };
  await sql`
    update inbound_receipts i set result = r.result, reason = r.reason, changes = r.changes, message_id = r.message_id
    from ${rowsOf("r", shape, rows)} where i.environment_id = r.environment_id and i.id = r.id`.execute(db);
}

export type ListedInboundReceipt = InboundReceiptRow & {
  integration_identifier: string | null;
  provider_id: string | null;
  transaction_id: string | null;
};

/** Newest first. Reads one row more than asked, so that the caller knows whether there are more. */
export async function listInboundReceipts(
  db: Db,
  environmentId: string,
  filters: { integrationId?: string; result?: InboundResult },
  page: { offset: number; limit: number },
): Promise<{ rows: ListedInboundReceipt[]; totalCount: number }> {
  const { integrationId, result } = filters;
  const from = sql`from inbound_receipts r where r.environment_id = ${environmentId}
    ${integrationId === undefined ? sql`` : sql`and r.integration_id = ${integrationId}`}
    ${result === undefined ? sql`` : sql`and r.result = ${result}`}`;
  const { rows } = await sql<ListedInboundReceipt>`
    select p.*, i.identifier as integration_identifier, i.provider_id, e.transaction_id
    from (select r.* ${from} order by r.id desc limit ${page.limit + 1} offset ${page.offset}) as p
    left join integrations i on i.id = p.integration_id
    left join lateral (select event_id from messages where environment_id = p.environment_id and id = p.message_id offset 0) m
      on true
    left join lateral (select transaction_id from events where environment_id = p.environment_id and id = m.event_id offset 0) e
      on true
    order by p.id desc`.execute(db);
  return { rows, totalCount: await cappedCount(db, from) };
}
