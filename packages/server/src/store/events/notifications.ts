// Notifications: one per recipient of an event. Writing is set-based; listing joins event, workflow version and
// subscriber.
import type { NotificationOutcome } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Sealed } from "../../lib/sealed.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";
import type { PassedSubscription, Tables, WorkflowDefinition } from "../tables.ts";
import { eventIdsOfTransactions } from "./events.ts";
import { outcomeOf } from "./outcomes.ts";
export type NotificationRow = Selectable<Tables["notifications"]>;

export type ListedNotification = NotificationRow & {
  transaction_id: string;
  payload: JsonObject;
  overrides: Sealed<JsonObject> | null;
  definition: WorkflowDefinition;
  external_id: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  phone: string | null;
};

export type NotificationFilters = {
  channels?: string[];
  templates?: string[];
  emails?: string[];
  /** Found by a text search; only these are listed. */
  ids?: string[];
  subscriberIds?: string[];
  severity?: string[];
  transactionId?: string;
  outcome?: NotificationOutcome[];
  contextKeys?: string[];
  topicKey?: string;
  /** Internal id or identifier. */
  subscriptionId?: string;
  /** Both exclusive. */
  after: Date;
  before: Date;
};

const joined = sql`
  select n.*, e.transaction_id, e.payload, e.overrides, v.definition,
         s.subscriber_id as external_id, s.first_name, s.last_name, s.email, s.phone
  from notifications n
  join events e on e.environment_id = n.environment_id and e.id = n.event_id
  join workflow_versions v on v.id = n.workflow_version_id
  left join subscribers s on s.id = n.subscriber_id`;

/** Notifications whose outcome is computed for one list. */
const maxJudged = 20_000;

const containing = (member: Partial<PassedSubscription>): string => JSON.stringify([member]);

/** Newest first. Reads one row more than asked, so that the caller knows whether there are more. */
export async function listNotifications(
  db: Db,
  environmentId: string,
  filters: NotificationFilters,
  page: { offset: number; limit: number },
): Promise<ListedNotification[]> {
  const conditions = [
    sql`n.environment_id = ${environmentId}`,
    sql`n.created_at > ${filters.after}`,
    sql`n.created_at < ${filters.before}`,
  ];
  const { channels, templates, emails, ids, subscriberIds, severity, transactionId, contextKeys } = filters;
  const { topicKey, subscriptionId, outcome } = filters;
  if (channels?.length) conditions.push(sql`v.step_types && ${channels}::text[]`);
  if (templates?.length) {
    conditions.push(sql`n.workflow_id in (select id from workflows where environment_id = ${environmentId}
      and (workflow_id = any(${templates}) or id = any(${templates.filter(isUuid)}::uuid[])))`);
  }
  if (emails?.length) conditions.push(sql`s.email = any(${emails})`);
  if (subscriberIds?.length) {
    // Those of one subscriber are read in the order of the list, from an index that ends with the id, until the page is
    // full; those of several are all read and sorted.
    conditions.push(
      subscriberIds.length === 1
        ? sql`n.subscriber_id = (select id from subscribers
            where environment_id = ${environmentId} and subscriber_id = ${subscriberIds[0]})`
        : sql`n.subscriber_id in (select id from subscribers
            where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}))`,
    );
  }
  if (severity?.length) conditions.push(sql`n.severity = any(${severity})`);
  if (transactionId) {
    conditions.push(sql`n.event_id in (${eventIdsOfTransactions(environmentId, [transactionId])})`);
  }
  if (contextKeys) conditions.push(sql`n.context_keys = ${contextKeys}::text[]`);
  if (topicKey !== undefined) conditions.push(sql`n.subscriptions @> ${containing({ topicKey })}::jsonb`);
  if (subscriptionId !== undefined) {
    conditions.push(sql`(n.subscriptions @> ${containing({ identifier: subscriptionId })}::jsonb
      or n.subscriptions @> ${containing({ id: subscriptionId })}::jsonb)`);
  }
  if (outcome?.length) {
    conditions.push(sql`n.id in (select id from notifications where environment_id = ${environmentId}
      and created_at > ${filters.after} and created_at < ${filters.before} order by id desc limit ${maxJudged})`);
    conditions.push(sql`${outcomeOf} = any(${outcome}::text[])`);
  }
  if (ids) conditions.push(sql`n.id = any(${ids}::uuid[])`);
  const { rows } = await sql<ListedNotification>`
    ${joined} where ${sql.join(conditions, sql` and `)}
    order by n.id desc limit ${page.limit + 1} offset ${page.offset}`.execute(db);
  return rows;
}

export async function findNotification(
  db: Db,
  environmentId: string,
  id: string,
): Promise<ListedNotification | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ListedNotification>`
    ${joined} where n.environment_id = ${environmentId} and n.id = ${id}`.execute(db);
  return rows[0];
}

/** The notification of an event for one subscriber, by internal ids. */
export async function findNotificationFor(
  db: Db,
  environmentId: string,
  eventId: string,
  subscriberRowIds: string[],
): Promise<ListedNotification | undefined> {
  const { rows } = await sql<ListedNotification>`
    ${joined} where n.environment_id = ${environmentId} and n.event_id = ${eventId}
      and n.subscriber_id = any(${subscriberRowIds}::uuid[]) order by n.id limit 1`.execute(db);
  return rows[0];
}

/** Counting stops at `limit`. */
export async function countNotificationsOf(
  db: Db,
  environmentId: string,
  eventId: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from notifications where environment_id = ${environmentId} and event_id = ${eventId} limit ${limit}
    ) as counted`.execute(db);
  return rows[0]!.count;
}

/** By notification id. */
export async function findTransactionIds(
  db: Db,
  environmentId: string,
  notificationIds: string[],
): Promise<Map<string, string>> {
  if (notificationIds.length === 0) return new Map();
  const keys = notificationIds.map((id) => ({ environment_id: environmentId, id }));
  const { rows } = await sql<{ id: string; transaction_id: string }>`
    select n.id, e.transaction_id from ${rowsByKey("notifications", "n", "id", keys)}
    join events e on e.environment_id = n.environment_id and e.id = n.event_id`.execute(db);
  return new Map(rows.map((row) => [row.id, row.transaction_id]));
}

/** One run of an event, or the one with this notification; undefined while no recipient has been notified. */
export async function findFirstRun(
  db: Db,
  environmentId: string,
  { eventId, notificationId }: { eventId: string; notificationId: string | null },
): Promise<{ id: string; subscriber_id: string } | undefined> {
  const isOwn = notificationId === null ? sql`event_id = ${eventId}` : sql`id = ${notificationId}`;
  const { rows } = await sql<{ id: string; subscriber_id: string }>`
    select id, subscriber_id from notifications where environment_id = ${environmentId} and ${isOwn} limit 1`.execute(
    db,
  );
  return rows[0];
}
