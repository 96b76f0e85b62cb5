// Replays of dead letters at a pace: their state, the next page of letters, and what happened to the messages.
import type { ReplayStatus } from "@tidings/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
import { type DeadLetterFilters, type DeadLetterRow, letterConditions } from "./dead-letters.ts";

export type ReplayRow = Selectable<Tables["dead_letter_replays"]>;
/** With the present identifier of the integration that is tried first. */
export type ListedReplay = ReplayRow & { integration_identifier: string | null };

/** `channel`: of the integration that is tried first. */
export type LetterSelection = { ids?: string[]; filters: DeadLetterFilters; channel?: string };

function selectionConditions(environmentId: string, { ids, filters, channel }: LetterSelection): RawBuilder<unknown>[] {
  const conditions = letterConditions(environmentId, { ...filters, status: "open" });
  if (ids) conditions.push(sql`f.id = any(${ids.filter(isUuid)}::uuid[])`);
  if (channel !== undefined) conditions.push(sql`f.channel = ${channel}`);
  return conditions;
}

/**
 * Whether an integration that is switched on would send the letter: email and SMS fail over, the others are bound to
 * one.
 */
const hasSender = sql`exists (select 1 from integrations i
  where i.environment_id = f.environment_id and i.active and i.deleted_at is null
    and case when f.channel in ('email', 'sms') then i.channel = f.channel else i.id = f.integration_id end)`;

/** How many letters a replay would take, at most `limit`, and the last of them. */
export async function measureLetters(
  db: Db,
  environmentId: string,
  selection: LetterSelection,
  limit: number,
): Promise<{ total: number; lastId: string | null }> {
  const conditions = [...selectionConditions(environmentId, selection), hasSender];
  const { rows } = await sql<{ total: number; lastId: string | null }>`
    select count(*)::int as total, max(id::text)::uuid as "lastId" from (
      select f.id from dead_letters f where ${sql.join(conditions, sql` and `)} order by f.id limit ${limit}) as chosen`.execute(
    db,
  );
  return rows[0]!;
}

/** The ids of the next letters of a replay, oldest first. */
export async function findNextLetters(
  db: Db,
  environmentId: string,
  selection: LetterSelection,
  { after, until, limit }: { after: string | null; until: string | null; limit: number },
): Promise<string[]> {
  const conditions = [...selectionConditions(environmentId, selection), hasSender, sql`f.id <= ${until}`];
  if (after !== null) conditions.push(sql`f.id > ${after}`);
  const { rows } = await sql<{ id: string }>`
    select f.id from dead_letters f where ${sql.join(conditions, sql` and `)} order by f.id limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** A letter with what decides about its replay. `address` only of email and SMS, where it is not encrypted. */
export type PreviewedLetter = Pick<DeadLetterRow, "id" | "channel" | "integration_id"> & {
  integration_identifier: string;
  address: string | null;
  is_gone: boolean;
  is_unwanted: boolean;
};

/**
 * The oldest letters of a selection, at most `limit`. Letters of other channels than the integration's are among them.
 */
export async function previewLetters(
  db: Db,
  environmentId: string,
  { ids, filters }: LetterSelection,
  limit: number,
): Promise<PreviewedLetter[]> {
  const conditions = selectionConditions(environmentId, { ids, filters });
  const { rows } = await sql<PreviewedLetter>`
    select f.id, f.channel, f.integration_id, i.identifier as integration_identifier, case when f.channel in ('email', 'sms') then m.address end as address,
      m.id is null as is_gone, w.id is null or w.deleted_at is not null or s.id is null as is_unwanted
    from (select f.* from dead_letters f where ${sql.join(conditions, sql` and `)} order by f.id limit ${limit}) as f
    join integrations i on i.id = f.integration_id
    left join lateral (select id, address, subscriber_id from messages where environment_id = f.environment_id
      and id = f.message_id and status = 'error' and outgoing is not null offset 0) m on true
    left join workflows w on w.id = f.workflow_id left join subscribers s on s.id = m.subscriber_id
    order by f.id`.execute(db);
  return rows;
}

export type NewReplay = Omit<ReplayRow, "filter"> & { filter: JsonObject };

export async function insertReplay(db: Db, row: NewReplay): Promise<void> {
  await db
    .insertInto("dead_letter_replays")
    .values({ ...row, filter: JSON.stringify(row.filter) })
    .execute();
}

const named = (from: RawBuilder<unknown>) => sql<ListedReplay>`
  select r.*, i.identifier as integration_identifier from ${from} as r
  left join integrations i on i.id = r.integration_id order by r.id desc`;

export async function findReplay(db: Db, environmentId: string, id: string): Promise<ListedReplay | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await named(
    sql`(select * from dead_letter_replays where environment_id = ${environmentId} and id = ${id})`,
  ).execute(db);
  return rows[0];
}

/** Locked until the transaction ends: a page of a replay and a change of its status follow one another. */
export async function lockReplay(db: Db, environmentId: string, id: string): Promise<ReplayRow | undefined> {
  if (!isUuid(id)) return undefined;
  return db
    .selectFrom("dead_letter_replays")
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();
}

/** Newest first. Reads one row more than asked, so that the caller knows whether there are more. */
export async function listReplays(
  db: Db,
  environmentId: string,
  status: ReplayStatus | undefined,
  page: { offset: number; limit: number },
): Promise<ListedReplay[]> {
  const only = status === undefined ? sql`` : sql`and status = ${status}`;
  const { rows } = await named(sql`(
    select * from dead_letter_replays where environment_id = ${environmentId} ${only}
    order by id desc limit ${page.limit + 1} offset ${page.offset})`).execute(db);
  return rows;
}

/** Replays that are running or paused. */
export async function countOpenReplays(db: Db, environmentId: string): Promise<number> {
  const { count } = await db
    .selectFrom("dead_letter_replays")
    .where("environment_id", "=", environmentId)
    .where("status", "in", ["running", "paused"])
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type ReplayChange = Partial<Pick<ReplayRow, "status" | "done" | "after_id" | "turn" | "finished_at">>;

export async function updateReplay(
  db: Db,
  environmentId: string,
  id: string,
  change: ReplayChange & { updated_at: Date },
): Promise<void> {
  await db
    .updateTable("dead_letter_replays")
    .set(change)
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

/** What happened to the messages that the replay has put on their way; the others are still in progress. */
export async function countReplayOutcomes(
  db: Db,
  environmentId: string,
  replayId: string,
): Promise<{ sent: number; failed: number }> {
  const { rows } = await sql<{ sent: number; failed: number }>`
    select count(*) filter (where m.status = 'sent')::int as sent,
      count(*) filter (where m.status in ('error', 'warning'))::int as failed
    from dead_letters f cross join lateral (
      select status from messages where environment_id = f.environment_id and id = f.message_id offset 0) m
    where f.environment_id = ${environmentId} and f.replay_id = ${replayId}`.execute(db);
  return rows[0]!;
}

export async function findFailedMessage(
  db: Db,
  environmentId: string,
  messageId: string,
): Promise<{ address: string | null } | undefined> {
  const { rows } = await sql<{ address: string | null }>`
    select address from messages where environment_id = ${environmentId} and id = ${messageId} and status = 'error'`.execute(
    db,
  );
  return rows[0];
}

/** The content of a message that is sent again with another payload. */
export type NewContent = { subject: string | null; content: string | null; outgoing: JsonObject | string };

export async function replaceContent(
  db: Db,
  environmentId: string,
  messageId: string,
  { subject, content, outgoing }: NewContent,
): Promise<void> {
  await sql`
    update messages set subject = ${subject}, content = ${content}, outgoing = ${JSON.stringify(outgoing)}::jsonb
    where environment_id = ${environmentId} and id = ${messageId}`.execute(db);
}
