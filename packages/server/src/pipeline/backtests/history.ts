// What is known about the people of a page: the runs that a period had for them, how each of its steps ended, and what
// happened to them meanwhile. Loaded with a fixed number of queries, whatever the number of people, unless they have
// very many signals: then fewer people are loaded at once.
import { firstIdAt } from "../../lib/ids.ts";
import { findLedgers } from "../../store/attention/ledgers.batch.ts";
import {
  findNotificationsOfPeople,
  findPreferenceTimes,
  findSentMessages,
  findSignalsOfPeople,
  type IdRange,
  type PersonOfPeriod,
  type SentMessage,
  type StoredSignal,
} from "../../store/backtests/histories.ts";
import { findEventsOfBatch } from "../../store/events/events.batch.ts";
import type { EventRow } from "../../store/events/events.ts";
import { unpackJobs } from "../../store/events/finished-jobs.ts";
import { findJobsOfBatch } from "../../store/events/jobs.batch.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import type { NotificationRow } from "../../store/events/notifications.ts";
import { findSubscribersByKeys, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { OwnLimits } from "../../store/tables.ts";
import { findWorkflowStates, type WorkflowState } from "../../store/workflows/workflows.batch.ts";
import type { StoredStep, WorkflowVersion } from "../../store/workflows/workflows.ts";
import type { Batch } from "../batch.ts";
import { type RunEvent, toRunEvent } from "../run/run.ts";
import { loadVersions } from "../run/versions.ts";

/** Times in milliseconds; the end is exclusive. */
export type Period = { from: number; to: number };

/** How a step ended, and the messages that it made. */
export type PastStep = { step: StoredStep; job: JobRow; messages: SentMessage[] };

/** A run of the past. `isLead`: before the period, replayed for what it leaves behind. */
export type PastRun = {
  notification: NotificationRow;
  event: RunEvent;
  version: WorkflowVersion;
  actor: RecipientRow | null;
  state: WorkflowState;
  isLead: boolean;
  /** One of the people whom the event named was erased, and the payload with them. */
  isErased: boolean;
  /** By `stepId`. */
  steps: ReadonlyMap<string, PastStep>;
};

export type PersonHistory = {
  person: PersonOfPeriod;
  runs: PastRun[];
  signals: StoredSignal[];
  limits: OwnLimits | null;
  preferencesAt: Date | null;
  /** Notifications of workflows that are gone, by identifier of the workflow. */
  deletedWorkflows: Map<string, number>;
  erasedPayloads: number;
  /** The person had more than are replayed. */
  isCut: boolean;
};

/** Runs of one person that are replayed, the newest ones. */
const maxRuns = 5_000;
/** Signals that are in memory at once. */
const maxSignals = 50_000;

/** How far before the period runs are read whose steps may still count in it, such as those of an open digest. */
export const leadMs = 7 * 86_400_000;

const rangeOf = ({ from, to }: Period): IdRange => ({ from: firstIdAt(new Date(from)), to: firstIdAt(new Date(to)) });

/** People with their signals, by internal id. `isCut`: one person, of whose signals these are the newest. */
type Group = { people: PersonOfPeriod[]; signals: ReadonlyMap<string, StoredSignal[]>; isCut: boolean };

type GroupOptions = { period: Period; until: number; most?: number };

/** As many people at once as have at most `most` signals together. */
export async function* groupPeople(
  { db }: Pick<Batch, "db">,
  environmentId: string,
  people: PersonOfPeriod[],
  { period, until, most = maxSignals }: GroupOptions,
): AsyncGenerator<Group> {
  const found = await findSignalsOfPeople(db, environmentId, {
    subscriberIds: people.map(({ id }) => id),
    from: new Date(period.from - leadMs),
    to: new Date(until),
    limit: most + 1,
  });
  const isOver = found.length > most;
  if (isOver && people.length > 1) {
    const half = Math.ceil(people.length / 2);
    yield* groupPeople({ db }, environmentId, people.slice(0, half), { period, until, most });
    yield* groupPeople({ db }, environmentId, people.slice(half), { period, until, most });
    return;
  }
  const signals = Map.groupBy(found.slice(0, most), (signal) => signal.subscriber_id);
  yield { people, signals, isCut: isOver };
}

/** `hasBudgets`: every message of the days before counts. */
export async function loadHistories(
  batch: Batch,
  environmentId: string,
  { people, signals, isCut }: Group,
  { period, hasBudgets }: { period: Period; hasBudgets: boolean },
): Promise<PersonHistory[]> {
  const { db } = batch;
  const subscriberIds = people.map(({ id }) => id);
  const range = rangeOf(period);
  const lead = period.from - leadMs;
  const notifications = await findNotificationsOfPeople(db, environmentId, {
    subscriberIds,
    ...range,
    lead: firstIdAt(new Date(lead)),
    isLeadComplete: hasBudgets,
    limit: maxRuns,
  });
  const keys = notifications.map(({ environment_id, id }) => ({ environment_id, notification_id: id }));
  const stored = Map.groupBy(await findJobsOfBatch(db, keys), (job) => job.notification_id);
  const eventKeys = [...new Set(notifications.map(({ event_id }) => event_id))];
  const events = new Map(
    (
      await findEventsOfBatch(
        db,
        eventKeys.map((id) => ({ environment_id: environmentId, id })),
      )
    ).map((row) => [row.id, { row, event: toRunEvent(batch.secrets, row) }]),
  );
  const versions = await loadVersions(batch, [...new Set(notifications.map((row) => row.workflow_version_id))]);
  const states = await findWorkflowStates(db, [...new Set(notifications.map((row) => row.workflow_id))]);
  const messages = Map.groupBy(
    await findSentMessages(db, environmentId, { subscriberIds, range }),
    (message) => message.job_id,
  );
  const actors = await findActors(
    batch,
    environmentId,
    [...events.values()].map(({ row }) => row),
  );
  const ledgers = new Map(
    (
      await findLedgers(
        db,
        subscriberIds.map((id) => ({ environment_id: environmentId, subscriber_id: id })),
      )
    ).map((row) => [row.subscriber_id, row.limits]),
  );
  const preferencesAt = await findPreferenceTimes(db, environmentId, subscriberIds);
  const own = Map.groupBy(notifications, (row) => row.subscriber_id);
  return people.map((person) => {
    const history: PersonHistory = {
      person,
      runs: [],
      signals: signals.get(person.id) ?? [],
      limits: ledgers.get(person.id) ?? null,
      preferencesAt: preferencesAt.get(person.id) ?? null,
      deletedWorkflows: new Map(),
      erasedPayloads: 0,
      isCut: isCut || (own.get(person.id)?.length ?? 0) >= maxRuns,
    };
    for (const notification of own.get(person.id) ?? []) {
      const found = events.get(notification.event_id);
      const version = versions.get(notification.workflow_version_id);
      const state = states.get(notification.workflow_id);
      if (!version || version.definition.isTest) continue;
      const isLead = notification.created_at.getTime() < period.from;
      if (!state || state.isDeleted) {
        if (!isLead) addCount(history.deletedWorkflows, version.definition.workflowId);
        continue;
      }
      if (!found) {
        if (!isLead) history.erasedPayloads++;
        continue;
      }
      const { row, event } = found;
      history.runs.push({
        notification,
        event,
        version,
        actor: actors.get(row.actor?.subscriberId ?? "") ?? null,
        state,
        isLead,
        isErased: row.recipients.some(({ isErased }) => isErased),
        steps: pastSteps(notification, version, stored.get(notification.id), messages),
      });
    }
    return history;
  });
}

const addCount = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

async function findActors(
  { db }: Batch,
  environmentId: string,
  events: EventRow[],
): Promise<Map<string, RecipientRow>> {
  const keys = [...new Set(events.flatMap(({ actor }) => actor?.subscriberId ?? []))];
  const rows = await findSubscribersByKeys(db, environmentId, keys);
  return new Map(rows.map((row) => [row.subscriber_id, row]));
}

function pastSteps(
  notification: NotificationRow,
  { definition }: WorkflowVersion,
  stored: JobRow[] | undefined,
  messages: ReadonlyMap<string, SentMessage[]>,
): PastRun["steps"] {
  const steps = definition.steps.filter(({ active }) => active);
  const jobs = stored ?? unpackJobs(notification);
  return new Map(
    jobs.flatMap((job) => {
      const step = steps[job.step_index];
      return step ? [[step.stepId, { step, job, messages: messages.get(job.id) ?? [] }] as const] : [];
    }),
  );
}
