// Marks on messages: seen, read, and which button was pressed. A mark that is there already keeps its time and changes
// nothing, so that the number of changed messages is exact.
import type { MessageMark } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";

/** `read` implies seen, `unseen` implies unread. `differs` holds for messages that the mark changes. */
const marks: Record<MessageMark, { differs: RawBuilder<unknown>; set: (now: Date) => RawBuilder<unknown> }> = {
  seen: { differs: sql`seen_at is null`, set: (now) => sql`seen_at = ${now}` },
  read: {
    differs: sql`read_at is null`,
    set: (now) => sql`read_at = ${now}, seen_at = coalesce(seen_at, ${now}::timestamptz)`,
  },
  unread: { differs: sql`read_at is not null`, set: () => sql`read_at = null` },
  unseen: {
    differs: sql`(seen_at is not null or read_at is not null)`,
    set: () => sql`read_at = null, seen_at = null`,
  },
};

export async function markMessages(
  db: Db,
  environmentId: string,
  subscriberId: string,
  ids: string[],
  mark: MessageMark,
  now: Date,
): Promise<void> {
  const { differs, set } = marks[mark];
  await sql`
    update messages set ${set(now)}, updated_at = ${now}
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId} and id = any(${ids}::uuid[])
      and ${differs}`.execute(db);
}

/** What the subscriber sees in its feed: sent in-app messages that are not snoozed. */
const inFeed = (environmentId: string, subscriberId: string, now: Date) => sql`
  environment_id = ${environmentId} and subscriber_id = ${subscriberId} and channel = 'in_app' and status = 'sent'
    and (snoozed_until is null or snoozed_until <= ${now})`;

/** Answers how many messages changed. */
export async function markFeed(
  db: Db,
  environmentId: string,
  subscriberId: string,
  mark: MessageMark,
  now: Date,
): Promise<number> {
  const { differs, set } = marks[mark];
  const { numAffectedRows } = await sql`
    update messages set ${set(now)}, updated_at = ${now}
    where ${inFeed(environmentId, subscriberId, now)} and ${differs}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Counting stops at the limit. */
export async function countFeed(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filter: { seen: boolean; limit: number },
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from messages where ${inFeed(environmentId, subscriberId, now)}
        and seen_at is ${filter.seen ? sql`not null` : sql`null`}
      limit ${filter.limit}) as counted`.execute(db);
  return rows[0]!.count;
}

export type ActionMark = { type: string; status: string; payload?: Record<string, unknown> };

/** Keeps what was pressed beside the buttons. */
export async function markAction(
  db: Db,
  environmentId: string,
  id: string,
  action: ActionMark,
  now: Date,
): Promise<void> {
  await sql`
    update messages set cta = jsonb_set(cta, '{pressed}', ${JSON.stringify(action)}::jsonb), updated_at = ${now}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
