// Purges: rows past their retention, in all environments. Each call deletes a bounded number; housekeeping repeats it.
import { sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db } from "../db.ts";

/** Removes a bounded number of expired responses; the caller repeats while it returns the full number. */
export async function purgeExpiredAnswers(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (environment_id, key) in (
      select environment_id, key from idempotency_keys where created_at <= now() - interval '24 hours'
      order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Deletes budgets that have been unused since this time, at most `limit`; returns how many. */
export async function purgeBudgets(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from budgets where name in (select name from budgets where next_at < ${before} limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}

/**
 * Deletes up to `limit` subscribers, as many webhook events, event attachments, search values and calls by SQL of
 * environments deleted before this time; when none are left, the environments with all other rows. Returns whether
 * there may be more.
 */
export async function purgeDeletedEnvironments(db: Db, before: Date, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from subscribers where id in (
      select s.id from subscribers s join environments e on e.id = s.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: events = 0n } = await sql`
    delete from webhook_events where id in (
      select w.id from webhook_events w join environments e on e.id = w.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: files = 0n } = await sql`
    delete from event_attachments where (environment_id, id) in (
      select a.environment_id, a.id from event_attachments a join environments e on e.id = a.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: values = 0n } = await sql`
    delete from event_search_values where (environment_id, value, id) in (
      select v.environment_id, v.value, v.id from event_search_values v join environments e on e.id = v.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: calls = 0n } = await sql`
    delete from sql_outbox where (environment_id, id) in (
      select o.environment_id, o.id from sql_outbox o join environments e on e.id = o.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  if (numAffectedRows > 0n || events > 0n || files > 0n || values > 0n || calls > 0n) return true;
  await sql`update audit_log a set before = null, after = null, target_name = null from environments e
    where e.deleted_at < ${before} and a.environment_id = e.id and a.subscriber_id is not null`.execute(db);
  await sql`delete from environments where deleted_at < ${before}`.execute(db);
  return false;
}

/** Deletes groups whose last event is older than any look-back window. Returns how many. */
export async function purgePasses(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from digest_passes where ctid in (
      select p.ctid from digest_passes p join environments e on e.id = p.environment_id
      where p.passed_at < ${before} and e.test_clock is null limit ${limit} for update of p skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** Deletes windows that ended before this time. Returns how many. */
export async function purgeThrottles(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from throttle_windows where ctid in (
      select w.ctid from throttle_windows w join environments e on e.id = w.environment_id
      where w.until < ${before} and e.test_clock is null limit ${limit} for update of w skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** Deletes the ledgers of people without own limits who were sent nothing that counts since then. Returns how many. */
export async function purgeLedgers(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from attention_ledgers where ctid in (
      select l.ctid from attention_ledgers l join environments e on e.id = l.environment_id
      where l.updated_at < ${before} and l.limits is null and e.test_clock is null limit ${limit} for update of l skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** Deletes signals that are older. Returns how many. */
export async function purgeSignals(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from signals where ctid in (
      select s.ctid from signals s join environments e on e.id = s.environment_id
      where s.created_at < ${before} and e.test_clock is null limit ${limit} for update of s skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** Deletes the circuit breakers of hosts that were not called since. Returns how many. */
export async function purgeRequestHosts(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from request_hosts where ctid in (
      select h.ctid from request_hosts h where h.updated_at < ${before} limit ${limit} for update of h skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** By the time in their ids. Returns how many. */
export async function purgeAuditLog(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from audit_log where id in (
      select id from audit_log where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** The history of publishes, by the time in their ids. Returns how many. */
export async function purgePublishes(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from publishes where id in (
      select id from publishes where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Sessions, links and used states of members' sign-ins that have expired. Returns how many. */
export async function purgeExpiredSessions(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    with sessions as (
      delete from person_sessions where id in (
        select id from person_sessions where expires_at < ${now} limit ${limit}) returning 1),
    links as (
      delete from person_links where id in (
        select id from person_links where expires_at < ${now} limit ${limit}) returning 1),
    states as (
      delete from used_oidc_states where (organization_id, state_hash) in (
        select organization_id, state_hash from used_oidc_states where expires_at < ${now} limit ${limit}) returning 1)
    select 1 from sessions union all select 1 from links union all select 1 from states`.execute(db);
  return rows.length;
}

/** Tabs that have not said for long that they show a workflow. Returns how many. */
export async function purgeViewers(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from workflow_viewers where ctid in (
      select ctid from workflow_viewers where seen_at < ${before} limit ${limit} for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}

/** Imports with their pages: the oldest that were created before this time, at most `limit`. Returns how many. */
export async function purgeImports(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from imports where id in (
      select id from imports where created_at < ${before} order by created_at limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}

/** With their differences. Those that run were begun later. Returns how many. */
export async function purgeBacktests(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from backtests where (environment_id, id) in (
      select environment_id, id from backtests where created_at < ${before} order by created_at limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}

/** Returns how many were removed. */
export async function purgeReceipts(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from receipts where ctid in (
      select ctid from receipts where created_at < ${before} limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** By the time in their ids. At most `limit`; returns how many. */
export async function purgeInboundReceipts(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from inbound_receipts where id in (
      select id from inbound_receipts where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Deletes all but the newest `kept` of each environment, of all or of the refused ones, at most `limit` at once;
 * returns how many.
 */
export async function purgeInboundReceiptsBeyond(
  db: Db,
  { kept, isRefused }: { kept: number; isRefused: boolean },
  limit: number,
): Promise<number> {
  const which = isRefused ? sql`and result = 'refused'` : sql``;
  const { numAffectedRows = 0n } = await sql`
    with newest_to_delete as (
      select c.* from environments e cross join lateral (
        select environment_id, id from inbound_receipts where environment_id = e.id ${which}
        order by id desc offset ${kept} limit 1) c)
    delete from inbound_receipts where id in (
      select c.id from newest_to_delete n join inbound_receipts c on c.environment_id = n.environment_id and c.id <= n.id
      where true ${which} limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes all but the newest `kept` of each environment, at most `limit` at once; returns how many. */
export async function purgeCapturedBeyond(db: Db, kept: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with newest_to_delete as (
      select c.* from environments e cross join lateral (
        select environment_id, created_at, id from captured_messages where environment_id = e.id
        order by created_at desc, id desc offset ${kept} limit 1) c)
    delete from captured_messages where id in (
      select c.id from newest_to_delete n join captured_messages c on c.environment_id = n.environment_id
        and (c.created_at, c.id) <= (n.created_at, n.id)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes up to `limit` alerts that ended before this time, and as many messages; returns the larger number. */
export async function purgeAlerts(db: Db, before: Date, limit: number): Promise<number> {
  const alerts = await sql`
    delete from alerts where (environment_id, id) in (
      select environment_id, id from alerts where resolved_at < ${before} order by resolved_at limit ${limit})`.execute(
    db,
  );
  const messages = await sql`
    delete from alert_messages where (environment_id, id) in (
      select environment_id, id from alert_messages where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  );
  return Math.max(Number(alerts.numAffectedRows ?? 0), Number(messages.numAffectedRows ?? 0));
}

/**
 * Deletes up to `limit` events from before this time with their deliveries; when there are none left, the webhooks that
 * were deleted before this time. Returns whether there may be more events.
 */
export async function purgeWebhookEvents(db: Db, before: Date, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_events where id in (
      select id from webhook_events where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  if (numAffectedRows > 0n) return true;
  await sql`delete from webhooks where deleted_at < ${before}`.execute(db);
  return false;
}
