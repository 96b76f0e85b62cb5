// Dead letters: messages that failed for a reason other than their recipient or content. The message keeps its outgoing
// content, so that it can be replayed.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, jobKeyColumns, jobsByKey } from "../keys.ts";
import { cappedCount } from "../paging.ts";
import type { StoredDetail, Tables } from "../tables.ts";
export type DeadLetterRow = Selectable<Tables["dead_letters"]>;

export type DeadLetterFilters = {
  status?: DeadLetterRow["status"];
  channel?: string;
  providerId?: string;
  transactionId?: string;
  workflowId?: string;
  integrationIdentifier?: string;
  errorClass?: string;
  after?: Date;
  before?: Date;
};

/** A letter with the present identifiers of its workflow and integration. */
export type ListedDeadLetter = DeadLetterRow & { workflow_identifier: string | null; integration_identifier: string };

/** On the alias `f`. */
export function letterConditions(environmentId: string, filters: DeadLetterFilters): RawBuilder<unknown>[] {
  const conditions = [sql`f.environment_id = ${environmentId}`];
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(sql`f.${sql.ref(column)} = ${value}`);
  };
  equal("status", filters.status);
  equal("channel", filters.channel);
  equal("provider_id", filters.providerId);
  equal("transaction_id", filters.transactionId);
  equal("error_class", filters.errorClass);
  if (filters.workflowId !== undefined) {
    conditions.push(sql`f.workflow_id in (select id from workflows where environment_id = ${environmentId}
      and (workflow_id = ${filters.workflowId} or id::text = ${filters.workflowId}))`);
  }
  if (filters.integrationIdentifier !== undefined) {
    conditions.push(sql`f.integration_id in (select id from integrations
      where environment_id = ${environmentId} and identifier = ${filters.integrationIdentifier})`);
  }
  if (filters.after) conditions.push(sql`f.created_at > ${filters.after}`);
  if (filters.before) conditions.push(sql`f.created_at < ${filters.before}`);
  return conditions;
}

const named = sql`
  select f.*, w.workflow_id as workflow_identifier, i.identifier as integration_identifier
  from page f left join workflows w on w.id = f.workflow_id join integrations i on i.id = f.integration_id
  order by f.id desc`;

/** Newest first. Reads one row more than asked, so that the caller knows whether there are more. */
export async function listDeadLetters(
  db: Db,
  environmentId: string,
  filters: DeadLetterFilters,
  page: { offset: number; limit: number },
): Promise<{ rows: ListedDeadLetter[]; totalCount: number }> {
  const from = sql`from dead_letters f where ${sql.join(letterConditions(environmentId, filters), sql` and `)}`;
  const { rows } = await sql<ListedDeadLetter>`
    with page as (select f.* ${from} order by f.id desc limit ${page.limit + 1} offset ${page.offset}) ${named}`.execute(
    db,
  );
  return { rows, totalCount: await cappedCount(db, from) };
}

/** Newest first, older than `before`: for exports, which continue where a page ended. */
export async function listLettersBefore(
  db: Db,
  environmentId: string,
  filters: DeadLetterFilters,
  { before, limit }: { before: string | null; limit: number },
): Promise<ListedDeadLetter[]> {
  const conditions = letterConditions(environmentId, filters);
  if (before !== null) conditions.push(sql`f.id < ${before}`);
  const { rows } = await sql<ListedDeadLetter>`
    with page as (
      select f.* from dead_letters f where ${sql.join(conditions, sql` and `)} order by f.id desc limit ${limit})
    ${named}`.execute(db);
  return rows;
}

export type DeadLetterGroupRow = Pick<
  DeadLetterRow,
  "integration_id" | "error_class" | "channel" | "provider_id" | "error_text"
> & {
  count: number;
  first_at: Date;
  last_at: Date;
  workflows: { workflowId: string; name: string; stepIds: string[]; count: number }[];
  workflow_count: number;
  integration_identifier: string;
  integration_name: string;
  is_active: boolean;
  is_open: boolean;
};

/** The newest `most` open letters by cause, the largest group first; and how many letters these are. */
export async function groupDeadLetters(
  db: Db,
  environmentId: string,
  { most, groups, workflows }: { most: number; groups: number; workflows: number },
): Promise<{ rows: DeadLetterGroupRow[]; totalCount: number }> {
  const { rows } = await sql<DeadLetterGroupRow & { total_count: number }>`
    with newest as materialized (
      select integration_id, error_class, workflow_id, channel, provider_id, step_id, error_text, created_at, id from dead_letters
      where environment_id = ${environmentId} and status = 'open' order by id desc limit ${most}),
    parts as materialized (
      select integration_id, error_class, workflow_id, count(*)::int as count, min(created_at) as first_at,
        max(created_at) as last_at, (array_agg(distinct step_id))[1:5] as step_ids, max(id::text) as newest_id,
        row_number() over (partition by integration_id, error_class order by count(*) desc, max(id::text) desc) as place
      from newest group by integration_id, error_class, workflow_id),
    groups as (
      select integration_id, error_class, sum(count)::int as count, min(first_at) as first_at, max(last_at) as last_at,
        max(newest_id)::uuid as newest_id, count(*)::int as workflow_count
      from parts group by integration_id, error_class order by sum(count) desc, max(newest_id) desc limit ${groups})
    select g.*, n.channel, n.provider_id, n.error_text, (select count(*)::int from newest) as total_count, p.workflows,
      i.identifier as integration_identifier, i.name as integration_name, i.active and i.deleted_at is null as is_active,
      coalesce(h.state <> 'closed', false) as is_open
    from groups g join newest n on n.id = g.newest_id join integrations i on i.id = g.integration_id
    left join integration_health h on h.integration_id = i.id
    cross join lateral (
      select jsonb_agg(jsonb_build_object('workflowId', coalesce(w.workflow_id, p.workflow_id::text),
        'name', coalesce(case when w.deleted_at is null then w.name end, ''), 'stepIds', p.step_ids, 'count', p.count)
        order by p.place) as workflows
      from parts p left join workflows w on w.id = p.workflow_id
      where p.integration_id = g.integration_id and p.error_class = g.error_class and p.place <= ${workflows}) as p
    order by g.count desc, g.newest_id desc`.execute(db);
  return { rows, totalCount: rows[0]?.total_count ?? 0 };
}

export async function findDeadLetter(db: Db, environmentId: string, id: string): Promise<ListedDeadLetter | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ListedDeadLetter>`
    with page as (select * from dead_letters where environment_id = ${environmentId} and id = ${id}) ${named}`.execute(
    db,
  );
  return rows[0];
}

export type ReplayableLetter = {
  id: string;
  message_id: string;
  job_id: string;
  notification_id: string;
  integration_id: string;
  channel: DeadLetterRow["channel"];
};

/**
 * Locks open letters whose message can be sent again, oldest first. A second replay of the same letters waits for the
 * first and finds them replayed. Messages are locked before their letters, as by a receipt that resolves a letter.
 */
export async function lockOpenLetters(
  db: Db,
  environmentId: string,
  {
    which,
    channel,
    limit,
  }: { which: { ids: string[] } | { filters: DeadLetterFilters }; channel: string | undefined; limit: number },
): Promise<ReplayableLetter[]> {
  const chosen = "ids" in which ? {} : which.filters;
  const conditions = letterConditions(environmentId, { ...chosen, status: "open" });
  if (channel !== undefined) conditions.push(sql`f.channel = ${channel}`);
  if ("ids" in which) conditions.push(sql`f.id = any(${which.ids.filter(isUuid)}::uuid[])`);
  const { rows } = await sql<ReplayableLetter>`
    select f.id, f.message_id, f.job_id, f.notification_id, f.integration_id, f.channel
    from dead_letters f
    join messages m on m.environment_id = f.environment_id and m.id = f.message_id and m.status = 'error' and m.outgoing is not null
    where ${sql.join(conditions, sql` and `)} order by f.id limit ${limit} for no key update of m, f`.execute(db);
  return rows;
}

/**
 * Sets messages and jobs back to waiting, in a new round that begins with the choice of the integration. `first`: the
 * integration to try first. `at`: when a letter is replayed; its deadline counts from then. `replayId`: the replay at a
 * pace that the letters are part of.
 */
export async function reopenMessages(
  db: Db,
  environmentId: string,
  letters: (ReplayableLetter & { at: Date })[],
  first: string | null,
  { detail, replayId }: { detail: StoredDetail; replayId: string | null },
  now: Date,
): Promise<void> {
  if (letters.length === 0) return;
  const turns = rowsOf("r", { message_id: "uuid", at: "timestamptz" }, letters);
  const route = sql`jsonb_set(outgoing, '{route}',
    jsonb_build_array(${first}::text) || (coalesce(outgoing->'route', '[]') - ${first}::text))`;
  await sql`
    update messages m set status = 'pending', error_id = null, error_text = null, round = round + 1, replayed_at = r.at,
      updated_at = ${now}, outgoing = ${first === null ? sql`outgoing` : route}
    from ${turns} where m.environment_id = ${environmentId} and m.id = r.message_id`.execute(db);
  const jobs = letters.map(({ notification_id, job_id }) => ({
    environment_id: environmentId,
    notification_id,
    job_id,
  }));
  await sql`select count(*) from ${jobsByKey(jobs, "for update")}`.execute(db);
  await sql`
    update jobs j set status = 'queued', wake_at = null, updated_at = ${now},
      details = details || ${JSON.stringify([detail])}::jsonb
    from ${rowsOf("r", jobKeyColumns, jobs)}
    where ${hasKeyOf("j", "notification_id", jobs)} and j.id = r.job_id`.execute(db);
  await sql`
    update dead_letters set status = 'replayed', replayed_at = ${now}, replay_id = ${replayId}
    where environment_id = ${environmentId} and id = any(${letters.map((letter) => letter.id)})`.execute(db);
}

/** Closes the open letters of messages that a receipt confirmed as sent. Returns the messages that had one. */
export async function resolveLetters(db: Db, environmentId: string, messageIds: string[]): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const { rows } = await sql<{ message_id: string }>`
    update dead_letters set status = 'resolved'
    where environment_id = ${environmentId} and status = 'open' and message_id = any(${messageIds}::uuid[])
    returning message_id`.execute(db);
  return new Set(rows.map((row) => row.message_id));
}

/** Closes the open letters of messages whose step was sent again with a new message. */
export async function closeLettersOf(db: Db, environmentId: string, messageIds: string[], now: Date): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`
    update dead_letters set status = 'replayed', replayed_at = ${now}
    where environment_id = ${environmentId} and status = 'open' and message_id = any(${messageIds}::uuid[])`.execute(
    db,
  );
}
