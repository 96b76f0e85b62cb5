// Stage 2: from events to runs. Recipients are created or updated, one notification with its jobs is made for each, and
// every run is taken as far as it goes at once, all in one transaction and a fixed number of statements per batch.
import type { RecipientSubscriber } from "@tidings/contract";
import type { Ctx } from "../context.ts";
import { type Db, inTransaction } from "../store/db.ts";
import { type EventRow, lockEvents, markExpanded } from "../store/events.ts";
import type { Task } from "../store/queue.ts";
import {
  findSubscribersByKeys,
  type SubscriberFields,
  type SubscriberRow,
  type SubscriberUpsert,
  upsertSubscribers,
} from "../store/subscribers.ts";
import { findDeletedWorkflows } from "../store/workflows.ts";
import { type Member, readPage } from "./audience.ts";
import { advanceAll, writeProgress } from "./batch.ts";
import { type JobState, type Run, toRunEvent } from "./run.ts";
import type { FanoutTask, PageTask } from "./tasks.ts";
import { loadVersions } from "./versions.ts";

export async function runFanout(ctx: Ctx, tasks: Task<FanoutTask>[]): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const events = await lockEvents(tx, [...new Set(tasks.map((task) => task.data.eventId))]);
    const byId = new Map(events.map((event) => [event.id, event]));
    await ctx.queue.finish(tx, "fanout", tasks);
    const starts: Start[] = [];
    // A batch of this stage is one task: a page is as large as a transaction should be.
    for (const { data } of tasks) {
      const event = byId.get(data.eventId);
      if (!event) continue;
      if ("from" in data) starts.push({ event, recipients: event.recipients.slice(data.from, data.to) });
      else starts.push({ event, members: await takePage(ctx, tx, event, data) });
    }
    await startRuns(ctx, tx, starts);
  });
}

/** The next page is enqueued in the transaction of this one: the walk can be interrupted, but skips and repeats nobody. */
async function takePage(ctx: Ctx, tx: Db, event: EventRow, page: PageTask): Promise<Member[]> {
  const { members, next } = await readPage(ctx, tx, event, page);
  if (next) await ctx.queue.enqueue(tx, "fanout", [{ data: next }]);
  else await markExpanded(tx, event.environment_id, event.id, ctx.now());
  return members;
}

/** Recipients as the request named them, or members of an audience as they are stored. */
export type Start = { event: EventRow; recipients?: RecipientSubscriber[]; members?: Member[] };

export async function startRuns(ctx: Ctx, tx: Db, starts: Start[]): Promise<void> {
  if (starts.length === 0) return;
  const people = await bringInSubscribers(ctx, tx, starts);
  const versions = await loadVersions(
    ctx,
    tx,
    starts.map(({ event }) => event.workflow_version_id),
  );
  // Deleting a workflow stops events that were accepted before and are worked only now.
  const deleted = await findDeletedWorkflows(tx, [...new Set(starts.map(({ event }) => event.workflow_id))]);
  const runs: Run[] = [];
  for (const { event, recipients = [], members = [] } of starts) {
    const version = versions.get(event.workflow_version_id)!;
    const person = (id: string | undefined) => people.get(keyOf(event.environment_id, id ?? "")) ?? null;
    const direct = recipients.map(({ subscriberId }) => ({ subscriber: person(subscriberId), subscriptions: null }));
    for (const { subscriber, subscriptions } of [...direct, ...members]) {
      runs.push({
        notificationId: ctx.newId(),
        environmentId: event.environment_id,
        isNew: true,
        event: toRunEvent(event),
        version,
        subscriber,
        actor: person(event.actor?.subscriberId),
        isWorkflowDeleted: deleted.has(event.workflow_id),
        contextKeys: event.context_keys,
        subscriptions,
        jobs: version.definition.steps
          .filter((step) => step.active)
          .map((step, stepIndex) => newJob(ctx, step, stepIndex)),
      });
    }
  }
  const now = ctx.now();
  await writeProgress(ctx, tx, await advanceAll(ctx, tx, runs, now), now);
}

const newJob = (ctx: Ctx, step: JobState["step"], stepIndex: number): JobState => ({
  id: ctx.newId(),
  stepIndex,
  step,
  status: "pending",
  providerId: null,
  newDetails: [],
  output: null,
  digest: null,
  mergedInto: null,
  wakeAt: null,
});

const keyOf = (environmentId: string, subscriberId: string): string => `${environmentId} ${subscriberId}`;

/**
 * Finds everyone the events name, and creates or updates those that are new or come with other fields than stored.
 * Most recipients are known and unchanged, so the common case is one read.
 */
async function bringInSubscribers(ctx: Ctx, tx: Db, starts: Start[]): Promise<Map<string, SubscriberRow>> {
  const wanted = new Map<string, Map<string, SubscriberFields>>();
  for (const { event, recipients = [] } of starts) {
    const inEnvironment = wanted.get(event.environment_id) ?? new Map<string, SubscriberFields>();
    wanted.set(event.environment_id, inEnvironment);
    for (const { subscriberId, channels, ...fields } of event.actor ? [...recipients, event.actor] : recipients) {
      inEnvironment.set(subscriberId!, { ...inEnvironment.get(subscriberId!), ...fields });
    }
  }
  const people = new Map<string, SubscriberRow>();
  // One round per environment in the batch, not per recipient; in order, so that two batches cannot wait for each other.
  for (const [environmentId, fieldsById] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = await findSubscribersByKeys(tx, environmentId, [...fieldsById.keys()]);
    for (const row of known) people.set(keyOf(environmentId, row.subscriber_id), row);
    const upserts: SubscriberUpsert[] = [];
    for (const [subscriberId, fields] of fieldsById) {
      const row = people.get(keyOf(environmentId, subscriberId));
      if (!row || isDifferent(row, fields)) upserts.push({ id: ctx.newId(), subscriberId, fields });
    }
    for (const row of await upsertSubscribers(tx, environmentId, upserts, ctx.now())) {
      people.set(keyOf(environmentId, row.subscriber_id), row);
    }
  }
  return people;
}

function isDifferent(row: SubscriberRow, fields: SubscriberFields): boolean {
  const differs = (value: unknown, stored: unknown) => value !== undefined && value !== stored;
  return (
    differs(fields.firstName, row.first_name) ||
    differs(fields.lastName, row.last_name) ||
    differs(fields.email, row.email) ||
    differs(fields.phone, row.phone) ||
    differs(fields.avatar, row.avatar) ||
    differs(fields.locale, row.locale) ||
    differs(fields.timezone, row.timezone) ||
    (fields.data !== undefined && JSON.stringify(fields.data) !== JSON.stringify(row.data))
  );
}
