// What waited when a backup was taken, and what a restore does about it. The service that was backed up continued: what
// was due since then may have been sent. A restore sends it, or cancels it as `events.cancel` does: rows get their
// final state with the reason, and the tasks that are left find nothing to do.
import { schema as queueSchema } from "../queue/boss.ts";
import type { TaskKind } from "../queue/claims.ts";
import type { StoredDetail } from "../tables.ts";
import { type BackupSession, findRows } from "./session.ts";

/** `first` and `last`: when it is due; what is being worked on is due at once. */
export type OpenWork = { noun: OpenNoun; count: number; first: Date; last: Date };

const nouns = ["event", "run", "message", "webhook delivery", "replay", "alert message"] as const;
type OpenNoun = (typeof nouns)[number];

/** Tasks that reach people or other programs: what they are about, and how many are in one task. */
const sending: Partial<Record<TaskKind, { noun: OpenNoun; count: string }>> = {
  trigger: { noun: "event", count: "jsonb_array_length(data->'eventIds')" },
  // The end of a walk through an audience is a fanout task too.
  fanout: { noun: "event", count: "case when data ? 'environmentId' then 0 else 1 end" },
  wake: { noun: "run", count: "jsonb_array_length(data->'notificationIds')" },
  bridge: { noun: "run", count: "1" },
  request: { noun: "run", count: "1" },
  deliver: { noun: "message", count: "jsonb_array_length(data->'messageIds')" },
  webhook: { noun: "webhook delivery", count: "1" },
  replay: { noun: "replay", count: "1" },
  // The passes over the rules are alert tasks too.
  alert: { noun: "alert message", count: "case when data ? 'messageId' then 1 else 0 end" },
};

const kinds = Object.keys(sending);
const caseOf = (member: "noun" | "count") =>
  `case name ${Object.entries(sending)
    .map(([kind, one]) => `when '${kind}' then ${member === "noun" ? `'${one.noun}'` : one.count}`)
    .join(" ")} end`;

const isOpen = `state <= 'active' and name = any(array[${kinds.map((kind) => `'${kind}'`).join(", ")}])`;

/** Events that were triggered by SQL and wait to be accepted. Backups of older versions have no such table. */
const outbox = "sql_outbox where kind = 'trigger'";

async function hasOutbox(client: BackupSession): Promise<boolean> {
  const [row] = await findRows<{ has: boolean }>(client, "select to_regclass('sql_outbox') is not null as has");
  return row!.has;
}

/** `jobs`: the table of tasks, or a part of it. */
export async function countOpenWork(client: BackupSession, jobs: string): Promise<OpenWork[]> {
  const calls = (await hasOutbox(client)) ? `union all select 'event', 1, created_at from ${outbox}` : "";
  const rows = await findRows<OpenWork>(
    client,
    `select noun, sum(count)::int as count, min(at) as first, max(at) as last from (
       select ${caseOf("noun")} as noun, ${caseOf("count")} as count,
         case when state = 'active' then least(start_after, now()) else start_after end as at
       from ${jobs} where ${isOpen} ${calls}) as t
     group by noun having sum(count) > 0`,
  );
  return rows.toSorted((a, b) => nouns.indexOf(a.noun) - nouns.indexOf(b.noun));
}

/**
 * The tasks that were due when the transaction began, as their own table until it ends. The service that was backed up
 * no longer ran then, so it has not sent what became due since.
 */
const findDue = `
  create temporary table due_tasks on commit drop as
  select name, state, start_after, data,
    case when singleton_key ~ '^[0-9a-f-]{36}$' then singleton_key::uuid end as environment_id
  from ${queueSchema}.job
  where ${isOpen} and (state = 'active' or start_after <= now())`;

/** To be called once in the transaction. */
export async function findDueWork(client: BackupSession): Promise<OpenWork[]> {
  await client.query(findDue);
  return countOpenWork(client, "due_tasks");
}

/**
 * Runs that are due. A task may be older than what its run waits for, such as that of a digest that was extended: the
 * job says when the wait is over.
 */
const findDueRuns = `
  create temporary table due_runs on commit drop as
  select distinct t.environment_id, t.notification_id from (
    select d.environment_id, i.id::uuid as notification_id from due_tasks d
      cross join lateral jsonb_array_elements_text(d.data->'notificationIds') as i(id) where d.name = 'wake'
    union all
    select environment_id, (data->>'notificationId')::uuid from due_tasks where name in ('bridge', 'request')
    union all
    select d.environment_id, m.notification_id from due_tasks d
      cross join lateral jsonb_array_elements_text(d.data->'messageIds') as i(id)
      join messages m on m.environment_id = d.environment_id and m.id = i.id::uuid
    where d.name = 'deliver' and m.status = 'pending') as t
  where not exists (
    select 1 from jobs j where j.environment_id = t.environment_id and j.notification_id = t.notification_id
      and j.status = 'delayed' and j.wake_at > now())`;

/** In the order in which a delivery locks rows. */
const cancelRuns: [text: string, ...parameters: ("reason" | "detail" | "now")[]][] = [
  [
    `update messages m set status = 'warning', error_id = null, error_text = $1, outgoing = null, updated_at = $2
     from due_tasks d cross join lateral jsonb_array_elements_text(d.data->'messageIds') as i(id), due_runs r
     where d.name = 'deliver' and m.environment_id = d.environment_id and m.id = i.id::uuid and m.status = 'pending'
       and r.environment_id = m.environment_id and r.notification_id = m.notification_id`,
    "reason",
    "now",
  ],
  [
    `update jobs j set status = 'canceled', wake_at = null, updated_at = $2, details = j.details || $1::jsonb
     from due_runs r where j.environment_id = r.environment_id and j.notification_id = r.notification_id
       and j.status in ('pending', 'queued', 'delayed')`,
    "detail",
    "now",
  ],
  [
    // Runs that were merged into an open digest end with it.
    `update jobs j set status = 'canceled', updated_at = $2, details = j.details || $1::jsonb
     from due_runs r, digest_windows w, jobs m
     where w.leader_notification_id = r.notification_id and m.environment_id = w.environment_id
       and m.merged_into = w.leader_job_id and m.status = 'merged' and j.environment_id = m.environment_id
       and j.notification_id = m.notification_id and j.status = 'merged'`,
    "detail",
    "now",
  ],
  ["delete from digest_windows w using due_runs r where w.leader_notification_id = r.notification_id"],
];

/** Events that were not given to all their recipients yet, with those that wait for them. */
const cancelEvents = `
  with named as (
    select environment_id, i.id::uuid from due_tasks
      cross join lateral jsonb_array_elements_text(data->'eventIds') as i(id) where name = 'trigger'
    union
    select environment_id, (data->>'eventId')::uuid from due_tasks where name = 'fanout' and not data ? 'environmentId'
  ), waiting as (
    select * from named
    union
    select e.environment_id, unnest(e.held_events) from events e
      join named n on n.environment_id = e.environment_id and n.id = e.id
  )
  update events e set canceled_at = $1 from waiting w
  where e.environment_id = w.environment_id and e.id = w.id and e.canceled_at is null and e.refusal is null`;

const cancelOthers: [text: string, ...parameters: ("reason" | "now")[]][] = [
  [
    `update webhook_deliveries w set status = 'failed', next_at = null, last_at = $2, response = $1
     from due_tasks d where d.name = 'webhook' and w.id = (d.data->>'deliveryId')::uuid and w.status = 'pending'`,
    "reason",
    "now",
  ],
  [
    `update dead_letter_replays p set status = 'stopped', updated_at = $1, finished_at = $1
     from due_tasks d where d.name = 'replay' and p.id = (d.data->>'replayId')::uuid and p.status = 'running'`,
    "now",
  ],
  [
    `update alert_messages a set status = 'failed', next_at = null, detail = $1
     from due_tasks d where d.name = 'alert' and a.id = (d.data->>'messageId')::uuid
       and a.environment_id = d.environment_id and a.status = 'pending'`,
    "reason",
  ],
];

/** Cancels what `findDueWork` has found. `reason`: as messages show it; `detail`: as jobs show it. */
export async function cancelDueWork(
  client: BackupSession,
  { reason, detail, now }: { reason: string; detail: StoredDetail; now: Date },
): Promise<void> {
  const values = { reason, detail: JSON.stringify([detail]), now };
  await client.query("analyze due_tasks");
  await client.query(findDueRuns);
  await client.query("analyze due_runs");
  for (const [text, ...parameters] of [...cancelRuns, ...cancelOthers]) {
    await client.query(
      text,
      parameters.map((name) => values[name]),
    );
  }
  await client.query(cancelEvents, [now]);
  // They have no event yet that could be canceled.
  if (await hasOutbox(client)) await client.query(`delete from ${outbox}`);
}
