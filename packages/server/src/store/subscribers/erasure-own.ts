// The rows of a person that an erasure finds by an index: messages and notifications stay as shells without content, so
// that statistics and the outcomes of events stay right. Also what only this person has: windows of digests and
// throttles, suppressions.
import { type RawBuilder, sql } from "kysely";
import type { SearchPatterns } from "../../lib/personal/personal-texts.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { schema } from "../queue/boss.ts";

/** `shell`: the internal id that the rows get instead of the subscriber's. */
export type OwnRows = { ids: string[]; shell: string; after: string | null; limit: number };

/** `last`: null when there are no more. `counts`: by table, of rows that were not shells before. */
export type OwnPage = { last: string | null; ids: string[]; counts: Record<string, number> };

const affected = async (
  statement: { execute(db: Db): Promise<{ numAffectedRows?: bigint }> },
  db: Db,
): Promise<number> => Number((await statement.execute(db)).numAffectedRows ?? 0n);

/** The next rows of the person and of the shell, in order of their ids. */
async function lockOwnPage(
  db: Db,
  environmentId: string,
  table: "messages" | "notifications",
  { ids, shell, after, limit }: OwnRows,
): Promise<OwnPage> {
  const { rows } = await sql<{ id: string; is_shell: boolean }>`
    select id, subscriber_id = ${shell} as is_shell from ${sql.table(table)}
    where environment_id = ${environmentId} and subscriber_id = any(${[...ids, shell]}::uuid[])
      ${after === null ? sql`` : sql`and id > ${after}`}
    order by id limit ${limit} for no key update`.execute(db);
  const count = rows.filter((row) => !row.is_shell).length;
  return {
    last: rows.length < limit ? null : rows.at(-1)!.id,
    counts: { [table]: count },
    ids: rows.map((row) => row.id),
  };
}

/** Messages lose their content and their addresses; captured copies and reports that wait for them are deleted. */
export async function emptyOwnMessages(db: Db, environmentId: string, own: OwnRows): Promise<OwnPage> {
  const page = await lockOwnPage(db, environmentId, "messages", own);
  if (page.ids.length === 0) return page;
  const isOwn = (column: string): RawBuilder<boolean> =>
    sql`environment_id = ${environmentId} and ${sql.ref(column)} = any(${page.ids}::uuid[])`;
  const counts = {
    ...page.counts,
    captured_messages: await affected(sql`delete from captured_messages where ${isOwn("message_id")}`, db),
    early_receipts: await affected(
      sql`delete from early_receipts where environment_id = ${environmentId} and name in (
        select unnest(${page.ids}::text[]) union all
        select provider_message_id from attempts where ${isOwn("message_id")} and provider_message_id is not null)`,
      db,
    ),
    attempts: await affected(
      sql`update attempts set reason = null, provider_message_id = null
        where ${isOwn("message_id")} and (reason is not null or provider_message_id is not null)`,
      db,
    ),
  };
  await sql`
    update messages set subscriber_id = ${own.shell}, subject = null, content = null, cta = null, data = null,
      actor = null, address = null, recipients = null, outgoing = null, provider_message_id = null,
      error_text = case when error_text is not null then 'The subscriber was erased' end, context_keys = '{}'
    where ${isOwn("id")}`.execute(db);
  return { ...page, counts };
}

/** An execution detail without its particulars. */
const plainDetails = (column: string): RawBuilder<unknown> => sql`(
  select coalesce(jsonb_agg(d.value - 'r' order by d.ordinality), '[]')
  from jsonb_array_elements(${sql.ref(column)}) with ordinality d)`;

const plainFinishedJobs = sql`(
  select json_agg(case when jsonb_typeof(j.value) <> 'array' then j.value else (
    select jsonb_agg(case when jsonb_typeof(p.value) = 'object' then p.value - 'r' else p.value end order by p.ordinality)
    from jsonb_array_elements(j.value) with ordinality p) end order by j.ordinality)
  from jsonb_array_elements(finished_jobs::jsonb) with ordinality j)`;

/** Notifications and their jobs keep what happened, and lose the particulars. */
export async function emptyOwnNotifications(db: Db, environmentId: string, own: OwnRows): Promise<OwnPage> {
  const page = await lockOwnPage(db, environmentId, "notifications", own);
  if (page.ids.length === 0) return page;
  const isOpen = sql`(output is not null or digest is not null or bridge is not null
    or jsonb_path_exists(details, '$[*].r'))`;
  const jobs = await affected(
    sql`update jobs set details = ${plainDetails("details")}, output = null, digest = null, bridge = null
      where environment_id = ${environmentId} and notification_id = any(${page.ids}::uuid[]) and ${isOpen}`,
    db,
  );
  const exposures = await affected(
    sql`update exposures set subscriber_id = ${own.shell}
      where environment_id = ${environmentId} and notification_id = any(${page.ids}::uuid[])
        and subscriber_id <> ${own.shell}`,
    db,
  );
  await sql`
    update notifications set subscriber_id = ${own.shell}, subscriptions = null, context_keys = '{}',
      finished_jobs = case when finished_jobs is not null then ${plainFinishedJobs} end,
      later_details = case when later_details is not null then ${plainDetails("later_details")} end
    where environment_id = ${environmentId} and id = any(${page.ids}::uuid[])`.execute(db);
  return { ...page, counts: { ...page.counts, jobs, exposures } };
}

/** Whether a provider may still be called for a message of the person: its result would be written later. */
export async function hasCallsInFlight(db: Db, environmentId: string, shell: string, since: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages m join attempts a on a.environment_id = m.environment_id and a.message_id = m.id
    where m.environment_id = ${environmentId} and m.subscriber_id = ${shell} and a.environment_id = ${environmentId}
      and a.id > ${since} and a.finished_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Groups of digests and throttles, the ledger of attention budgets, waits and signals, and what remembers a deleted
 * subscriber of the same id.
 */
const ownTables = {
  digest_windows: "subscriber_id",
  digest_passes: "subscriber_id",
  throttle_windows: "subscriber_id",
  attention_ledgers: "subscriber_id",
  run_waits: "subscriber_id",
  signals: "subscriber_id",
  supersede_keys: "subscriber_id",
  deleted_subscribers: "id",
} as const;

export type OwnTable = keyof typeof ownTables;

/** A person has few of these, and the tables are short-lived: one statement each. */
export async function deleteOwnRows(db: Db, environmentId: string, table: OwnTable, ids: string[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where environment_id = ${environmentId}
      and ${sql.ref(ownTables[table])} = any(${ids}::uuid[])`.execute(db);
  return Number(numAffectedRows);
}

/** The errors of tasks that failed; the data of tasks is ids only. */
export async function clearTaskErrors(
  db: Db,
  environmentId: string,
  { anyCase, exact }: SearchPatterns,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(`${schema}.job_common`)} set output = null
    where singleton_key = ${environmentId} and output is not null
      and (output::text ~* ${anyCase} or output::text ~ ${exact})`.execute(db);
  return Number(numAffectedRows);
}

export type Identifiers = { emails: string[]; phones: string[]; avatars: string[]; names: string[]; ids: string[] };

/** Which of these another subscriber of the environment has too, in lower case. */
export async function findSharedIdentifiers(
  db: Db,
  environmentId: string,
  { emails, phones, avatars, names, ids }: Identifiers,
): Promise<Set<string>> {
  const lower = (texts: string[]) => texts.map((text) => text.toLowerCase());
  const { rows } = await sql<{ found: string }>`
    select lower(email) as found from subscribers
    where environment_id = ${environmentId} and lower(email) = any(${lower(emails)}::text[]) and id <> all(${ids}::uuid[])
    union select phone from subscribers
    where environment_id = ${environmentId} and phone = any(${phones}::text[]) and id <> all(${ids}::uuid[])
    union select avatar from subscribers
    where environment_id = ${environmentId} and avatar = any(${avatars}::text[]) and id <> all(${ids}::uuid[])
    union select n.name from subscribers s cross join unnest(${lower(names)}::text[]) as n(name)
    where s.environment_id = ${environmentId} and s.id <> all(${ids}::uuid[]) and n.name in (
      lower(trim(s.first_name)), lower(trim(s.last_name)), lower(concat_ws(' ', trim(s.first_name), trim(s.last_name))))
  `.execute(db);
  return new Set(rows.map((row) => row.found.toLowerCase()));
}

/** Which of these events reached somebody else too. */
export async function findSharedEvents(
  db: Db,
  environmentId: string,
  eventIds: string[],
  ids: string[],
): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const { rows } = await sql<{ event_id: string }>`
    select k.id as event_id from unnest(${eventIds}::uuid[]) as k(id)
    where exists (select 1 from notifications n where n.event_id = k.id and n.environment_id = ${environmentId}
      and n.subscriber_id <> all(${ids}::uuid[]))`.execute(db);
  return new Set(rows.map((row) => row.event_id));
}

type EventParts = {
  emptied: string[];
  values: { id: string; value: string }[];
  renamed: { old: string; next: string }[];
};

/** What is stored next to an event. `values`: search values that its payload no longer has. */
export async function changeEventParts(
  db: Db,
  environmentId: string,
  { emptied, values, renamed }: EventParts,
): Promise<Record<string, number>> {
  const isEmptied = sql`environment_id = ${environmentId} and id = any(${emptied}::uuid[])`;
  const statement = sql`delete from event_search_values v
      using unnest(${values.map(({ id }) => id)}::uuid[], ${values.map(({ value }) => value)}::text[]) as r(id, value)
      where v.environment_id = ${environmentId} and v.value = r.value and v.id = r.id`;
  const rename = sql`update transaction_ids t set transaction_id = r.next
    from ${rowsOf("r", { old: "text", next: "text" }, renamed)}
    where t.environment_id = ${environmentId} and t.transaction_id = r.old`;
  return {
    transaction_ids: renamed.length > 0 ? await affected(rename, db) : 0,
    event_attachments:
      emptied.length > 0 ? await affected(sql`delete from event_attachments where ${isEmptied}`, db) : 0,
    event_search_values: values.length > 0 ? await affected(statement, db) : 0,
  };
}

/** What goes with the profile, by table. */
export async function countProfileRows(db: Db, environmentId: string, id: string): Promise<Record<string, number>> {
  const tables = [
    "topic_subscriptions",
    "subscriber_preferences",
    "channel_endpoints",
    "channel_connections",
    "audience_members",
    "subscriber_activity",
  ];
  const counts = tables.map((table) => {
    const rows = sql`${sql.table(table)} where environment_id = ${environmentId} and subscriber_id = ${id}`;
    return sql`select ${sql.lit(table)} as name, count(*)::int as count from ${rows}`;
  });
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** The payload schemas of these workflows, by internal id. */
export async function findPayloadSchemas(
  db: Db,
  environmentId: string,
  workflowIds: string[],
): Promise<Map<string, object>> {
  if (workflowIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; payload_schema: object }>`
    select id, payload_schema from workflows
    where environment_id = ${environmentId} and id = any(${workflowIds}::uuid[]) and payload_schema is not null`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row.payload_schema]));
}
