// Jobs of runs that ended in the transaction that began them: an in-app message was sent, or there was nothing to send.
// They are a short text in their notification and have no separate rows (docs/decisions/0023-finished-jobs.md).
import { type RawBuilder, type Selectable, sql } from "kysely";
import { jobIdOf } from "../../lib/ids.ts";
import type { FinishedJob, StoredDetail, Tables } from "../tables.ts";

type JobRow = Selectable<Tables["jobs"]>;

/** The parts of a notification that its finished jobs are read from. */
export type JobSource = Pick<
  Selectable<Tables["notifications"]>,
  "id" | "environment_id" | "created_at" | "finished_jobs" | "later_details"
>;

/** The details of an in-app message that was sent. */
const usualDetails = ["message_created", "message_sent"];

const isUsual = (details: readonly StoredDetail[]): boolean =>
  details.length === usualDetails.length &&
  details.every((detail, at) => isName(detail) && detail.d === usualDetails[at]);

/** Whether the detail has nothing but a name, and its time. */
const isName = ({ p, y, r }: StoredDetail): boolean => p === undefined && y === undefined && r === undefined;

function withoutTime(detail: StoredDetail): string | Omit<StoredDetail, "t"> {
  if (isName(detail)) return detail.d;
  const { t, ...rest } = detail;
  return rest;
}

/**
 * The jobs as their notification holds them; null when they need their own rows, because one of them waits, is sent by
 * a provider, failed (and may be replayed) or has a result. All times are that of the notification, and the ids follow
 * from its id.
 */
export function packJobs(jobs: JobRow[], createdAt: Date): FinishedJob[] | null {
  const time = createdAt.getTime();
  const packed: FinishedJob[] = [];
  for (const job of jobs) {
    const { type, status, details } = job;
    const isPlain = !(job.provider_id || job.output || job.digest || job.bridge || job.merged_into || job.wake_at);
    const isSent = status === "completed" && type === "in_app";
    if (!isPlain || !(isSent || status === "skipped") || details.some(({ t }) => t !== time)) return null;
    packed.push(isSent && isUsual(details) ? "in_app" : [type, status, ...details.map(withoutTime)]);
  }
  return packed;
}

/** The jobs as if they had rows. */
export function unpackJobs({ id, environment_id, created_at, finished_jobs, later_details }: JobSource): JobRow[] {
  const t = created_at.getTime();
  return (finished_jobs ?? []).map((job, step_index) => {
    const [type, status, ...details] = job === "in_app" ? (["in_app", "completed", ...usualDetails] as const) : job;
    const jobId = jobIdOf(id, step_index);
    const later = (later_details ?? []).flatMap(({ j, ...detail }) => (j === jobId ? [detail] : []));
    return {
      id: jobId,
      environment_id,
      notification_id: id,
      step_index,
      type,
      status,
      provider_id: null,
      details: [
        ...details.map((detail) => (typeof detail === "string" ? { d: detail, t } : { ...detail, t })),
        ...later,
      ],
      output: null,
      digest: null,
      bridge: null,
      merged_into: null,
      wake_at: null,
      updated_at: new Date(later.at(-1)?.t ?? t),
    };
  });
}

/**
 * The finished jobs of the notification `n` that were skipped: type, and the name of the last detail. Most
 * notifications have none, and searching for the word is faster than reading JSON.
 */
export const skippedJobs = sql`(
  select f.job->>0 as type, case when jsonb_array_length(f.job) = 2 then 'unknown'
    else coalesce(f.job->-1->>'d', f.job->>-1) end as reason
  from jsonb_array_elements(case when n.finished_jobs::text like '%"skipped"%' then n.finished_jobs::jsonb else '[]' end) as f(job)
  where f.job->>1 = 'skipped')`;

/** The outcome of the notification `n`, whose jobs are finished. */
export const finishedOutcome = sql`case when n.finished_jobs::jsonb @? 'strict $[*] ? (@ == "in_app" || @[1] == "completed")'
  then 'delivered' else 'skipped' end`;

/**
 * The step of a message's job whose row is not there: the number that its id adds to that of the notification
 * (lib/ids.ts).
 */
export const stepOfFinishedJob = (message: RawBuilder<unknown>): RawBuilder<number> => {
  const lastBits = (id: RawBuilder<unknown>) => sql`('x' || right(${id}::text, 4))::bit(16)::int`;
  return sql`((${lastBits(sql`${message}.job_id`)} - ${lastBits(sql`${message}.notification_id`)} - 1) & 65535)`;
};

/**
 * Two parts of a `with`: they add a detail to the jobs of `changed` (environment_id, notification_id, job_id and the
 * expressions given), to rows and to finished jobs. `isOnce`: not to a job that has a detail of this name.
 */
export function noteOnJobs({ detail, at, isOnce }: Note): RawBuilder<unknown> {
  const named = sql`jsonb_build_array(jsonb_build_object('d', ${detail}->'d'))`;
  const isNew = isOnce ? sql`not j.details @> ${named}` : sql`true`;
  const namedLater = sql`jsonb_build_array(jsonb_build_object('d', ${detail}->'d', 'j', c.job_id))`;
  const isNewLater = isOnce ? sql`not coalesce(f.later_details, '[]') @> ${namedLater}` : sql`true`;
  return sql`
    noted as (
      update jobs j set details = j.details || ${detail}, updated_at = ${at} from changed c
      where j.environment_id = c.environment_id and j.notification_id = c.notification_id and j.id = c.job_id and ${isNew}),
    noted_later as (
      update notifications n set later_details = coalesce(n.later_details, '[]') || l.details
      from (
        select c.environment_id, c.notification_id, jsonb_agg(${detail} || jsonb_build_object('j', c.job_id)) as details
        from changed c cross join lateral (
          select later_details from notifications o where o.environment_id = c.environment_id and o.id = c.notification_id
            and o.finished_jobs is not null offset 0) as f
        where ${isNewLater} group by 1, 2) as l
      where n.environment_id = l.environment_id and n.id = l.notification_id)`;
}

type Note = { detail: RawBuilder<StoredDetail>; at: RawBuilder<Date>; isOnce?: boolean };
