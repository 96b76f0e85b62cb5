// The rows of the run, read by the auditor's own SQL (packages/server/src/store/schema.sql is the schema): events, runs
// with their jobs, messages with their attempts. Other environments of the database are left out.

import type { Database } from "./database.ts";
import type { Run } from "./evidence.ts";
import type { EventEntry, Ledger } from "./ledger.ts";

export type EventRow = {
  id: string;
  environment: string;
  transactionId: string;
  text: string;
  /** What the ledger says of this text. */
  entry: EventEntry | null;
  workflowId: string;
  createdAt: number;
  isCanceled: boolean;
  isRefused: boolean;
  /** A topic or broadcast whose people have not all got their run. */
  isExpanding: boolean;
  /** Started by the service: a roll-up. */
  isOwn: boolean;
  /** The id that the jobs name which were held for this roll-up. */
  rollUp: string | null;
};

/** `codes`: the names of its execution details, in order. */
export type JobRow = {
  type: string;
  status: string;
  codes: readonly string[];
  /** For a delay, digest or wait: when it began, what it was to wait for, and when it ended. */
  begunAt?: number;
  until?: number;
  endedAt?: number;
  rollUp?: string;
};

type RunRow = {
  id: string;
  environment: string;
  eventId: string;
  person: string | null;
  jobs: readonly JobRow[];
  createdAt: number;
};

type AttemptRow = { outcome: string | null; startedAt: number; finishedAt: number | null };

export type MessageRow = {
  id: string;
  environment: string;
  runId: string;
  eventId: string;
  person: string | null;
  channel: string;
  status: string;
  address: string | null;
  text: string;
  createdAt: number;
  /** In the list of its inbox. */
  isListed: boolean;
  isRead: boolean;
  isSeen: boolean;
  attempts: readonly AttemptRow[];
  hasDeadLetter: boolean;
  /** What a retraction or a later event did with it. */
  retracted: string | null;
};

export type Rows = {
  events: Map<string, EventRow>;
  /** By text. */
  byText: Map<string, EventRow[]>;
  /** By event. */
  runs: Map<string, RunRow[]>;
  messages: Map<string, MessageRow>;
  /** Events that are roll-ups, by the id that the held jobs name. */
  rollUps: Map<string, EventRow>;
  /** In-app messages by environment and person. */
  byPerson: Map<string, MessageRow[]>;
};

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
const begun = `'$[*] ? (@.d == "step_delayed" || @.d == "wait_begun" || @.d == "step_digested")'`;
const ended = `'$[*] ? (@.d == "delay_finished" || @.d == "wait_met" || @.d == "wait_timed_out" || @.d == "digest_sent_on")'`;

export async function readRows(database: Database, run: Run, ledger: Ledger): Promise<Rows> {
  const names = new Map(run.environments.map(({ id, name }) => [id, name]));
  const ids = [...names.keys()];
  const rows: Rows = {
    events: new Map(),
    byText: new Map(),
    runs: new Map(),
    messages: new Map(),
    rollUps: new Map(),
    byPerson: new Map(),
  };
  await readEvents(database, ids, (row) => addEvent(rows, ledger, names, row));
  const jobs = await readJobs(database, ids);
  const intern = createIntern();
  await database.each<StoredRun>(
    `select n.id, n.environment_id, n.event_id, s.subscriber_id, n.finished_jobs::text as finished, ${ms("n.created_at")} as at
     from notifications n left join subscribers s on s.id = n.subscriber_id where n.environment_id = any($1::uuid[])`,
    [ids],
    (row) => addRun(rows, names, row, jobs.get(row.id) ?? intern(row.finished)),
  );
  await readMessages(database, ids, (row) => addMessage(rows, names, row));
  return rows;
}

type StoredEvent = {
  id: string;
  environment_id: string;
  transaction_id: string;
  text: string | null;
  workflow: string | null;
  at: number;
  is_canceled: boolean;
  is_refused: boolean;
  is_expanding: boolean;
  is_own: boolean;
  roll_up: string | null;
};

const readEvents = (database: Database, ids: string[], onRow: (row: StoredEvent) => void): Promise<void> =>
  database.each<StoredEvent>(
    `select e.id, e.environment_id, e.transaction_id, e.payload->>'text' as text, w.workflow_id as workflow,
       ${ms("e.created_at")} as at, e.canceled_at is not null as is_canceled, e.refusal is not null as is_refused,
       e.audience is not null and e.expanded_at is null and e.canceled_at is null and e.refusal is null as is_expanding,
       e.started_by is not null as is_own, e.started_by->'rollUp'->>'id' as roll_up
     from events e left join workflows w on w.id = e.workflow_id where e.environment_id = any($1::uuid[])`,
    [ids],
    onRow,
  );

function addEvent(rows: Rows, { events, byTransaction }: Ledger, names: Map<string, string>, row: StoredEvent): void {
  const environment = names.get(row.environment_id)!;
  const text = row.text ?? "";
  const entry = events.get(text) ?? byTransaction.get(`${environment} ${row.transaction_id}`) ?? null;
  const event: EventRow = {
    ...{ id: row.id, environment, transactionId: row.transaction_id, text, entry, workflowId: row.workflow ?? "" },
    ...{ createdAt: row.at, isCanceled: row.is_canceled, isRefused: row.is_refused },
    ...{ isExpanding: row.is_expanding, isOwn: row.is_own, rollUp: row.roll_up },
  };
  rows.events.set(row.id, event);
  if (event.rollUp) rows.rollUps.set(event.rollUp, event);
  if (!entry) return;
  const found = rows.byText.get(entry.text) ?? [];
  found.push(event);
  rows.byText.set(entry.text, found);
}

type StoredJob = {
  notification_id: string;
  type: string;
  status: string;
  codes: string[];
  begun: { t: number; r?: { until?: string } } | null;
  ended: { t: number } | null;
  roll_up: string | null;
};

async function readJobs(database: Database, ids: string[]): Promise<Map<string, JobRow[]>> {
  const jobs = new Map<string, JobRow[]>();
  await database.each<StoredJob>(
    `select notification_id, type, status, jsonb_path_query_array(details, '$[*].d') as codes,
       case when type in ('delay', 'digest', 'wait') then jsonb_path_query_first(details, ${begun}) end as begun,
       case when type in ('delay', 'digest', 'wait') then jsonb_path_query_first(details, ${ended}) end as ended,
       case when type not in ('delay', 'digest', 'wait') and status = 'skipped' then merged_into end as roll_up
     from jobs where environment_id = any($1::uuid[]) order by notification_id, step_index`,
    [ids],
    (row) => {
      const own = jobs.get(row.notification_id) ?? [];
      own.push(toJob(row));
      jobs.set(row.notification_id, own);
    },
  );
  return jobs;
}

const toJob = ({ type, status, codes, begun, ended, roll_up }: StoredJob): JobRow => ({
  ...{ type, status, codes },
  ...(begun && { begunAt: begun.t, ...(begun.r?.until && { until: Date.parse(begun.r.until) }) }),
  ...(ended && { endedAt: ended.t }),
  ...(roll_up && { rollUp: roll_up }),
});

const usual: JobRow = { type: "in_app", status: "completed", codes: ["message_created", "message_sent"] };

/** Most runs have the same few finished jobs: each kind is kept once. */
function createIntern(): (finished: string | null) => readonly JobRow[] {
  const known = new Map<string, readonly JobRow[]>();
  const unpack = (finished: string): readonly JobRow[] =>
    (JSON.parse(finished) as (string | [string, string, ...(string | { d: string })[]])[]).map((job) => {
      if (typeof job === "string") return { ...usual, type: job };
      const [type, status, ...details] = job;
      return { type, status, codes: details.map((detail) => (typeof detail === "string" ? detail : detail.d)) };
    });
  return (finished) => {
    if (finished === null) return [];
    // Particulars of skipped steps differ from run to run, their names do not.
    if (!known.has(finished)) {
      if (known.size > 10_000) return unpack(finished);
      known.set(finished, unpack(finished));
    }
    return known.get(finished)!;
  };
}

type StoredRun = {
  id: string;
  environment_id: string;
  event_id: string;
  subscriber_id: string | null;
  finished: string | null;
  at: number;
};

function addRun(rows: Rows, names: Map<string, string>, row: StoredRun, jobs: readonly JobRow[]): void {
  const own = rows.runs.get(row.event_id) ?? [];
  own.push({
    ...{ id: row.id, environment: names.get(row.environment_id)!, eventId: row.event_id },
    ...{ person: row.subscriber_id, jobs, createdAt: row.at },
  });
  rows.runs.set(row.event_id, own);
}

type StoredMessage = {
  id: string;
  environment_id: string;
  notification_id: string;
  event_id: string;
  subscriber_id: string | null;
  channel: string;
  status: string;
  address: string | null;
  text: string | null;
  at: number;
  is_listed: boolean;
  is_read: boolean;
  is_seen: boolean;
  attempts: [string | null, number, number | null][] | null;
  has_letter: boolean;
  retracted: string | null;
};

const maxText = 100_000;

const readMessages = (database: Database, ids: string[], onRow: (row: StoredMessage) => void): Promise<void> =>
  database.each<StoredMessage>(
    `select m.id, m.environment_id, m.notification_id, m.event_id, s.subscriber_id, m.channel, m.status, m.address,
       left(case m.channel when 'in_app' then m.content else coalesce(m.subject, m.content) end, ${maxText}) as text,
       ${ms("m.created_at")} as at, m.read_at is not null as is_read, m.seen_at is not null as is_seen,
       m.channel = 'in_app' and m.status = 'sent' and m.archived_at is null
         and (m.snoozed_until is null or m.snoozed_until <= now()) and (m.expires_at is null or m.expires_at > now())
         as is_listed,
       a.attempts, d.message_id is not null as has_letter, t.state as retracted
     from messages m left join subscribers s on s.id = m.subscriber_id
     left join (
       select environment_id, message_id,
         json_agg(json_build_array(outcome, ${ms("started_at")}, ${ms("finished_at")}) order by id) as attempts
       from attempts where environment_id = any($1::uuid[]) group by 1, 2) a
       on a.environment_id = m.environment_id and a.message_id = m.id
     left join (select distinct message_id from dead_letters where environment_id = any($1::uuid[])) d
       on d.message_id = m.id
     left join retracted_messages t on t.environment_id = m.environment_id and t.id = m.id
     where m.environment_id = any($1::uuid[]) order by m.id desc`,
    [ids],
    onRow,
  );

const noAttempts: readonly AttemptRow[] = [];

function addMessage(rows: Rows, names: Map<string, string>, row: StoredMessage): void {
  const environment = names.get(row.environment_id)!;
  const attempts = row.attempts?.map(([outcome, startedAt, finishedAt]) => ({ outcome, startedAt, finishedAt }));
  const message: MessageRow = {
    ...{ id: row.id, environment, runId: row.notification_id, eventId: row.event_id, person: row.subscriber_id },
    ...{ channel: row.channel, status: row.status, address: row.address, text: row.text ?? "", createdAt: row.at },
    ...{ isListed: row.is_listed, isRead: row.is_read, isSeen: row.is_seen },
    ...{ attempts: attempts ?? noAttempts, hasDeadLetter: row.has_letter, retracted: row.retracted },
  };
  rows.messages.set(row.id, message);
  if (row.channel !== "in_app" || row.subscriber_id === null) return;
  const key = `${environment} ${row.subscriber_id}`;
  const own = rows.byPerson.get(key) ?? [];
  own.push(message);
  rows.byPerson.set(key, own);
}
