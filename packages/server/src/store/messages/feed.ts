// The feed of a subscriber: the SQL behind `GET /v1/subscribers/{id}/notifications/feed`.
import { type RawBuilder, sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import { type MessagePage, type Page, readMessagePage } from "./messages.ts";

export type FeedFilters = { read?: boolean; seen?: boolean; payload?: JsonObject };

/** The feed: in-app messages of one subscriber, newest first; neither expired nor snoozed. */
export async function listFeed(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filters: FeedFilters,
  page: Page,
  now: Date,
): Promise<MessagePage> {
  const conditions = [
    sql`f.subscriber_id = ${subscriberId}`,
    sql`f.environment_id = ${environmentId}`,
    sql`f.channel = 'in_app'`,
    sql`f.status = 'sent'`,
    sql`(f.snoozed_until is null or f.snoozed_until <= ${now})`,
    sql`(f.expires_at is null or f.expires_at > ${now})`,
  ];
  if (filters.read !== undefined) conditions.push(filters.read ? sql`f.read_at is not null` : sql`f.read_at is null`);
  if (filters.seen !== undefined) conditions.push(filters.seen ? sql`f.seen_at is not null` : sql`f.seen_at is null`);
  if (filters.payload) {
    const exact = exactLeaves(sql`p.payload`, filters.payload);
    conditions.push(sql`exists (select 1 from events p where p.environment_id = ${environmentId} and p.id = f.event_id
      and ${sql.join([sql`p.payload @> ${JSON.stringify(filters.payload)}::jsonb`, ...exact], sql` and `)})`);
  }
  const from = sql`from messages f where ${sql.join(conditions, sql` and `)}`;
  return readMessagePage(db, from, page);
}

/** jsonb containment ignores the position of list items; values inside lists have to be equal at their path. */
export const exactLeaves = (column: RawBuilder<unknown>, value: JsonObject): RawBuilder<unknown>[] =>
  listLeaves(value).map(([path, leaf]) => sql`${column} #> ${path}::text[] = ${JSON.stringify(leaf)}::jsonb`);

/** Values that jsonb containment does not compare exactly: those inside lists, and empty lists and objects. */
function listLeaves(value: unknown, path: string[] = [], isInList = false): [string[], unknown][] {
  const isContainer = typeof value === "object" && value !== null;
  const members = isContainer ? Object.entries(value) : [];
  if (members.length > 0) {
    return members.flatMap(([name, member]) => listLeaves(member, [...path, name], isInList || Array.isArray(value)));
  }
  return path.length > 0 && (isInList || isContainer) ? [[path, value]] : [];
}
