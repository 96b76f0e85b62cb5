// Stage 2: from events to runs. Recipients are created or updated, one notification with its jobs is made for each, and
// every run is taken as far as it goes at once, all in one transaction and a fixed number of statements per batch.
import type { Ctx } from "../../context.ts";
import { lockEvents } from "../../store/events/events.batch.ts";
import { beginWalks, type EventRow, endWalk } from "../../store/events/events.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { StoredDetail, StoredRecipient, WorkflowDefinition } from "../../store/tables.ts";
import { findDeletedWorkflows } from "../../store/workflows/workflows.batch.ts";
import { type Batch, openBatch, transact } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { ignoredOverrides, severityOverride } from "../rules/overrides.ts";
import { advanceAll, writeProgress } from "../run/progress.ts";
import { type JobState, type Run, type RunEvent, toRunEvent } from "../run/run.ts";
import { loadVersions } from "../run/versions.ts";
import type { FanoutTask, PageTask } from "../tasks.ts";
import { type Member, readPage } from "./audience.ts";
import { bringInSubscribers, type People } from "./recipients.ts";

export async function runFanout(ctx: Ctx, tasks: Task<FanoutTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    const ends = tasks.flatMap(({ data }) => ("environmentId" in data ? data : []));
    const pages = tasks.flatMap(({ data }) => ("environmentId" in data ? [] : data));
    const events = await lockEvents(tx.db, [...new Set(pages.map((page) => page.eventId))]);
    const byId = new Map(events.map((event) => [event.id, event]));
    const batch = await openBatch(tx, [
      ...events.map((event) => event.environment_id),
      ...ends.map((end) => end.environmentId),
    ]);
    await batch.queue.finish(batch.db, "fanout", tasks);
    for (const { environmentId, eventId } of ends) {
      await endWalk(batch.db, environmentId, eventId, batch.clock.now(environmentId));
    }
    const starts: Start[] = [];
    // A batch of this stage is one task: a page is as large as a transaction should be.
    for (const data of pages) {
      const event = byId.get(data.eventId);
      if (!event) continue;
      if ("from" in data) starts.push({ event, recipients: event.recipients.slice(data.from, data.to) });
      else starts.push({ event, members: await takePage(batch, event, data) });
    }
    await startRuns(batch, starts);
  });
}

/**
 * The next page is enqueued in the transaction of this one: the walk can be interrupted, but skips and repeats nobody. The
 * end of a walk is a task of its own: it changes the event, which this transaction shares with other walks.
 */
async function takePage(batch: Batch, event: EventRow, page: PageTask): Promise<Member[]> {
  const { environment_id: environmentId, id: eventId } = event;
  const { members, next } = await readPage(batch, event, page);
  if (next.length > 1) await beginWalks(batch.db, environmentId, eventId, next.length);
  const following: FanoutTask[] = next.length > 0 ? next : [{ environmentId, eventId }];
  await enqueueTimed(
    batch,
    "fanout",
    following.map((data) => ({ environmentId, data })),
  );
  return members;
}

/** Recipients as the request named them, or members of an audience as they are stored. */
export type Start = { event: EventRow; recipients?: StoredRecipient[]; members?: Member[] };

export async function startRuns(batch: Batch, starts: Start[]): Promise<void> {
  if (starts.length === 0) return;
  const people = await bringInSubscribers(batch, starts);
  const runs = await makeRuns(batch, starts, people);
  await writeProgress(batch, await advanceAll(batch, runs));
}

/** New runs, none of them begun. Only reads. */
export async function makeRuns(batch: Batch, starts: Start[], people: People): Promise<Run[]> {
  const versions = await loadVersions(
    batch,
    starts.map(({ event }) => event.workflow_version_id),
  );
  // Deleting a workflow stops events that were accepted before and are worked only now.
  const deleted = await findDeletedWorkflows(batch.db, [...new Set(starts.map(({ event }) => event.workflow_id))]);
  const runs: Run[] = [];
  for (const { event, recipients = [], members = [] } of starts) {
    const version = versions.get(event.workflow_version_id)!;
    const person = (id: string | undefined) => people(event.environment_id, id);
    const steps = version.definition.steps.filter((step) => step.active);
    const told = toRunEvent(batch.secrets, event);
    const notes = notesOn(told, version.definition, batch.clock.now(event.environment_id));
    const direct = recipients.map(({ subscriberId }) => ({ subscriber: person(subscriberId), subscriptions: null }));
    for (const { subscriber, subscriptions } of [...direct, ...members]) {
      runs.push({
        notificationId: batch.newId(),
        environmentId: event.environment_id,
        isNew: true,
        event: told,
        version,
        subscriber,
        actor: person(event.actor?.subscriberId),
        isWorkflowDeleted: deleted.has(event.workflow_id),
        contextKeys: event.context_keys,
        subscriptions,
        jobs: steps.map((step, stepIndex) => newJob(batch, step, stepIndex, notes)),
      });
    }
  }
  return runs;
}

/** What is said about the event as a whole, for the job of the step it concerns or, without one, for the first job. */
type Note = { stepId: string | null; detail: StoredDetail };

function notesOn({ overrides }: RunEvent, definition: WorkflowDefinition, now: Date): Note[] {
  const severity = severityOverride(overrides);
  const notes = ignoredOverrides(
    overrides,
    definition.steps.filter((step) => step.active),
  ).map(({ stepId, path, reason }): Note => {
    return { stepId, detail: detail("override_ignored", now, { raw: { override: path, reason } }) };
  });
  if (severity && severity !== definition.severity) {
    const raw = { severity, workflow: definition.severity };
    notes.push({ stepId: null, detail: detail("severity_overridden", now, { raw }) });
  }
  return notes;
}

const newJob = (ctx: Ctx, step: JobState["step"], stepIndex: number, notes: Note[]): JobState => ({
  id: ctx.newId(),
  stepIndex,
  step,
  status: "pending",
  providerId: null,
  details: [],
  newDetails: notes
    .filter(({ stepId }) => (stepId === null ? stepIndex === 0 : stepId === step.stepId))
    .map((note) => note.detail),
  output: null,
  digest: null,
  mergedInto: null,
  wakeAt: null,
});
