// Receipts (reports of providers on messages): finding their messages, dropping duplicates, and recording their
// effects.
import type { Channel } from "@tidings/contract";
import { sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { findIntegration, type IntegrationRow } from "../integrations/integrations.ts";
import type { StoredDetail } from "../tables.ts";
import { recipientsThrough } from "./messages.ts";
/** The integration that a receipt is for; undefined when its environment was deleted. */
export async function findReportedIntegration(
  db: Db,
  environmentId: string,
  integrationId: string,
): Promise<IntegrationRow | undefined> {
  return (await hasEnvironment(db, environmentId)) ? findIntegration(db, environmentId, integrationId) : undefined;
}

export async function hasEnvironment(db: Db, environmentId: string): Promise<boolean> {
  if (!isUuid(environmentId)) return false;
  const { rows } = await sql`select 1 from environments where id = ${environmentId} and deleted_at is null`.execute(db);
  return rows.length > 0;
}

export type ReportedMessage = {
  id: string;
  environment_id: string;
  job_id: string;
  notification_id: string;
  event_id: string;
  /** The internal id. */
  subscriber_id: string;
  channel: Channel;
  address: string | null;
  /** All addresses of an email with more than one recipient. */
  recipients: string[] | null;
  /** A call to its provider has not returned. */
  is_under_way: boolean;
  /** It waits for a retry after an attempt with an unknown outcome. */
  is_doubtful: boolean;
  /** All attempts failed. */
  has_failed: boolean;
  /** The provider's ids for its attempts with this integration. */
  external_ids: string[];
};

/**
 * Messages sent through the integration, by the provider's id or by our own. They are locked in order until the
 * transaction ends, so that two receipts for the same message are processed one after the other.
 */
export async function holdReportedMessages(
  db: Db,
  environmentId: string,
  integrationId: string,
  names: { externalIds: string[]; messageIds: string[] },
): Promise<ReportedMessage[]> {
  const { rows } = await sql<ReportedMessage>`
    with named as (
      select a.message_id, a.provider_message_id from attempts a
      where a.integration_id = ${integrationId} and a.environment_id = ${environmentId}
        and a.provider_message_id is not null and a.provider_message_id = any(${names.externalIds}::text[])
      union all
      select a.message_id, a.provider_message_id from attempts a
      where a.environment_id = ${environmentId} and a.message_id = any(${names.messageIds}::uuid[])
        and a.integration_id = ${integrationId})
    select m.id, m.environment_id, m.job_id, m.notification_id, m.event_id, m.subscriber_id, m.channel,
      m.address,
      coalesce(m.recipients, ${recipientsThrough(sql`select provider_id from integrations where id = ${integrationId}`)})
        as recipients,
      m.status = 'pending' and t.is_under_way as is_under_way,
      m.status = 'pending' and t.had_unknown and not t.is_under_way as is_doubtful, m.status = 'error' as has_failed,
      array(select distinct n.provider_message_id from named n
        where n.message_id = m.id and n.provider_message_id is not null) as external_ids
    from messages m cross join lateral (
      select coalesce(bool_or(a.outcome is null), false) as is_under_way,
        coalesce(bool_or(a.outcome = 'unknown'), false) as had_unknown
      from attempts a where a.environment_id = m.environment_id and a.message_id = m.id) as t
    where m.environment_id = ${environmentId} and m.id in (select message_id from named) order by m.id
    for no key update of m`.execute(db);
  return rows;
}

export type NewReceipt = {
  external_id: string;
  status: string;
  /** Null when the provider gives no time: then a repeated receipt is always a duplicate. */
  reported_at: Date | null;
  message_id: string;
  /** Empty for the message's own address. */
  recipient: string;
};

type Key = Pick<NewReceipt, "external_id" | "status" | "recipient">;
const keyOf = ({ external_id, status, recipient }: Key, at: string): string =>
  JSON.stringify([external_id, status, at, recipient]);
const timeOf = (at: Date | null): string => (at ? at.toISOString() : "-infinity");
export const receiptKey = (receipt: NewReceipt): string => keyOf(receipt, timeOf(receipt.reported_at));

/** Returns the keys of new receipts; the others are duplicates. */
export async function insertReceipts(
  db: Db,
  environmentId: string,
  { integrationId, receipts, now }: { integrationId: string; receipts: NewReceipt[]; now: Date },
): Promise<Set<string>> {
  if (receipts.length === 0) return new Set();
  const shape = {
    external_id: "text",
    status: "text",
    reported_at: "timestamptz",
    message_id: "uuid",
    recipient: "text",
  };
  const given = receipts.map((receipt) => ({ ...receipt, reported_at: timeOf(receipt.reported_at) }));
  const { rows } = await sql<Key & { at: Date | number }>`
    insert into receipts
      (integration_id, external_id, status, reported_at, recipient, message_id, environment_id, created_at)
    select ${integrationId}, external_id, status, reported_at, recipient, message_id, ${environmentId}, ${now}
    from ${rowsOf("r", shape, given)} order by external_id, status, reported_at, recipient
    on conflict do nothing returning external_id, status, recipient, reported_at as at`.execute(db);
  return new Set(rows.map((row) => keyOf(row, row.at instanceof Date ? row.at.toISOString() : "-infinity")));
}

export type ReportedChange = {
  message_id: string;
  notification_id: string;
  job_id: string;
  /** Added to the times of delivery. */
  delivered: string[];
  /** Turns the status `sent` into `error`, and no other status. */
  error_id: string | null;
  error_text: string | null;
  details: StoredDetail[];
};

/** Additional details of a job are dropped: an email may be opened any number of times. */
const maxDetails = 200;

/**
 * Updates messages before jobs: settling a delivery locks in the same order. Returns the messages that became failed; a
 * message that another integration sent meanwhile does not.
 */
export async function recordReports(
  db: Db,
  environmentId: string,
  { integrationId, changes, now }: { integrationId: string; changes: ReportedChange[]; now: Date },
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const shape = {
    message_id: "uuid",
    delivered: "timestamptz[]",
    error_id: "text",
    error_text: "text",
  };
  const failed = changes.filter((change) => change.error_id);
  const fail = sql<{ id: string }>`
    update messages m set status = 'error', error_id = r.error_id, error_text = r.error_text, updated_at = ${now}
    from ${rowsOf("r", shape, failed)}
    where m.environment_id = ${environmentId} and m.id = r.message_id and m.status = 'sent'
      and m.integration_id = ${integrationId} returning m.id`;
  const failedIds = failed.length > 0 ? (await fail.execute(db)).rows.map((row) => row.id) : [];
  const delivered = changes.filter((change) => change.delivered.length > 0);
  if (delivered.length > 0) {
    await sql`
      update messages m set updated_at = ${now},
        delivered_at = array(select distinct at from unnest(coalesce(m.delivered_at, '{}') || r.delivered) as at order by at)
      from ${rowsOf("r", shape, delivered)}
      where m.environment_id = ${environmentId} and m.id = r.message_id`.execute(db);
  }
  await addDetails(db, environmentId, changes, now);
  return new Set(failedIds);
}

async function addDetails(db: Db, environmentId: string, changes: ReportedChange[], now: Date): Promise<void> {
  // A job may have several messages, and a row is updated once per statement.
  const byJob = Map.groupBy(
    changes.filter((change) => change.details.length > 0),
    (change) => change.job_id,
  );
  const rows = [...byJob].map(([id, group]) => ({
    id,
    notification_id: group[0]!.notification_id,
    details: group.flatMap((change) => change.details),
  }));
  if (rows.length === 0) return;
  await sql`
    update jobs j set details = j.details || r.details, updated_at = ${now}
    from ${rowsOf("r", { id: "uuid", notification_id: "uuid", details: "jsonb" }, rows)}
    where j.environment_id = ${environmentId} and j.notification_id = r.notification_id and j.id = r.id
      and jsonb_array_length(j.details) < ${maxDetails}`.execute(db);
}
