// The outcomes of the people of a broadcast, from the jobs of its event. There is no index on the state of a job, so
// counts and lists look at one page of its runs after the other.
import { type BroadcastOutcome, broadcastOutcomes, channels } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { clockSkewMs } from "../messages/message-marks.ts";

/** `since`: choices and complaints from then on count. `choiceIds`: of the workflow and its category, internal. */
export type ResultEvent = { eventId: string; choiceIds: string[]; since: Date };

/** Runs that one statement reads. */
const runsPerPage = 50_000;

/** The runs of the event after one of them, by id. */
const runsOf = (environmentId: string, eventId: string, after?: string | null): RawBuilder<unknown> => sql`
  select n.id, n.subscriber_id, n.finished_jobs, n.later_details from notifications n
  where n.event_id = ${eventId} and n.environment_id = ${environmentId}
    and n.id > ${after ?? firstIdAt(new Date(timeOfId(eventId) - clockSkewMs))}
  order by n.id`;

/**
 * The jobs of the run `r`, even if they are a text in their notification (store/events/finished-jobs.ts).
 */
const jobsOf = (environmentId: string): RawBuilder<unknown> => sql`(
  select j.step_index::int as step_index, j.type, j.status, j.details from jobs j
  where j.environment_id = ${environmentId} and j.notification_id = r.id and r.finished_jobs is null
  union all
  select (f.place - 1)::int, case when jsonb_typeof(f.job) = 'string' then 'in_app' else f.job->>0 end,
    case when jsonb_typeof(f.job) = 'string' then 'completed' else f.job->>1 end,
    case when jsonb_typeof(f.job) = 'string' then '[{"d": "message_sent"}]'::jsonb
      else coalesce((select jsonb_agg(case when jsonb_typeof(d.one) = 'string' then jsonb_build_object('d', d.one) else d.one end
          order by d.at) from jsonb_array_elements(f.job) with ordinality as d(one, at) where d.at > 2), '[]'::jsonb) end
      || coalesce(r.later_details, '[]'::jsonb)
  from jsonb_array_elements(coalesce(r.finished_jobs::jsonb, '[]'::jsonb)) with ordinality as f(job, place))`;

const has = (...names: string[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    names.map((name) => sql`j.details @> ${sql.lit(JSON.stringify([{ d: name }]))}::jsonb`),
    sql` or `,
  )})`;

const isChannelJob = sql`j.type = any(${[...channels]}::text[])`;
const isSent = sql`j.status = 'completed' and ${has("message_sent")}`;
const isReportedFailure = has("bounced", "dropped", "rejected", "blocked");
/** A step of an arm that was not taken loses nothing. */
const isSkipped = sql`j.status = 'skipped' and not ${has("arm_not_taken")}`;

/** The jobs of a run, as one row. */
const flagsOf = (environmentId: string): RawBuilder<unknown> => sql`(
  select coalesce(bool_or(${isSent}), false) as sent,
    coalesce(bool_or(${isSent} and (j.type = 'in_app' or ${has("delivered", "opened", "clicked")})), false) as delivered,
    coalesce(bool_or(${has("opened", "clicked")} or (j.type = 'in_app' and ${has("read")})), false) as opened,
    coalesce(bool_or(${has("clicked")}), false) as clicked,
    coalesce(bool_or(j.status = 'failed' or ${isReportedFailure}), false) as failed,
    coalesce(bool_or(${isSkipped}), false) as skipped,
    coalesce(bool_or(${has("unsubscribed")}), false) as unsubscribed,
    coalesce(bool_or(${has("reported_as_spam")}), false) as complained
  from ${jobsOf(environmentId)} as j where ${isChannelJob})`;

/**
 * Parts of a `with`. Most runs of a large broadcast ended with the same jobs, and so have the same text: they share a
 * shape, and its flags are read once. A run whose jobs are rows has a separate shape.
 */
const runsWithFlags = (environmentId: string, runs: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  runs as materialized (
    select p.*, coalesce(p.finished_jobs::text || coalesce(p.later_details::text, ''), p.id::text) as shape
    from (${runs}) as p),
  shapes as materialized (
    select shape, (array_agg(id))[1] as id, min(finished_jobs::text)::json as finished_jobs,
      min(later_details::text)::jsonb as later_details, count(*) as people
    from runs group by shape),
  flags as materialized (select r.shape, f.* from shapes r cross join lateral ${flagsOf(environmentId)} as f)`;

/** A choice belongs to the last run of the workflow before it: later broadcasts have their own. */
const hasSwitchedOff = (environmentId: string, { choiceIds, since }: ResultEvent): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from subscriber_preferences p where p.subscriber_id = r.subscriber_id
    and p.environment_id = ${environmentId} and (p.workflow_id is null or p.workflow_id = any(${choiceIds}::uuid[]))
    and p.updated_at >= ${since} and jsonb_path_exists(p.channels, '$.* ? (@ == false)')
    and not exists (select 1 from notifications l where l.subscriber_id = r.subscriber_id
      and l.environment_id = ${environmentId} and l.id > r.id and l.workflow_id = any(${choiceIds}::uuid[])
      and l.created_at <= p.updated_at offset 0) offset 0)`;

/** Runs whose mail was reported as spam. */
const complaintsOf = (environmentId: string, { eventId, since }: ResultEvent): RawBuilder<unknown> => sql`
  select m.notification_id from suppressions s join messages m on m.environment_id = s.environment_id and m.id = s.message_id
  where s.environment_id = ${environmentId} and s.reason = 'complaint' and s.created_at >= ${since}
    and m.event_id = ${eventId}`;

/** Whether the run `r` with the flags `f` has the outcome. */
function hasOutcome(environmentId: string, event: ResultEvent, outcome: BroadcastOutcome): RawBuilder<boolean> {
  if (outcome === "not_opened") return sql<boolean>`(f.sent and not f.opened)`;
  if (outcome === "unsubscribed") return sql<boolean>`(f.unsubscribed or ${hasSwitchedOff(environmentId, event)})`;
  if (outcome === "complained") {
    return sql<boolean>`(f.complained or r.id in (${complaintsOf(environmentId, event)}))`;
  }
  return sql<boolean>`f.${sql.ref(outcome)}`;
}

const counts: RawBuilder<unknown> = sql.join(
  broadcastOutcomes.map((outcome) => sql`${sql.lit(outcome)}, count(*) filter (where o.${sql.ref(outcome)})`),
);

export type CauseRow = {
  kind: "failed" | "skipped";
  step_index: number;
  type: string;
  reason: string;
  example: string | null;
  people: number;
};
export type VariantCount = { step_id: string; variant: string; people: number; outcomes: Record<string, number> };
/** `last`: where the next page of runs begins; null after the last one. */
export type ResultCounts = {
  people: number;
  last: string | null;
  outcomes: Record<string, number>;
  causes: CauseRow[];
  variants: VariantCount[];
};

/** `isCapped`: the time ended before all were counted. `countedAt`: when counting began. */
export type AllCounts = ResultCounts & { isCapped: boolean; countedAt: Date };

/** Causes that are returned, the most frequent ones. */
const maxCauses = 50;

/** `runs`: how many it reads. */
type ResultPage = { after: string | null; runs?: number | undefined };

/** One page, in one statement. `ignored`: names of details that do not explain an outcome. */
export async function countResults(
  db: Db,
  environmentId: string,
  event: ResultEvent,
  { ignored, after, runs = runsPerPage }: ResultPage & { ignored: string[] },
): Promise<ResultCounts> {
  const outcomes = sql.join(
    broadcastOutcomes.map((outcome) => sql`${hasOutcome(environmentId, event, outcome)} as ${sql.ref(outcome)}`),
  );
  const last = sql`(select e.d from jsonb_array_elements(j.details) with ordinality as e(d, at)
    where e.d->>'d' <> all(${ignored}::text[]) order by e.at desc limit 1)`;
  const report = sql`(select e.d from jsonb_array_elements(j.details) with ordinality as e(d, at)
    where e.d->>'d' in ('bounced', 'dropped', 'rejected', 'blocked') order by e.at desc limit 1)`;
  const { rows } = await sql<ResultCounts>`
    with ${runsWithFlags(environmentId, sql`${runsOf(environmentId, event.eventId, after)} limit ${runs}`)},
    outcomes as materialized (select r.id, ${outcomes} from runs r join flags f using (shape)),
    lost as (
      select j.step_index, j.type, case when ${isSkipped} then 'skipped' else 'failed' end as kind,
        case when j.status in ('failed', 'skipped') then ${last} else ${report} end as d, r.people
      from shapes r cross join lateral ${jobsOf(environmentId)} as j
      where ${isChannelJob} and (j.status = 'failed' or ${isSkipped} or ${isReportedFailure})),
    causes as (
      select kind, step_index, type, coalesce(d->>'d', 'unknown') as reason, max(left(d->'r'->>'reason', 200)) as example,
        sum(people)::int as people
      from lost group by 1, 2, 3, 4 order by people desc, 2, 4 limit ${maxCauses}),
    variants as (
      select x.step_id, x.variant, count(*)::int as people, json_build_object(${counts}) as outcomes
      from outcomes o join exposures x on x.environment_id = ${environmentId} and x.notification_id = o.id
      group by 1, 2)
    select (select count(*)::int from runs) as people, (select id from runs order by id desc limit 1) as last,
      (select json_build_object(${counts}) from outcomes o) as outcomes,
      (select coalesce(json_agg(c), '[]') from causes c) as causes,
      (select coalesce(json_agg(v order by v.step_id, v.variant), '[]') from variants v) as variants`.execute(db);
  const page = rows[0]!;
  return { ...page, last: page.people < runs ? null : page.last };
}

export type PersonRow = {
  id: string;
  subscriber_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  locale: string | null;
  timezone: string | null;
};

type PeoplePage = ResultPage & { outcome: BroadcastOutcome | undefined; limit: number };

/**
 * The people of one page of runs, in the order of their runs; `id` is that of the run. People who were deleted since
 * are left out. `last`: where the next page of runs begins; null after the last one.
 */
export async function listPeopleWith(
  db: Db,
  environmentId: string,
  event: ResultEvent,
  { outcome, after, limit, runs = runsPerPage }: PeoplePage,
): Promise<{ people: PersonRow[]; last: string | null }> {
  const own = runsOf(environmentId, event.eventId, after);
  const isOf = outcome === undefined ? sql`true` : hasOutcome(environmentId, event, outcome);
  // Flags are read a run at a time, because most pages are full after a few.
  const { rows: people } = await sql<PersonRow>`
    select r.id, s.subscriber_id, s.first_name, s.last_name, s.email, s.locale, s.timezone
    from (${own} limit ${runs}) as r cross join lateral ${flagsOf(environmentId)} as f
    join subscribers s on s.id = r.subscriber_id and s.environment_id = ${environmentId}
    where ${isOf}
    order by r.id limit ${limit}`.execute(db);
  if (people.length === limit) return { people, last: people.at(-1)!.id };
  const { rows } = await sql<{ id: string }>`
    select r.id from (${own} limit 1 offset ${runs - 1}) as r`.execute(db);
  return { people, last: rows[0]?.id ?? null };
}

export type NewFixedAudience = { id: string; audience_id: string; name: string; description: string; now: Date };

type FixedAudience = { outcome: BroadcastOutcome; audience: NewFixedAudience; limit: number };

/** A fixed audience of all of these people, by one statement; false where the environment has `limit` audiences. */
export async function insertAudienceWith(
  db: Db,
  environmentId: string,
  event: ResultEvent,
  { outcome, audience, limit }: FixedAudience,
): Promise<boolean> {
  const { id, audience_id, name, description, now } = audience;
  const { rows } = await sql`
    with created as (
      insert into audiences (environment_id, id, audience_id, name, description, rule, created_at, updated_at)
      select ${environmentId}, ${id}, ${audience_id}, ${name}, ${description}, null, ${now}, ${now}
      where (select count(*) from audiences where environment_id = ${environmentId}) < ${limit} returning id),
    ${runsWithFlags(environmentId, runsOf(environmentId, event.eventId))},
    members as (
      insert into audience_members (environment_id, audience_id, subscriber_id)
      select distinct ${environmentId}::uuid, (select id from created), s.id
      from runs r join flags f using (shape)
      join subscribers s on s.id = r.subscriber_id and s.environment_id = ${environmentId}
      where ${hasOutcome(environmentId, event, outcome)} and exists (select 1 from created))
    select id from created`.execute(db);
  return rows.length > 0;
}
