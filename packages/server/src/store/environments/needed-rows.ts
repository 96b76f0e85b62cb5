// Which rows something still needs, whatever their age: conditions for statements that delete or count old rows. Each
// is a look-up by key, row by row (store/keys.ts).
import { type RawBuilder, sql } from "kysely";

/**
 * A run is needed while a step of it has not ended, and for the whole retention after its last step ended. Times in the
 * future are those of a test clock, which says nothing about the age of a row.
 */
const unfinished = ["pending", "queued", "running", "delayed"];
export const isLiveJob = (job: string, before: RawBuilder<unknown>, now: Date): RawBuilder<boolean> =>
  sql`(${sql.ref(`${job}.status`)} = any(${unfinished}::text[])
    or (${sql.ref(`${job}.updated_at`)} >= ${before} and ${sql.ref(`${job}.updated_at`)} <= ${now}))`;

/** Whether the run of this notification is needed. `offset 0`: looked up by key, row by row (store/keys.ts). */
export const isLiveRun = (
  environment: RawBuilder<unknown>,
  notification: RawBuilder<unknown>,
  before: RawBuilder<unknown>,
  now: Date,
) => sql`coalesce((select true from jobs j where j.environment_id = ${environment} and j.notification_id = ${notification}
    and ${isLiveJob("j", before, now)} limit 1), false)`;

/** Digests can follow each other in a workflow, which has at most 20 steps. */
const maxDigests = 20;

/** Whether a run that this notification (alias) was digested into is needed: it reads the event of the notification. */
export const isReadByLiveDigest = (alias: string, before: RawBuilder<unknown>, now: Date): RawBuilder<boolean> => {
  const environment = sql.ref(`${alias}.environment_id`);
  const first = sql.ref(`${alias}.digested_into`);
  return sql`(${first} is not null and exists (
    with recursive leaders(id, depth) as (
      select ${first}, 1
      union all
      select n.digested_into, l.depth + 1 from leaders l
      join notifications n on n.environment_id = ${environment} and n.id = l.id
      where n.digested_into is not null and l.depth < ${maxDigests})
    select 1 from leaders l where ${isLiveRun(environment, sql`l.id`, before, now)}))`;
};

/** An in-app message is needed while it is snoozed, for the retention after it returned, and as long as its run. */
export const isNeededMessage = (message: string, before: RawBuilder<unknown>, now: Date): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${message}.${name}`);
  const last = sql`(${column("delivered_at")})[cardinality(${column("delivered_at")})]`;
  return sql`(${column("snoozed_until")} is not null or ${column("status")} = 'pending'
    or coalesce(${last} >= ${before} and ${last} <= ${now}, false)
    or ${isLiveRun(column("environment_id"), column("notification_id"), before, now)})`;
};

/**
 * The notifications (n) of the event (alias), by the index on their event: as conditions next to it, environment and id
 * would let the planner read the environment's other notifications.
 */
export const notificationsOfEvent = (event: string): RawBuilder<unknown> => sql`(
  select f.environment_id, f.id, f.digested_into from notifications f where f.event_id = ${sql.ref(`${event}.id`)} offset 0) as n`;

/** Whether the broadcast (alias) was sent and is not finished: people of its event will start, or are to be fixed. */
export const isOpenBroadcast = (broadcast: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${broadcast}.status`)} in ('scheduled', 'running', 'paused')`;

/** Whether people of the event (alias) wait for their turn, or are to be fixed: they have no notification yet. */
export const hasWaitingPeople = (event: string): RawBuilder<boolean> => {
  const [environment, id] = [sql.ref(`${event}.environment_id`), sql.ref(`${event}.id`)];
  return sql`(${sql.ref(`${event}.canceled_at`)} is null and (
    exists (select 1 from event_pages p
      where p.environment_id = ${environment} and p.event_id = ${id} and p.state = 'waiting' offset 0)
    or exists (select 1 from broadcasts b
      where b.environment_id = ${environment} and b.event_id = ${id} and ${isOpenBroadcast("b")} offset 0)))`;
};

/** Whether a notification of the event (alias) is left. */
export const hasNotification = (event: string): RawBuilder<boolean> => sql`exists (
  select 1 from ${notificationsOfEvent(event)} where n.environment_id = ${sql.ref(`${event}.environment_id`)})`;
