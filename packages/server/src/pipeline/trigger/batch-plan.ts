// Which events start in one transaction of the stage `trigger`, and which wait. The events of one request that may
// reach the same subscriber start one after the other: they are one task, of which each transaction takes the first
// part. An event whose audience has more than one page holds the later events of its request until the whole audience
// has been read.
import { beginWalks, type EventRow, holdEvents, type NewEvent, takeHeldEvents } from "../../store/events/events.ts";
import type { StoredRecipient } from "../../store/tables.ts";
import { rankOf } from "../attention/message-class.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { loadVersions } from "../run/versions.ts";
import {
  type FanoutTask,
  membersPerPage,
  type PageTask,
  type Ranked,
  rankIn,
  recipientsPerBatch,
  recipientsPerTask,
  type SliceTask,
  type TriggerTask,
} from "../tasks.ts";
import { firstPage, type Member, readPage, wholeAudience } from "./audience.ts";

/** Recipients as the request names them, or members of an audience as stored. */
export type Start = { event: NewEvent; recipients?: StoredRecipient[]; members?: Member[] };

/** What a transaction does with the events it has taken. `room`: how many recipients it may still start. */
export type BatchPlan = { starts: Start[]; fanoutTasks: Timed[]; triggerTasks: Timed[]; room: number };

export const newPlan = (): BatchPlan => ({
  starts: [],
  fanoutTasks: [],
  triggerTasks: [],
  room: recipientsPerBatch,
});

/** Adds the events of one task. Those for which there is no room return to the queue, with all that follow them. */
export async function addTask(batch: Batch, plan: BatchPlan, events: EventRow[], isOrdered: boolean): Promise<void> {
  for (const [index, event] of events.entries()) {
    const result = await addEvent(batch, plan, event);
    if (result === "no room") {
      plan.room = 0;
      plan.triggerTasks.push(...tasksOf(event.environment_id, await rank(batch, events.slice(index)), isOrdered));
      return;
    }
    const later = events.slice(index + 1).map(({ id }) => id);
    if (result === "started" || !isOrdered || later.length === 0) continue;
    await holdEvents(batch.db, event.environment_id, event.id, later);
    return;
  }
}

/** "walking": the event has started for the first page of its audience. */
async function addEvent(batch: Batch, plan: BatchPlan, event: EventRow): Promise<"started" | "walking" | "no room"> {
  const { environment_id: environmentId, recipients, audience, id: eventId } = event;
  const [{ priority } = {}] = await rank(batch, [event]);
  const count = recipients.length;
  if (plan.room === 0 || (count > plan.room && count <= recipientsPerBatch)) return "no room";
  const isFixed = audience?.kind === "audiences";
  const page = audience && !isFixed ? await readPage(batch, event, wholeAudience(event)) : { members: [], next: [] };
  if (count + page.members.length > plan.room && plan.starts.length > 0) return "no room";
  if (isFixed) plan.fanoutTasks.push({ environmentId, data: { ...firstPage(event), ...(priority && { priority }) } });
  else if (audience) plan.fanoutTasks.push(...(await followPage(batch, event, page.next)));
  const isCut = count > recipientsPerBatch;
  for (let from = 0; isCut && from < count; from += recipientsPerBatch) {
    const to = Math.min(count, from + recipientsPerBatch);
    const data: SliceTask = { eventId, from, to, ...(priority && { priority }) };
    plan.fanoutTasks.push({ environmentId, data });
  }
  const named = isCut ? [] : recipients;
  plan.starts.push({ event, recipients: named, members: page.members });
  plan.room = Math.max(0, plan.room - named.length - page.members.length);
  return isFixed || page.next.length > 0 ? "walking" : "started";
}

/**
 * The tasks behind a page. They are enqueued in the transaction of the page, so a walk that is interrupted skips no
 * member and repeats none. The end of a walk is its own task: it updates the event row, which this transaction shares
 * with other walks.
 */
export async function followPage(batch: Batch, event: EventRow, next: PageTask[]): Promise<Timed[]> {
  const { environment_id: environmentId, id: eventId } = event;
  if (next.length > 1) await beginWalks(batch.db, environmentId, eventId, next.length);
  const following: FanoutTask[] = next.length > 0 ? next : [{ environmentId, eventId }];
  const ranked = await rankOfEvent(batch, event);
  return following.map((data) => ({ environmentId, data: { ...data, ...ranked } }));
}

/** Enqueues the events that waited for the walk through the audience of this task's event. */
export async function releaseHeldEvents(
  batch: Batch,
  environmentId: string,
  task: Ranked & { eventId: string },
): Promise<void> {
  const eventIds = await takeHeldEvents(batch.db, environmentId, task.eventId);
  if (eventIds.length === 0) return;
  const data: TriggerTask = { eventIds, isOrdered: true, ...rankIn(task) };
  await enqueueTimed(batch, "trigger", [{ environmentId, data, cost: recipientsPerBatch }]);
}

type Waiting = Ranked & Pick<EventRow, "id" | "recipients" | "audience">;

export async function rankOfEvent(batch: Batch, event: NewEvent): Promise<Ranked> {
  const [ranked] = await rank(batch, [event]);
  return rankIn(ranked!);
}

/** The events with the priority of what they start. */
async function rank(batch: Batch, events: NewEvent[]): Promise<Waiting[]> {
  const versions = await loadVersions(
    batch,
    events.map((event) => event.workflow_version_id),
  );
  return events.map((event) => {
    const { id, recipients, audience, workflow_version_id: versionId } = event;
    return { id, recipients, audience, ...rankOf(event, versions.get(versionId)!.definition) };
  });
}

/** The tasks of requests whose events are stored. Events of different requests may share a task. */
export async function tasksOfRequests(batch: Batch, environmentId: string, requests: NewEvent[][]): Promise<Timed[]> {
  const ranked = await Promise.all(requests.map((events) => rank(batch, events)));
  const ordered = ranked.filter(needsOrder);
  const others = ranked.filter((events) => !ordered.includes(events)).flat();
  return [
    ...ordered.flatMap((events) => tasksOf(environmentId, events, true)),
    ...tasksOf(environmentId, others, false),
  ];
}

/** Whether two events of the request may reach the same subscriber and would be in different tasks. */
function needsOrder(events: Waiting[]): boolean {
  if (events.length < 2) return false;
  if (events.some(({ audience }) => audience)) return true;
  const named = events.flatMap(({ recipients }) => recipients.map(({ subscriberId }) => subscriberId));
  return named.length > recipientsPerTask && new Set(named).size < named.length;
}

/** The cost of a page is that of a full one: its size is not known yet. */
const costOfEvent = ({ recipients, audience }: Waiting): number =>
  Math.max(1, recipients.length) + (audience ? membersPerPage : 0);

/** Events in order go together, when the first of them would go alone. */
const highestOf = (events: Waiting[]): Ranked =>
  events.find(({ priority }) => priority === "high") ??
  events.find(({ priority }) => priority === undefined) ?? { priority: "low" };

/**
 * Tasks of up to `recipientsPerTask` recipients of one priority, of which several fill one transaction; events in order
 * are one task.
 */
function tasksOf(environmentId: string, events: Waiting[], isOrdered: boolean): Timed[] {
  if (isOrdered) {
    const cost = events.reduce((sum, event) => sum + costOfEvent(event), 0);
    const data: TriggerTask = { eventIds: events.map(({ id }) => id), isOrdered, ...rankIn(highestOf(events)) };
    return [{ environmentId, data, cost: Math.min(cost, recipientsPerBatch) }];
  }
  const tasks: { environmentId: string; data: TriggerTask; cost: number }[] = [];
  for (const event of events) {
    const cost = costOfEvent(event);
    const last = tasks.findLast(({ data }) => data.priority === event.priority);
    if (last && last.cost + cost <= recipientsPerTask) {
      last.data.eventIds.push(event.id);
      last.cost += cost;
    } else tasks.push({ environmentId, data: { eventIds: [event.id], ...rankIn(event) }, cost });
  }
  return tasks;
}
