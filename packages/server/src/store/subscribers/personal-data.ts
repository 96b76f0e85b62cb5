// Everything about one person, read page by page for an export.

import type { ChannelEndpointAddress } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import type { Sealed } from "../../lib/sealed.ts";
import type { Db } from "../db.ts";

export async function findEndpointsOf(
  db: Db,
  environmentId: string,
  subscriberId: string,
): Promise<{ endpoint: Sealed<ChannelEndpointAddress> }[]> {
  const { rows } = await sql<{ endpoint: Sealed<ChannelEndpointAddress> }>`
    select endpoint from channel_endpoints
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId}`.execute(db);
  return rows;
}

/** `id`: the internal one. `addresses`: normalized. */
export type ExportedPerson = { id: string; subscriberId: string; addresses: string[] };

/** `key`: the order of the rows, by which pages follow each other. */
type Source = {
  key: RawBuilder<unknown>;
  type: "uuid" | "text";
  data: RawBuilder<unknown>;
  from: (environmentId: string, person: ExportedPerson) => RawBuilder<unknown>;
  rowsPerPage: number;
};

const own = (environmentId: string, { id }: ExportedPerson): RawBuilder<boolean> =>
  sql`t.environment_id = ${environmentId} and t.subscriber_id = ${id}`;

const byKey = (environmentId: string, { subscriberId }: ExportedPerson): RawBuilder<boolean> =>
  sql`t.environment_id = ${environmentId} and t.subscriber_id = ${subscriberId}`;

const byId = { key: sql`t.id`, type: "uuid", rowsPerPage: 500 } as const;

/** The parts of an export, in the order of their files. */
const sources = {
  preferences: {
    key: sql`t.created_at::text || t.ctid::text`,
    type: "text",
    rowsPerPage: 500,
    data: sql`to_jsonb(t) || jsonb_build_object('workflow', w.workflow_id, 'category', c.category_id)`,
    from: (environmentId, person) => sql`subscriber_preferences t left join workflows w on w.id = t.workflow_id
      left join preference_categories c on c.id = t.workflow_id
      where ${own(environmentId, person)}`,
  },
  topics: {
    ...byId,
    data: sql`to_jsonb(t) || jsonb_build_object('topicKey', p.key, 'topicName', p.name)`,
    from: (environmentId, person) => sql`topic_subscriptions t join topics p on p.id = t.topic_id
      where ${own(environmentId, person)}`,
  },
  endpoints: {
    ...byId,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`channel_endpoints t where ${own(environmentId, person)}`,
  },
  connections: {
    ...byId,
    data: sql`to_jsonb(t) - 'auth'`,
    from: (environmentId, person) => sql`channel_connections t where ${own(environmentId, person)}`,
  },
  contexts: {
    key: sql`t.type || ':' || t.id`,
    type: "text",
    rowsPerPage: 500,
    data: sql`to_jsonb(t) - 'row_id'`,
    from: (environmentId, { id, subscriberId }) => sql`contexts t where t.environment_id = ${environmentId}
      and (t.id = ${subscriberId} or t.type || ':' || t.id in (select unnest(n.context_keys) from notifications n
        where n.environment_id = ${environmentId} and n.subscriber_id = ${id}))`,
  },
  events: {
    ...byId,
    rowsPerPage: 20,
    data: sql`to_jsonb(e) || jsonb_build_object('workflow', w.workflow_id, 'attachments', a.attachments)`,
    from: (environmentId, person) => sql`notifications t
      join events e on e.environment_id = t.environment_id and e.id = t.event_id
      left join workflows w on w.id = e.workflow_id
      left join event_attachments a on a.environment_id = e.environment_id and a.id = e.id
      where ${own(environmentId, person)}`,
  },
  runs: {
    ...byId,
    rowsPerPage: 200,
    data: sql`to_jsonb(t) || jsonb_build_object('workflow', w.workflow_id, 'steps', (
      select jsonb_agg(to_jsonb(j) - 'bridge' order by j.step_index) from jobs j
      where j.environment_id = t.environment_id and j.notification_id = t.id))`,
    from: (environmentId, person) => sql`notifications t left join workflows w on w.id = t.workflow_id
      where ${own(environmentId, person)}`,
  },
  messages: {
    ...byId,
    rowsPerPage: 20,
    data: sql`to_jsonb(t) || jsonb_build_object('workflow', w.workflow_id, 'attempts', (
      select jsonb_agg(to_jsonb(a) order by a.id) from attempts a
      where a.environment_id = t.environment_id and a.message_id = t.id))`,
    from: (environmentId, person) => sql`messages t left join workflows w on w.id = t.workflow_id
      where ${own(environmentId, person)}`,
  },
  attention: {
    key: sql`t.subscriber_id`,
    type: "uuid",
    rowsPerPage: 500,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`attention_ledgers t where ${own(environmentId, person)}`,
  },
  audiences: {
    key: sql`t.audience_id`,
    type: "uuid",
    rowsPerPage: 500,
    data: sql`jsonb_build_object('audienceId', a.audience_id, 'name', a.name)`,
    from: (environmentId, person) => sql`audience_members t
      join audiences a on a.environment_id = t.environment_id and a.id = t.audience_id
      where ${own(environmentId, person)}`,
  },
  activity: {
    key: sql`t.subscriber_id`,
    type: "uuid",
    rowsPerPage: 500,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`subscriber_activity t where ${own(environmentId, person)}`,
  },
  signals: {
    ...byId,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`signals t where ${own(environmentId, person)}`,
  },
  captured: {
    ...byId,
    rowsPerPage: 20,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`captured_messages t where ${byKey(environmentId, person)}`,
  },
  "dead-letters": {
    ...byId,
    data: sql`to_jsonb(t)`,
    from: (environmentId, person) => sql`dead_letters t where ${byKey(environmentId, person)}`,
  },
  receipts: {
    ...byId,
    data: sql`to_jsonb(t)`,
    from: (environmentId, { id }) => sql`inbound_receipts t where t.environment_id = ${environmentId}
      and exists (select 1 from messages m
        where m.environment_id = ${environmentId} and m.id = t.message_id and m.subscriber_id = ${id})`,
  },
  suppressions: {
    ...byId,
    data: sql`to_jsonb(t)`,
    from: (environmentId, { addresses }) => sql`suppressions t
      where t.environment_id = ${environmentId} and t.address = any(${addresses}::text[])`,
  },
  "audit-log": {
    ...byId,
    rowsPerPage: 200,
    // Who did it, and from where, is about a member.
    data: sql`to_jsonb(t) - '{actor,address,user_agent,user_id,api_key_id}'::text[]`,
    from: (environmentId, person) => sql`audit_log t where ${byKey(environmentId, person)}`,
  },
  "import-lines": {
    key: sql`t.import_id::text || lpad(t.number::text, 8, '0') || lpad(l.ordinality::text, 8, '0')`,
    type: "text",
    rowsPerPage: 500,
    data: sql`l.value || jsonb_build_object('import', t.import_id, 'columns', i.columns)`,
    from: (environmentId, { subscriberId }) => sql`import_pages t join imports i on i.id = t.import_id
      cross join lateral jsonb_array_elements(coalesce(t.rows, '[]') || t.errors) with ordinality l
      where t.environment_id = ${environmentId} and l.value->'cells' @> to_jsonb(array[${subscriberId}::text])`,
  },
} satisfies Record<string, Source>;

/** Parts that are found by the `subscriberId`; the others by an internal id, of which a person may have several. */
export const partsByKey: ReadonlySet<string> = new Set([
  "captured",
  "dead-letters",
  "suppressions",
  "audit-log",
  "import-lines",
]);

export type PersonalPart = keyof typeof sources;
export const personalParts = Object.keys(sources) as PersonalPart[];

export type PersonalRow = { row_key: string; data: JsonObject };

/** A page of one part behind `after`; the last one has fewer rows than a page. */
export async function readPersonalPage(
  db: Db,
  environmentId: string,
  person: ExportedPerson,
  { part, after }: { part: PersonalPart; after: string | null },
): Promise<{ rows: PersonalRow[]; hasMore: boolean }> {
  const { key, type, data, from, rowsPerPage }: Source = sources[part];
  const behind = after === null ? sql`` : sql`and ${key} > ${after}::${sql.raw(type)}`;
  const { rows } = await sql<PersonalRow>`
    select ${key} as row_key, ${data} as data from ${from(environmentId, person)} ${behind}
    order by ${key} limit ${rowsPerPage}`.execute(db);
  return { rows, hasMore: rows.length === rowsPerPage };
}

/** The bodies of webhook events are encrypted: the pages are those of the environment. */
export async function readWebhookBodies(
  db: Db,
  environmentId: string,
  after: string,
): Promise<{ id: string; type: string; body: string; created_at: Date }[]> {
  const { rows } = await sql<{ id: string; type: string; body: string; created_at: Date }>`
    select id, type, body, created_at from webhook_events
    where environment_id = ${environmentId} and id > ${after}::uuid order by id limit 200`.execute(db);
  return rows;
}
