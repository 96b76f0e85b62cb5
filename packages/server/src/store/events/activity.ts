// The list of events, newest first. Each reading examines a bounded number of events and says where it ended, so that a
// filter that matches little costs several short readings and never a long one. The order is that of the key, which is
// its only index.

import type { StepType } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";
import type { StartedBy } from "../tables.ts";
import { isTestVersion } from "../workflows/versions.ts";
import { eventIdsOfTransactions } from "./events.ts";

export type ActivityRow = {
  id: string;
  transaction_id: string;
  workflow_id: string;
  workflow_identifier: string;
  workflow_name: string;
  is_test: boolean;
  started_by: StartedBy | null;
  step_types: StepType[];
  payload: string;
  /** The first search key of the workflow, and what the payload has there. */
  search_key: string | null;
  search_value: string | null;
  named: number;
  has_audience: boolean;
  created_at: Date;
  expanded_at: Date | null;
  canceled_at: Date | null;
  refusal: "workflow_inactive" | null;
  /** The first subscriber that a refused event names. */
  refused_for: string | null;
};

export type ActivityFilters = {
  workflowIds?: string[];
  channels?: string[];
  /** Only these events. */
  eventIds?: string[];
  transactionId?: string;
  /** Part of the payload or of the transaction id; `orEventIds`: found by a recipient. */
  text?: { part: string; orEventIds: string[] };
  /** `only`: events with this search value; `without`: the others. */
  searchValue?: { only: string } | { without: string };
  /** Both exclusive. */
  after: Date | null;
  before: Date | null;
};

/** Characters of a payload that are shown. */
const excerptLength = 300;
/** Characters of the value of a search key that are shown. */
const labelLength = 128;

const shown = sql`e.id, e.transaction_id, e.workflow_id, v.definition->>'workflowId' as workflow_identifier,
  v.definition->>'name' as workflow_name, ${isTestVersion} as is_test, e.started_by, v.step_types, left(e.payload::text, ${sql.lit(excerptLength)}) as payload,
  v.definition->'searchKeys'->>0 as search_key,
  case when jsonb_typeof(e.payload #> string_to_array(v.definition->'searchKeys'->>0, '.')) in ('string', 'number')
    then left(e.payload #>> string_to_array(v.definition->'searchKeys'->>0, '.'), ${sql.lit(labelLength)}) end as search_value,
  jsonb_array_length(e.recipients) as named, e.audience is not null as has_audience,
  e.created_at, e.expanded_at, e.canceled_at, e.refusal,
  case when e.refusal is not null then e.recipients -> 0 ->> 'subscriberId' end as refused_for`;

export type ActivityScan = { rows: ActivityRow[]; firstId: string | null; lastId: string | null; scanned: number };

/**
 * The events with ids below `below` that match, among the next `scan` of the environment. `firstId` and `lastId` are
 * the first and the last one examined; null when there was none left.
 */
export async function scanEvents(
  db: Db,
  environmentId: string,
  filters: ActivityFilters,
  { below, from, scan, limit }: { below: string; from: string; scan: number; limit: number },
): Promise<ActivityScan> {
  const { rows } = await sql<ActivityRow & { first_id: string; last_id: string; scanned: number }>`
    with scanned as materialized (
      select e.id from ${sourceOf(environmentId, filters)}
      where e.environment_id = ${environmentId} and e.id < ${below} and e.id >= ${from}
      order by e.id desc limit ${scan}),
    found as (
      select ${shown} from (select id from scanned order by id desc) as s
      join events e on e.environment_id = ${environmentId} and e.id = s.id
      join workflow_versions v on v.id = e.workflow_version_id
      where ${matches(environmentId, filters)} order by e.id desc limit ${limit})
    select ends.first_id, ends.last_id, ends.scanned, found.*
    from (select max(id::text)::uuid as first_id, min(id::text)::uuid as last_id, count(*) as scanned from scanned) as ends
    left join found on true order by found.id desc`.execute(db);
  const { first_id: firstId = null, last_id: lastId = null, scanned = 0 } = rows[0] ?? {};
  return { rows: rows.filter((row) => row.id !== null), firstId, lastId, scanned };
}

/** Events that are named by id or by a search value are looked up by key, so that only those count as examined. */
function sourceOf(environmentId: string, filters: ActivityFilters): RawBuilder<unknown> {
  const { eventIds, transactionId, searchValue } = filters;
  if (searchValue && "only" in searchValue) {
    return sql`(select environment_id, id from event_search_values
      where environment_id = ${environmentId} and value = ${searchValue.only}) as e`;
  }
  const byTransaction = transactionId
    ? sql`(select * from events t where t.environment_id = ${environmentId}
        and t.id in (${eventIdsOfTransactions(environmentId, [transactionId])}))`
    : null;
  if (!eventIds) return byTransaction ? sql`${byTransaction} as e` : sql`events e`;
  const keys = eventIds.map((id) => ({ environment_id: environmentId, id }));
  const source = rowsByKey("events", "e", "id", keys);
  return byTransaction ? sql`${source} join ${byTransaction} as same on same.id = e.id` : source;
}

function matches(environmentId: string, filters: ActivityFilters): RawBuilder<unknown> {
  const { workflowIds, channels, text, searchValue, eventIds, transactionId, after, before } = filters;
  const conditions = [sql`true`];
  if (workflowIds?.length) {
    conditions.push(sql`e.workflow_id in (select id from workflows where environment_id = ${environmentId}
      and (workflow_id = any(${workflowIds}) or id = any(${workflowIds.filter(isUuid)}::uuid[])))`);
  }
  if (channels?.length) conditions.push(sql`v.step_types && ${channels}::text[]`);
  if (after) conditions.push(sql`e.created_at > ${after}`);
  if (before) conditions.push(sql`e.created_at < ${before}`);
  if (text) {
    const part = text.part.toLowerCase();
    conditions.push(sql`(position(${part} in lower(e.transaction_id)) > 0 or position(${part} in lower(e.payload::text)) > 0
      or e.id = any(${text.orEventIds}::uuid[]))`);
  }
  if (searchValue && "only" in searchValue) {
    if (eventIds) conditions.push(sql`e.id = any(${eventIds}::uuid[])`);
    if (transactionId) conditions.push(sql`e.transaction_id = ${transactionId}`);
  }
  if (searchValue && "without" in searchValue) {
    // One look at the key for each event that matches the rest: a value may have as many events as the environment.
    conditions.push(sql`(select 1 from event_search_values k where k.environment_id = ${environmentId}
      and k.value = ${searchValue.without} and k.id = e.id) is null`);
  }
  return sql.join(conditions, sql` and `);
}

/** Whether any event was stored with this search value. */
export async function hasSearchValue(db: Db, environmentId: string, value: string | undefined): Promise<boolean> {
  if (value === undefined) return false;
  const { rows } = await sql`
    select 1 from event_search_values where environment_id = ${environmentId} and value = ${value} limit 1`.execute(db);
  return rows.length > 0;
}

/** The newest events of these subscribers, `perSubscriber` of each. */
export async function findEventIdsOfSubscribers(
  db: Db,
  environmentId: string,
  subscriberIds: string[],
  perSubscriber: number,
): Promise<string[]> {
  if (subscriberIds.length === 0) return [];
  const { rows } = await sql<{ event_id: string }>`
    select distinct n.event_id from unnest(${subscriberIds}::uuid[]) as p(id) cross join lateral (
      select f.event_id from notifications f where f.subscriber_id = p.id and f.environment_id = ${environmentId}
      order by f.id desc limit ${perSubscriber}) as n`.execute(db);
  return rows.map((row) => row.event_id);
}

/** Internal ids, by subscriber id and by address, at most `limit`. */
export async function findSubscribersOf(
  db: Db,
  environmentId: string,
  { subscriberIds = [], emails = [] }: { subscriberIds?: string[]; emails?: string[] },
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    (select id from subscribers where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}) limit ${limit})
    union
    (select id from subscribers where environment_id = ${environmentId}
      and lower(email) = any(${emails.map((email) => email.toLowerCase())}) limit ${limit})`.execute(db);
  return rows.map((row) => row.id);
}
