// After the drain nothing is left that no process will finish: no overdue task or lapsed claim, no wait that is over,
// no call without a result, no page, outbox row or retraction on its way, no lock, no open or prepared transaction.
import type { Judge, PromiseCheck } from "../judge.ts";
import type { World } from "../world.ts";

/** A task is late after so long, and a transaction forgotten. */
const lateMs = 60_000;

type Question = {
  /** What one row is called. */
  what: string;
  /** Selects `id`, a text, and `at`, if there is a time. $1: environments, $2: the moment before which it is late. */
  text: string;
  isOfServer?: boolean;
};

const questions: Question[] = [
  {
    what: "a task whose claim has lapsed",
    text: `select name || ' ' || id as id, started_on as at from queue.job_common
      where state = 'active' and coalesce(heartbeat_on, started_on) < $2`,
  },
  {
    what: "a task that is overdue",
    text: `select name || ' ' || id as id, start_after as at from queue.job_common
      where state < 'active' and start_after < $2 and singleton_key = any($1::text[])`,
  },
  {
    what: "a run that waits for a moment that has passed",
    text: `select notification_id || ' ' || type as id, wake_at as at from jobs
      where environment_id = any($1::uuid[]) and status in ('delayed', 'queued') and wake_at < $2`,
  },
  {
    what: "a run that waits for nothing",
    text: `select j.notification_id || ' ' || j.type as id, j.updated_at as at from jobs j
      where j.environment_id = any($1::uuid[]) and j.updated_at < $2 and (
        j.status = 'queued' and not exists (select from messages m where m.environment_id = j.environment_id
          and m.job_id = j.id and m.status = 'pending')
        or j.status = 'pending' and not exists (select from jobs b where b.environment_id = j.environment_id
          and b.notification_id = j.notification_id and b.step_index < j.step_index
          and b.status in ('pending', 'queued', 'delayed')))`,
  },
  {
    what: "a message that is not sent",
    text: `select id, updated_at as at from messages
      where environment_id = any($1::uuid[]) and status = 'pending' and updated_at < $2`,
  },
  {
    what: "an attempt without a result",
    text: `select message_id as id, started_at as at from attempts
      where environment_id = any($1::uuid[]) and outcome is null and started_at < $2`,
  },
  {
    what: "a wait of a run that has ended",
    text: `select w.job_id as id, null as at from run_waits w
      where w.environment_id = any($1::uuid[]) and not exists (select from jobs j where j.environment_id = w.environment_id
        and j.notification_id = w.notification_id and j.id = w.job_id and j.status = 'delayed')`,
  },
  {
    what: "a digest that is open past its time",
    text: `select leader_job_id as id, due_at as at from digest_windows
      where environment_id = any($1::uuid[]) and due_at < $2`,
  },
  {
    what: "a page of a broadcast that was not sent",
    text: `select event_id || ' ' || page as id, due_at as at from event_pages
      where environment_id = any($1::uuid[]) and state = 'waiting' and due_at < $2`,
  },
  {
    what: "an event that not all people were reached by",
    text: `select id, created_at as at from events where environment_id = any($1::uuid[]) and audience is not null
        and expanded_at is null and canceled_at is null and refusal is null and created_at < $2`,
  },
  {
    what: "a retraction that has not ended",
    text: `select id, created_at as at from retractions
      where environment_id = any($1::uuid[]) and status = 'running' and created_at < $2`,
  },
  {
    what: "a message that is being taken back",
    text: `select id, at from retracted_messages
      where environment_id = any($1::uuid[]) and state in ('in_flight', 'taking_back') and at < $2`,
  },
  {
    what: "a call by SQL that was not taken from the outbox",
    text: `select id::text, created_at as at from sql_outbox where environment_id = any($1::uuid[]) and created_at < $2`,
  },
  {
    what: "a task that was set aside",
    text: `select kind || ': ' || left(error, 200) as id, created_at as at from failed_tasks
      where environment_id = any($1::uuid[]) and status = 'open'`,
  },
  {
    what: "a prepared transaction",
    isOfServer: true,
    text: "select gid as id, prepared as at from pg_prepared_xacts where database = current_database()",
  },
  {
    what: "a transaction that stays open",
    isOfServer: true,
    text: `select coalesce(application_name, '') || ': ' || left(query, 100) as id, xact_start as at from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and xact_start < clock_timestamp() - interval '60 s'`,
  },
  {
    what: "an advisory lock of a session that is idle",
    isOfServer: true,
    text: `select coalesce(a.application_name, '') || ' ' || l.classid || ' ' || l.objid as id, a.state_change as at
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and a.datname = current_database() and a.pid <> pg_backend_pid()
        and a.state = 'idle'`,
  },
];

export default {
  id: "nothing-stuck",
  title: "When all has come to rest, no task, lease, wait, lock or transaction is left behind",
  async check(world, judge) {
    if (world.run.isDrained === false) judge.note("something was still in progress when clients read what came of it");
    if (!world.database) return judge.note("without the database");
    for (const question of questions) await ask(world, judge, question);
  },
} satisfies PromiseCheck;

const maxRows = 50;

async function ask({ database, run }: World, judge: Judge, { what, text, isOfServer }: Question): Promise<void> {
  // The service may have been stopped since: what was not late at the end of the run is not.
  const late = new Date(run.endedAt - lateMs);
  const values = isOfServer ? [] : [run.environments.map(({ id }) => id), late];
  const used = values.filter((_, index) => text.includes(`$${index + 1}`));
  const renumbered = text.includes("$1") ? text : text.replaceAll("$2", "$1");
  const [count] = await database!.query<{ count: string }>(`select count(*) as count from (${renumbered}) as q`, used);
  judge.compared();
  if (Number(count!.count) === 0) return;
  const rows = await database!.query<{ id: string; at: Date | null }>(`${renumbered} limit ${maxRows}`, used);
  for (const { id, at } of rows) judge.broken(`${what}: ${id}`, at ? { at: at.getTime() } : {});
}
