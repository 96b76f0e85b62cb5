// Subscribers: the people (or systems) that notifications are for.
import type { SubscriberPatch } from "@tidings/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage, keptCount } from "../paging.ts";
import type { StoredChannel, Tables } from "../tables.ts";
import { findBeingErased } from "./erasures.ts";

export type SubscriberRow = Selectable<Tables["subscribers"]>;

/** A subscriber as recipients and actors are read: without the times of the row, which take a third of the reading. */
export type RecipientRow = Omit<SubscriberRow, "created_at" | "updated_at">;

const recipientColumns = sql.raw(
  `id, environment_id, subscriber_id, first_name, last_name, email, phone, avatar, locale, timezone, data, channels, is_online,
    last_online_at`,
);

/** Fields given by a caller: absent ones are not changed, null clears. */
export type SubscriberFields = SubscriberPatch;

export const findSubscriber = (db: Db, environmentId: string, subscriberId: string) =>
  db
    .selectFrom("subscribers")
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .selectAll()
    .executeTakeFirst();

export async function findSubscribersByIds(db: Db, environmentId: string, ids: string[]): Promise<RecipientRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<RecipientRow>`
    select ${recipientColumns} from subscribers where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(
    db,
  );
  return rows;
}

/** For what is shown of a sample of them. */
export async function listNewestSubscribers(db: Db, environmentId: string, limit: number): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select ${recipientColumns} from subscribers where environment_id = ${environmentId}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** The columns of the fields that callers set. */
export const profileColumns = {
  firstName: "first_name",
  lastName: "last_name",
  email: "email",
  phone: "phone",
  avatar: "avatar",
  locale: "locale",
  timezone: "timezone",
  data: "data",
} as const;

/** A subscriber without any fields. */
export const newSubscriber = (environmentId: string, id: string, subscriberId: string, now: Date): SubscriberRow => ({
  id,
  environment_id: environmentId,
  subscriber_id: subscriberId,
  first_name: null,
  last_name: null,
  email: null,
  phone: null,
  avatar: null,
  locale: null,
  timezone: null,
  data: null,
  channels: [],
  is_online: null,
  last_online_at: null,
  created_at: now,
  updated_at: now,
});

/** The row as an upsert with these fields leaves it. */
export function withFields(row: RecipientRow, fields: SubscriberFields): RecipientRow {
  const given = Object.entries(profileColumns).flatMap(([field, column]) => {
    const value = fields[field as keyof typeof profileColumns];
    return value === undefined ? [] : [[column, value]];
  });
  return { ...row, ...Object.fromEntries(given) };
}

export type SubscriberUpsert = { id: string; subscriberId: string; fields: SubscriberFields };

const upsertColumns = {
  id: "uuid",
  subscriber_id: "text",
  first_name: "text",
  last_name: "text",
  email: "text",
  phone: "text",
  avatar: "text",
  locale: "text",
  timezone: "text",
  data: "jsonb",
  given: "text[]",
};

export type UpsertedSubscriber = SubscriberRow & { is_new: boolean };

/**
 * Creates or updates many subscribers, with one insert and one update for all. Rows are locked in the order of their
 * key, so that two batches with the same subscribers cannot deadlock. `keepExisting`: existing subscribers are not
 * changed. A subscriber that is being erased is not created again until the erasure has ended: it is missing in the
 * result.
 */
export async function upsertSubscribers(
  db: Db,
  environmentId: string,
  { entries, now, options = {} }: { entries: SubscriberUpsert[]; now: Date; options?: { keepExisting?: boolean } },
): Promise<UpsertedSubscriber[]> {
  if (entries.length === 0) return [];
  const rows = entries.map((entry) => {
    const row: JsonObject = { id: entry.id, subscriber_id: entry.subscriberId, given: [] };
    for (const [field, column] of Object.entries(profileColumns)) {
      const value = entry.fields[field as keyof typeof profileColumns];
      if (value === undefined) continue;
      row[column] = value;
      (row.given as string[]).push(column);
    }
    return row;
  });
  const columns = Object.values(profileColumns);
  // `given`: the columns that the entry changes.
  const assign = columns.map(
    (column) => `${column} = case when '${column}' = any(g.given) then g.${column} else s.${column} end`,
  );
  const list = columns.join(", ");
  const { rows: inserted } = await sql<SubscriberRow>`
    insert into subscribers (id, environment_id, subscriber_id, ${sql.raw(list)}, created_at, updated_at)
    select id, ${environmentId}, subscriber_id, ${sql.raw(list)}, ${now}, ${now}
    from ${rowsOf("r", upsertColumns, rows)}
    where not exists (select 1 from erasures e where e.environment_id = ${environmentId} and e.subscriber_id = r.subscriber_id)
    order by subscriber_id
    on conflict (environment_id, subscriber_id) do nothing
    returning *`.execute(db);
  const created = new Set(inserted.map((row) => row.subscriber_id));
  const rest = rows.filter((row) => !created.has(row.subscriber_id as string));
  if (rest.length === 0) return inserted.map((row) => ({ ...row, is_new: true }));
  const changed = options.keepExisting ? [] : rest.filter((row) => (row.given as string[]).length > 0);
  if (changed.length > 0) {
    const keys = changed.map((row) => row.subscriber_id);
    // An update locks its rows in the order of the query plan, so they are locked in key order first.
    await sql`
      with locked as materialized (
        select id from subscribers where environment_id = ${environmentId} and subscriber_id = any(${keys})
        order by subscriber_id for update
      )
      update subscribers s set ${sql.raw(assign.join(", "))}, updated_at = ${now}
      from locked, ${rowsOf("g", upsertColumns, changed)}
      where s.id = locked.id and s.subscriber_id = g.subscriber_id`.execute(db);
  }
  const existing = await findRowsByKeys(
    db,
    environmentId,
    rest.map((row) => row.subscriber_id as string),
  );
  const found = new Set([...created, ...existing.map((row) => row.subscriber_id)]);
  // Subscribers deleted between the two statements are created again, unless they are being erased.
  const missing = entries.filter((entry) => !found.has(entry.subscriberId));
  const missingIds = missing.map((entry) => entry.subscriberId);
  const erased = missing.length > 0 ? await findBeingErased(db, environmentId, missingIds) : new Set();
  const gone = missing.filter((entry) => !erased.has(entry.subscriberId));
  return [
    ...inserted.map((row) => ({ ...row, is_new: true })),
    ...existing.map((row) => ({ ...row, is_new: false })),
    ...(await upsertSubscribers(db, environmentId, { entries: gone, now, options })),
  ];
}

const rowsByKeys = (environmentId: string, keys: string[], columns: RawBuilder<unknown>) => sql<never>`
  select s.* from unnest(${[...new Set(keys)]}::text[]) as k(key) cross join lateral (
    select ${columns} from subscribers where environment_id = ${environmentId} and subscriber_id = k.key limit 1) s`;

const findRowsByKeys = async (db: Db, environmentId: string, keys: string[]): Promise<SubscriberRow[]> =>
  (await rowsByKeys(environmentId, keys, sql`*`).execute(db)).rows;

/**
 * One look-up in the index a key: `limit 1` keeps the planner from joining instead, which reads the whole environment
 * as long as the table has no statistics (test/store/subscribers/subscribers.test.ts).
 */
export const findSubscribersByKeys = async (db: Db, environmentId: string, keys: string[]): Promise<RecipientRow[]> =>
  keys.length === 0 ? [] : (await rowsByKeys(environmentId, keys, recipientColumns).execute(db)).rows;

/** A page in order of id, for walks through all subscribers. `audience`: a condition over `subscribers s`. */
export async function findSubscribersAfter(
  db: Db,
  environmentId: string,
  range: { after: string | null; until: string; limit: number; audience?: RawBuilder<boolean> },
): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select ${recipientColumns} from subscribers s where environment_id = ${environmentId} and id <= ${range.until}
      ${range.after === null ? sql`` : sql`and id > ${range.after}`} and ${range.audience ?? sql`true`}
    order by id limit ${range.limit}`.execute(db);
  return rows;
}

/** The end of a walk through all present subscribers. */
export async function findLastSubscriberId(db: Db, environmentId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from subscribers where environment_id = ${environmentId} order by id desc limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

/** The ids at these fractions of all subscribers after `after`, in order: bounds for parallel walks. */
export async function findSubscriberQuantiles(
  db: Db,
  environmentId: string,
  after: string,
  fractions: number[],
): Promise<string[]> {
  const { rows } = await sql<{ points: string[] | null }>`
    select percentile_disc(${fractions}::float8[]) within group (order by id) as points
    from subscribers where environment_id = ${environmentId} and id > ${after}`.execute(db);
  return rows[0]?.points ?? [];
}

export async function updateSubscriber(
  db: Db,
  environmentId: string,
  { subscriberId, fields, now }: { subscriberId: string; fields: SubscriberFields; now: Date },
): Promise<SubscriberRow | undefined> {
  const isUnchanged = Object.values(fields).every((value) => value === undefined);
  if (isUnchanged) return findSubscriber(db, environmentId, subscriberId);
  const values: JsonObject = { updated_at: now };
  for (const [field, column] of Object.entries(profileColumns)) {
    const value = fields[field as keyof typeof profileColumns];
    if (value === undefined) continue;
    values[column] = field === "data" && value !== null ? JSON.stringify(value) : value;
  }
  return db
    .updateTable("subscribers")
    .set(values)
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .returningAll()
    .executeTakeFirst();
}

/** Past messages stay, without their addresses; so do captured messages. */
const hashOf = (environmentId: RawBuilder<unknown>, subscriberId: RawBuilder<unknown>): RawBuilder<Buffer> =>
  sql`sha256(convert_to(${environmentId}::text || ' ' || ${subscriberId}::text, 'UTF8'))`;

/** The internal ids that subscribers with this subscriber id had before they were deleted, newest first. */
export async function findDeletedSubscribers(
  db: Db,
  environmentId: string,
  subscriberId: string,
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select id from deleted_subscribers
    where environment_id = ${environmentId} and subscriber_hash = ${hashOf(sql`${environmentId}`, sql`${subscriberId}`)}
    order by deleted_at desc limit ${maxDeletions}`.execute(db);
  return rows;
}

/** A subscriber id that was deleted more often is found by its latest deletions. */
const maxDeletions = 100;

export async function deleteSubscriber(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`
    insert into deleted_subscribers (environment_id, subscriber_hash, id, deleted_at)
    select environment_id, ${hashOf(sql`environment_id`, sql`subscriber_id`)}, id, now() from subscribers
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
  await sql`update captured_messages c set content = jsonb_set(c.content, '{to}', '[]')
    from messages m where m.environment_id = ${environmentId} and m.subscriber_id = ${id} and c.message_id = m.id
  `.execute(db);
  await sql`update messages set address = null, recipients = null, outgoing = null
    where environment_id = ${environmentId} and subscriber_id = ${id}
      and (address is not null or outgoing is not null)`.execute(db);
  await sql`delete from refused_event_names where environment_id = ${environmentId} and kind = 'subscriber'
    and name = (select subscriber_id from subscribers where environment_id = ${environmentId} and id = ${id})`.execute(
    db,
  );
  await db.deleteFrom("subscribers").where("environment_id", "=", environmentId).where("id", "=", id).execute();
  await sql`delete from digest_windows where environment_id = ${environmentId} and subscriber_id = ${id}`.execute(db);
}

export type SubscriberFilters = {
  subscriberId?: string;
  email?: string;
  phone?: string;
  name?: string;
  /** Beginning of the id or address, or part of the name. `audience`: a condition over `subscribers s`. */
  search?: string;
  audience?: RawBuilder<boolean>;
};

export function listSubscribers(
  db: Db,
  environmentId: string,
  {
    filters,
    orderBy,
    request,
  }: { filters: SubscriberFilters; orderBy: "createdAt" | "updatedAt"; request: CursorRequest },
): Promise<CursorPage<SubscriberRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.subscriberId) conditions.push(sql`lower(subscriber_id) = lower(${filters.subscriberId})`);
  if (filters.email) conditions.push(sql`lower(email) = lower(${filters.email})`);
  if (filters.phone) conditions.push(sql`phone = ${filters.phone}`);
  if (filters.name) {
    conditions.push(sql`position(lower(${filters.name}) in lower(concat_ws(' ', first_name, last_name))) > 0`);
  }
  if (filters.search) {
    const text = sql`lower(${filters.search})`;
    conditions.push(sql`(starts_with(lower(subscriber_id), ${text}) or starts_with(lower(email), ${text})
      or position(${text} in lower(concat_ws(' ', first_name, last_name))) > 0)`);
  }
  if (filters.audience) conditions.push(filters.audience);
  const source = {
    columns: sql`*`,
    from: sql`from subscribers s where ${sql.join(conditions, sql` and `)}`,
    sort: orderBy === "updatedAt" ? sql`updated_at` : sql`created_at`,
    id: sql`id`,
    kept: conditions.length === 1 ? keptCount(environmentId, environmentId) : undefined,
  };
  return cursorPage<SubscriberRow>(db, source, request);
}

/** Locked, because the next write depends on the stored row. */
export const lockSubscriber = (db: Db, environmentId: string, subscriberId: string) =>
  db
    .selectFrom("subscribers")
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();

export const setChannels = (
  db: Db,
  environmentId: string,
  { id, channels, now }: { id: string; channels: StoredChannel[]; now: Date },
): Promise<SubscriberRow> =>
  db
    .updateTable("subscribers")
    .set({ channels: sql`${JSON.stringify(channels)}::jsonb`, updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Locked in the order of their key, as in every batch of subscribers. */
export async function lockSubscribersByKeys(db: Db, environmentId: string, keys: string[]): Promise<SubscriberRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<SubscriberRow>`
    select * from subscribers where environment_id = ${environmentId} and subscriber_id = any(${keys})
    order by subscriber_id for update`.execute(db);
  return rows;
}

export async function setChannelsOfMany(
  db: Db,
  environmentId: string,
  entries: { id: string; channels: StoredChannel[] }[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    update subscribers s set channels = r.channels, updated_at = ${now}
    from ${rowsOf("r", { id: "uuid", channels: "jsonb" }, entries)}
    where s.environment_id = ${environmentId} and s.id = r.id`.execute(db);
}

/** Writes the profiles of locked rows. */
export async function setProfilesOfMany(
  db: Db,
  environmentId: string,
  { rows, now }: { rows: RecipientRow[]; now: Date },
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.values(profileColumns);
  const assign = columns.map((column) => `${column} = r.${column}`).join(", ");
  const types = Object.fromEntries(columns.map((column) => [column, column === "data" ? "jsonb" : "text"]));
  await sql`
    update subscribers s set ${sql.raw(assign)}, updated_at = ${now}
    from ${rowsOf("r", { id: "uuid", ...types }, rows)}
    where s.environment_id = ${environmentId} and s.id = r.id`.execute(db);
}

/** Going offline records the time; it stays the same when the subscriber was offline already. */
export async function setOnline(
  db: Db,
  environmentId: string,
  { subscriberId, isOnline, now }: { subscriberId: string; isOnline: boolean; now: Date },
): Promise<SubscriberRow | undefined> {
  const { rows } = await sql<SubscriberRow>`
    update subscribers set is_online = ${isOnline}, updated_at = ${now},
      last_online_at = case when not ${isOnline} and is_online is distinct from false then ${now} else last_online_at end
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId} returning *`.execute(db);
  return rows[0];
}
