// What live connections show: the state of many inboxes at once, and the messages that are new or changed in them.
import { type Severity, severities } from "@tidings/contract";
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type InboxMessage, type SubscriberRef, severityOfMessage } from "../inbox/inbox-messages.ts";
import { type RowKey, rowsByKey } from "../keys.ts";
import { transactionIdOf } from "./messages.ts";

/** The newest messages of an inbox, which are read and counted; it bounds the work for one subscriber. */
const maxMessages = 1_000;

/**
 * Messages with ids after `from_id`, and those changed after a time, are listed as `recent`; those with ids after
 * `resume_id` as `later`. With `context_keys`, the inbox has only the messages with exactly these contexts.
 */
export type InboxQuestion = {
  subscriber_id: string;
  environment_id: string;
  context_keys: string[] | null;
  from_id: string;
  changed_since: Date | null;
  resume_id: string | null;
};

export type InboxState = {
  subscriber: SubscriberRef;
  /** The time of the environment. */
  now: Date;
  /** Counts all messages, including snoozed and archived ones, but not expired ones. */
  total: number;
  unread: Record<Severity, number>;
  unseen: number;
  /** Whether there are messages beyond those that were counted. */
  hasMore: boolean;
  /** The last change of a message, in the time of the environment. */
  changedAt: Date | null;
  /** By id, oldest first: a number that changes whenever marks of the message change. */
  recent: Map<string, number>;
  /** Ids, oldest first. */
  later: string[];
};

type StateRow = Omit<InboxState, "recent" | "later" | "unread" | "hasMore" | "changedAt"> & {
  position: number;
  scanned: number;
  changed_at: Date | null;
  ids: string[] | null;
  versions: number[] | null;
  later: string[] | null;
} & Record<Severity, number>;

/** How long before the last change `recent` begins when the question names no time. */
const overlap = sql`interval '4 minutes'`;

const columns = {
  position: "int",
  subscriber_id: "uuid",
  environment_id: "uuid",
  context_keys: "text[]",
  from_id: "uuid",
  changed_since: "timestamptz",
  resume_id: "uuid",
};

/**
 * The responses in the order of the questions; undefined for a deleted subscriber. The environment is a condition on
 * the subscriber alone: as one on the messages too, it would let the planner read all messages of the environment in
 * order. Contexts are examined after the limit, so that an inbox without messages of its contexts costs no more than
 * others. `offset 0` keeps the severity from being looked up once for each of the four counts.
 */
export async function readInboxes(db: Db, questions: InboxQuestion[], now: Date): Promise<(InboxState | undefined)[]> {
  const bySeverity = severities.map(
    (severity) =>
      sql`count(*) filter (where is_unread and unread_severity = ${sql.lit(severity)})::int as ${sql.ref(severity)}`,
  );
  const { rows } = await sql<StateRow>`
    select r.position, jsonb_build_object('id', s.id, 'subscriber_id', s.subscriber_id,
      'first_name', s.first_name, 'last_name', s.last_name, 'avatar', s.avatar) as subscriber, t.now, i.*
    from ${rowsOf(
      "r",
      columns,
      questions.map((question, position) => ({ position, ...question })),
    )}
    join subscribers s on s.id = r.subscriber_id and s.environment_id = r.environment_id
    join environments v on v.id = r.environment_id
    cross join lateral (select coalesce(v.test_clock, ${now}::timestamptz) as now) as t
    cross join lateral (
      select count(*)::int as scanned, count(*) filter (where is_own)::int as total, ${sql.join(bySeverity)},
        count(*) filter (where is_shown and seen_at is null)::int as unseen, max(updated_at) as changed_at,
        array_agg(id::text order by id) filter (where is_recent) as ids,
        array_agg(version order by id) filter (where is_recent) as versions,
        array_agg(id::text order by id) filter (where is_own and id > r.resume_id) as later
      from (
        select m.*, is_shown and m.read_at is null as is_unread,
          case when is_shown and m.read_at is null then ${severityOfMessage} end as unread_severity,
          case when is_recent then hashtext(
            row(m.updated_at, m.read_at, m.seen_at, m.archived_at, m.snoozed_until, m.delivered_at, m.cta->'pressed')::text) end as version
        from (
          select f.*, o.is_own, o.is_own and f.archived_at is null
              and (f.snoozed_until is null or f.snoozed_until <= t.now) as is_shown,
            o.is_own and (f.id > r.from_id
              or f.updated_at > coalesce(r.changed_since, max(f.updated_at) over () - ${overlap})) as is_recent
          from (
            select id, environment_id, notification_id, workflow_id, read_at, seen_at, archived_at, snoozed_until, delivered_at, cta,
              severity, updated_at, context_keys
            from messages where subscriber_id = s.id and channel = 'in_app' and status = 'sent'
              and (expires_at is null or expires_at > t.now)
            order by id desc limit ${maxMessages}) as f
          cross join lateral (select r.context_keys is null or f.context_keys = r.context_keys as is_own) as o) as m
        offset 0) as counted) as i`.execute(db);
  const byPosition = new Map(rows.map((row) => [row.position, toState(row)]));
  return questions.map((_, position) => byPosition.get(position));
}

function toState(row: StateRow): InboxState {
  const { subscriber, now, total, unseen, ids, versions } = row;
  return {
    subscriber,
    now,
    total,
    unread: Object.fromEntries(severities.map((severity) => [severity, row[severity]])) as Record<Severity, number>,
    unseen,
    hasMore: row.scanned === maxMessages,
    changedAt: row.changed_at,
    recent: new Map(ids?.map((id, index) => [id, versions![index]!])),
    later: row.later ?? [],
  };
}

/**
 * Messages as an inbox shows them, by id; deleted ones are missing. With `limit 1`, events are looked up one by one;
 * a join may read all of an environment while the table has no statistics.
 */
export async function findInboxMessages(db: Db, keys: RowKey[]): Promise<Map<string, InboxMessage>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<InboxMessage>`
    select m.*, ${transactionIdOf} as transaction_id, ${severityOfMessage} as severity, to_jsonb(w) as workflow
    from ${rowsByKey("messages", "m", "id", keys)}
    left join lateral (select transaction_id from events
      where environment_id = m.environment_id and id = m.event_id limit 1) e on true
    left join (select id, workflow_id, name, tags, severity, preferences_user, preferences_default from workflows) w
      on w.id = m.workflow_id`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
