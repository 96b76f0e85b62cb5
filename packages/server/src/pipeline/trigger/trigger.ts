// The stages `trigger` and `fanout`: from accepted events to runs.
//
// 1-trigger takes events from the queue, a task per 100 recipients of a request, in order of arrival. As many
// recipients as one transaction should have are started at once; the other events go back to the queue (batch-plan.ts).
// An event with more recipients than that is cut into slices, its audience into pages, and all but the first page
// become tasks of 2-fanout. 2-fanout works one slice or page. For the recipients of either stage, subscribers are
// created or updated, one notification with its jobs is created for each, and every run is advanced as far as it goes,
// all in one transaction and a fixed number of statements per batch.
import { isChannel } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { jobIdOf } from "../../lib/ids.ts";
import { runInserts } from "../../store/bulk.ts";
import { inSavepoint } from "../../store/db.ts";
import { lockEvents } from "../../store/events/events.batch.ts";
import { type EventRow, endWalk, eventInsert, type NewEvent } from "../../store/events/events.ts";
import { findDatabaseFault } from "../../store/faults.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { StoredDetail, WorkflowDefinition } from "../../store/tables.ts";
import { findWorkflowStates, type WorkflowState } from "../../store/workflows/workflows.batch.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { type Batch, openBatch, transact } from "../batch.ts";
import { freezeAudience } from "../broadcasts/freeze.ts";
import { endFixedWalk, takeFixedPage } from "../broadcasts/walk.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { supersedeRuns } from "../retract/supersede.ts";
import { detail } from "../rules/details.ts";
import { ignoredOverrides, severityOverride } from "../rules/overrides.ts";
import { advanceAll, writeProgress } from "../run/progress.ts";
import { type JobState, type Run, type RunEvent, toRunEvent } from "../run/run.ts";
import { loadVersions, rulesOf } from "../run/versions.ts";
import {
  environmentOf,
  type FanoutTask,
  type FreezeTask,
  keysIn,
  type PageTask,
  recipientsPerTask,
  type TriggerTask,
  type WalkEndTask,
} from "../tasks.ts";
import { type Member, readPage } from "./audience.ts";
import { addTask, followPage, newPlan, releaseHeldEvents, type Start, tasksOfRequests } from "./batch-plan.ts";
import { type Recipients, upsertRecipients } from "./recipients.ts";

export async function runTrigger(ctx: Ctx, tasks: Task<TriggerTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    const events = await lockEvents(
      tx.db,
      keysIn(tasks, ({ eventIds }) => eventIds),
    );
    const batch = await openBatch(
      tx,
      events.map((event) => event.environment_id),
    );
    const byId = new Map(events.map((event) => [event.id, event]));
    const plan = newPlan();
    // In order of arrival, even when the queue has taken tasks in another order.
    for (const { data } of tasks.toSorted((a, b) => (firstEventOf(a) < firstEventOf(b) ? -1 : 1))) {
      const own = data.eventIds.flatMap((id) => byId.get(id) ?? []);
      await addTask(batch, plan, own, data.isOrdered === true);
    }
    await batch.queue.finish(batch.db, "trigger", tasks);
    await enqueueTimed(batch, "trigger", plan.triggerTasks);
    await enqueueTimed(batch, "fanout", plan.fanoutTasks);
    await startRuns(batch, plan.starts);
  });
}

const firstEventOf = ({ data }: Task<TriggerTask>): string => data.eventIds[0] ?? "";

/**
 * Recipients of a request whose runs start in the transaction that accepts their events: of one event, and of a bulk
 * request, of which few are accepted at a time (http/admission.ts). A process that only has the role `api` leaves bulk
 * requests to the workers.
 */
const maxAtOnce = { alone: 5, bulk: recipientsPerTask };
/** How long a request waits for a subscriber that another transaction is changing. */
const lockMs = 100;
/** How long a transaction of requests evaluates steps; the runs that are left continue as tasks. */
const evaluationMs = 250;

/**
 * Stores the just accepted events of each request and starts their runs in the transaction of the request, where that
 * is little work: the message is in the feed when the response is sent. Otherwise, and when starting them fails, the
 * events are stored with tasks for the workers: an error here neither refuses nor loses an event
 * (docs/decisions/0014-work-at-once.md).
 */
export async function storeAndStart(batch: Batch, environmentId: string, requests: NewEvent[][]): Promise<void> {
  const small = requests.filter((events) => isSmall(batch, events));
  const versions = await loadVersions(
    batch,
    small.flat().map((event) => event.workflow_version_id),
  );
  const startable = new Set(
    small.filter((events) => events.every((event) => isImmediate(versions.get(event.workflow_version_id)!))),
  );
  const isStarted = await startAtOnce(batch, [...startable].flat());
  const waiting = requests.filter((events) => !isStarted || !startable.has(events)).flat();
  if (waiting.length === 0) return;
  await runInserts(batch.db, [eventInsert(waiting)]);
  const queued = requests.filter((events) => !isStarted || !startable.has(events));
  await enqueueTimed(batch, "trigger", await tasksOfRequests(batch, environmentId, queued));
}

function isSmall({ config }: Batch, events: NewEvent[]): boolean {
  const recipients = events.reduce((sum, event) => sum + event.recipients.length, 0);
  const most = events.length > 1 && config.roles.has("worker") ? maxAtOnce.bulk : maxAtOnce.alone;
  return events.length > 0 && recipients <= most && !events.some((event) => event.audience);
}

/** Channel steps, branches and experiments neither wait nor count events of other requests. */
const isImmediate = ({ definition }: WorkflowVersion): boolean =>
  definition.steps.every(
    ({ active, type }) => !active || isChannel(type) || type === "branch" || type === "experiment",
  );

async function startAtOnce(batch: Batch, events: NewEvent[]): Promise<boolean> {
  if (events.length === 0) return false;
  try {
    const starts = events.map((event) => ({ event, recipients: event.recipients }));
    await inSavepoint(batch.db, lockMs, () => startRuns(batch, starts, { stored: events, maxMs: evaluationMs }));
    return true;
  } catch (error) {
    // They could not be enqueued either.
    const fault = findDatabaseFault(error);
    if (fault === "disk_full" || fault === "unreachable") throw error;
    batch.log.warn({ err: error }, "events could not be worked on with their request and were enqueued");
    return false;
  }
}

export async function runFanout(ctx: Ctx, tasks: Task<FanoutTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    const walkEnds = tasks.flatMap(({ data }) => ("environmentId" in data ? data : []));
    const pages = tasks.flatMap(({ data }) => (isPage(data) ? data : []));
    const events = await lockEvents(
      tx.db,
      keysIn(tasks, (data) => (isPage(data) ? [data.eventId] : [])),
    );
    const byId = new Map(events.map((event) => [event.id, event]));
    const batch = await openBatch(tx, tasks.map(environmentOf));
    await batch.queue.finish(batch.db, "fanout", tasks);
    for (const end of walkEnds) {
      const { environmentId, eventId } = end;
      if (end.isFixed) {
        await endFixedWalk(batch, end);
        continue;
      }
      const { hasHeldEvents } = await endWalk(batch.db, environmentId, eventId, batch.clock.now(environmentId));
      if (hasHeldEvents) await releaseHeldEvents(batch, environmentId, end);
    }
    for (const task of tasks) {
      if ("isFreeze" in task.data) await freezeAudience(batch, environmentOf(task), task.data);
    }
    const starts: Start[] = [];
    // The stage takes one task per batch: a page or slice is as large as a transaction should be.
    for (const data of pages) {
      const event = byId.get(data.eventId);
      if (!event) continue;
      if ("from" in data) starts.push({ event, recipients: event.recipients.slice(data.from, data.to) });
      else if ("lane" in data) starts.push({ event, members: await takeFixedPage(batch, event, data) });
      else starts.push({ event, members: await takePage(batch, event, data) });
    }
    await startRuns(batch, starts);
  });
}

/** Walk ends and freezes lock their events themselves, or not at all. */
const isPage = (data: FanoutTask): data is Exclude<FanoutTask, WalkEndTask | FreezeTask> =>
  !("environmentId" in data || "isFreeze" in data);

async function takePage(batch: Batch, event: EventRow, page: PageTask): Promise<Member[]> {
  const { members, next } = await readPage(batch, event, page);
  await enqueueTimed(batch, "fanout", await followPage(batch, event, next));
  return members;
}

/** `stored`: events that are stored with their runs. `maxMs`: how long steps may be evaluated. */
type StartOptions = { stored?: NewEvent[]; maxMs?: number };

async function startRuns(batch: Batch, starts: Start[], { stored, maxMs }: StartOptions = {}): Promise<void> {
  if (starts.length === 0) return;
  const recipients = await upsertRecipients(batch, starts);
  const workflowIds = [...new Set(starts.map(({ event }) => event.workflow_id))];
  // Deleting a workflow also stops events that were accepted before the deletion. The workflows of events that are
  // accepted now were just found.
  const states = stored ? new Map<string, WorkflowState>() : await findWorkflowStates(batch.db, workflowIds);
  const runs = await makeRuns(batch, starts, recipients, states);
  if (starts.some(({ event }) => event.supersede_key !== null)) await supersedeRuns(batch, runs);
  await writeProgress(batch, await advanceAll(batch, runs, { maxMs }), stored);
}

/**
 * New runs with all jobs pending. `states`: the workflows, where they may have changed since their events. Reads only.
 */
export async function makeRuns(
  batch: Batch,
  starts: Start[],
  { findRecipient, findMember }: Recipients,
  states: ReadonlyMap<string, WorkflowState> = new Map(),
): Promise<Run[]> {
  const versions = await loadVersions(
    batch,
    starts.map(({ event }) => event.workflow_version_id),
  );
  const runs: Run[] = [];
  for (const { event, recipients = [], members = [] } of starts) {
    const version = versions.get(event.workflow_version_id)!;
    const state = states.get(event.workflow_id);
    const findByKey = (id: string | undefined) => findRecipient(event, id);
    const steps = version.definition.steps.filter((step) => step.active);
    const runEvent = toRunEvent(batch.secrets, event);
    const notes = eventNotes(runEvent, version.definition, batch.clock.now(event.environment_id));
    const actor = findByKey(event.actor?.subscriberId);
    const addRun = (subscriber: Run["subscriber"], subscriptions: Run["subscriptions"]) => {
      const notificationId = batch.newId();
      runs.push({
        notificationId,
        environmentId: event.environment_id,
        isNew: true,
        event: runEvent,
        version,
        subscriber,
        actor,
        isWorkflowDeleted: state?.isDeleted ?? false,
        rules: rulesOf(version, state),
        contextKeys: event.context_keys,
        subscriptions,
        jobs: steps.map((step, stepIndex) => newJob(notificationId, step, stepIndex, notes)),
      });
    };
    for (const { subscriberId } of recipients) {
      const subscriber = findByKey(subscriberId);
      // A subscriber who is being erased, or was erased since the event came, is left out.
      if (subscriber) addRun(subscriber, null);
    }
    for (const { subscriber, subscriptions } of members) addRun(findMember(event, subscriber), subscriptions);
  }
  return runs;
}

/** A detail about the event as a whole: stored with the job of its step, without a step with the first job. */
type EventNote = { stepId: string | null; detail: StoredDetail };

function eventNotes({ overrides }: RunEvent, definition: WorkflowDefinition, now: Date): EventNote[] {
  if (overrides === null) return [];
  const severity = severityOverride(overrides);
  const notes = ignoredOverrides(
    overrides,
    definition.steps.filter((step) => step.active),
  ).map(({ stepId, path, reason }): EventNote => {
    return { stepId, detail: detail("override_ignored", now, { raw: { override: path, reason } }) };
  });
  if (severity && severity !== definition.severity) {
    const raw = { severity, workflow: definition.severity };
    notes.push({ stepId: null, detail: detail("severity_overridden", now, { raw }) });
  }
  return notes;
}

const newJob = (notificationId: string, step: JobState["step"], stepIndex: number, notes: EventNote[]): JobState => ({
  id: jobIdOf(notificationId, stepIndex),
  stepIndex,
  step,
  status: "pending",
  providerId: null,
  details: [],
  newDetails: notes.flatMap(({ stepId, detail }) =>
    (stepId === null ? stepIndex === 0 : stepId === step.stepId) ? detail : [],
  ),
  output: null,
  digest: null,
  bridge: null,
  mergedInto: null,
  wakeAt: null,
});
