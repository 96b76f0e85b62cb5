// Tasks that fail every time. A task is work for many recipients, so one row that the database refuses, or one run that
// crashes the process, would hold up all of them. Such a task is divided in halves until the failing part is alone;
// that part leaves the queue as a failed task with its error, and the others continue.
import type { Ctx } from "../context.ts";
import type { JsonObject } from "../lib/json.ts";
import { storableText } from "../lib/text/storable-text.ts";
import type { Db } from "../store/db.ts";
import { addWalk, findEvents } from "../store/events/events.ts";
import { hasTaskSubject } from "../store/events/failed-tasks.batch.ts";
import { insertFailedTask } from "../store/events/failed-tasks.ts";
import type { Task, TaskKind } from "../store/queue/queue.ts";
import { markImportFailed } from "../store/subscribers/imports.ts";
import { openBatch, transact } from "./batch.ts";
import { divideFixedPage, setFixedPageAside } from "./broadcasts/failed-pages.ts";
import { enqueueTimed } from "./clock/clock.ts";
import {
  type DeliverTask,
  environmentOf,
  type FanoutTask,
  type ImportTask,
  type PageTask,
  rankIn,
  type SliceTask,
  type TriggerTask,
  type WakeTask,
} from "./tasks.ts";
import { firstPage, readPage } from "./trigger/audience.ts";
import { releaseHeldEvents } from "./trigger/batch-plan.ts";

/**
 * After this many failed tries a task that cannot be divided is set aside. Kinds without a number are repeated for
 * ever.
 */
const maxTries: Partial<Record<TaskKind, number>> = {
  trigger: 3,
  fanout: 3,
  wake: 3,
  unsnooze: 5,
  import: 5,
  // Their attempts are limited by their own retry rules; each task kept for a call counts as a try too.
  bridge: 20,
  request: 20,
  deliver: 20,
  webhook: 20,
  unsend: 20,
};

/** A task that returned this often without an error has crashed its process, or blocked it until the claim lapsed. */
export const suspectAfter = 3;
/** After this many tries without an error such a task is set aside. */
const maxCrashes = 6;

type Part = { kind: TaskKind; data: object };

/** Returns "repeat" when the task stays in the queue. `error`: the error of its last try, if it had one. */
export async function divideOrSetAside(
  ctx: Ctx,
  kind: TaskKind,
  task: Task<unknown>,
  error: unknown,
): Promise<"divided" | "set aside" | "repeat"> {
  const tries = task.attempt + 1;
  const isKnownPart = (task.data as { isPart?: boolean }).isPart === true;
  const most = maxTries[kind];
  if (most === undefined || (error !== undefined && tries === 1 && !isKnownPart)) return "repeat";
  return transact(ctx, async (tx) => {
    const environmentId = environmentOf(task);
    if (!(await hasTaskSubject(tx.db, environmentId, kind, task.data as object))) return "repeat";
    const parts = await divide(tx, environmentId, kind, task.data);
    // A topic event without other recipients becomes one walk, which can be divided again.
    if (parts.length > 1 || (kind === "trigger" && parts.some(({ data }) => "after" in data))) {
      await tx.queue.finish(tx.db, kind, [task]);
      await enqueueParts(tx, task, parts);
      return "divided";
    }
    if (tries < (error === undefined ? Math.max(maxCrashes, most) : most)) return "repeat";
    await tx.queue.finish(tx.db, kind, [task]);
    await insertFailedTask(tx.db, environmentId, {
      id: ctx.newId(),
      environment_id: environmentId,
      kind,
      data: toReplay(task.data),
      error: errorText(error),
      attempts: tries,
      created_at: ctx.now(),
    });
    // The events of its request that wait for this one are not held up by it.
    if (kind === "fanout" && "after" in (task.data as FanoutTask)) {
      const batch = await openBatch(tx, [environmentId]);
      await releaseHeldEvents(batch, environmentId, task.data as PageTask);
    }
    if (kind === "fanout") await setFixedPageAside(tx, environmentId, task.data as FanoutTask, errorText(error));
    if (kind === "import") await markImportFailed(tx.db, environmentId, (task.data as ImportTask).importId);
    return "set aside";
  });
}

async function enqueueParts(tx: Ctx, task: Task<unknown>, parts: Part[]): Promise<void> {
  const environmentId = environmentOf(task);
  const rank = rankIn(task.data as object);
  const batch = await openBatch(tx, [environmentId]);
  for (const [kind, group] of Map.groupBy(parts, (part) => part.kind)) {
    const tasks = group.map(({ data }) => ({ environmentId, data: { ...data, ...rank, isPart: true } }));
    await enqueueTimed(batch, kind, tasks);
  }
}

/** What a replay works on. A page of people is separate from its walk, which may have ended or begun again by then. */
function toReplay(data: unknown): JsonObject {
  const { isPart, ...rest } = data as JsonObject;
  return "lane" in rest ? { ...rest, lane: null } : rest;
}

const maxErrorLength = 2_000;

function errorText(error: unknown): string {
  if (error === undefined) return "Workers stopped while they worked on this task, without an error";
  const text = error instanceof Error ? error.message : String(error);
  return storableText(text, maxErrorLength) || "unknown error";
}

async function divide(tx: Ctx, environmentId: string, kind: TaskKind, data: unknown): Promise<Part[]> {
  if (kind === "wake") return halvesOf((data as WakeTask).notificationIds, (ids) => ({ notificationIds: ids }), kind);
  if (kind === "deliver" || kind === "unsend") {
    return halvesOf((data as DeliverTask).messageIds, (ids) => ({ messageIds: ids }), kind);
  }
  if (kind === "trigger") return divideTrigger(tx.db, environmentId, data as TriggerTask);
  if (kind !== "fanout") return [];
  const task = data as FanoutTask;
  if ("from" in task) return divideSlice(task);
  if ("lane" in task) return divideFixedPage(tx, environmentId, task);
  return "after" in task ? dividePage(tx, environmentId, task) : [];
}

function halvesOf<T>(list: T[], toData: (half: T[]) => object, kind: TaskKind): Part[] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)]
    .filter((half) => half.length > 0)
    .map((half) => ({ kind, data: toData(half) }));
}

/** Several events are divided in two tasks; the recipients of one event in slices, its audience becomes a walk. */
async function divideTrigger(db: Db, environmentId: string, { eventIds }: TriggerTask): Promise<Part[]> {
  if (eventIds.length > 1) return halvesOf(eventIds, (ids) => ({ eventIds: ids }), "trigger");
  const [event] = await findEvents(db, environmentId, eventIds);
  if (!event) return [];
  const slices = divideSlice({ eventId: event.id, from: 0, to: event.recipients.length });
  return event.audience ? [...slices, { kind: "fanout", data: firstPage(event) }] : slices;
}

function divideSlice({ eventId, from, to }: SliceTask): Part[] {
  const middle = Math.ceil((from + to) / 2);
  return [
    { eventId, from, to: middle },
    { eventId, from: middle, to },
  ]
    .filter((slice) => slice.to > slice.from)
    .map((data) => ({ kind: "fanout", data }));
}

/** The first half of the page becomes its own walk; the second half continues with the following pages. */
async function dividePage(tx: Ctx, environmentId: string, page: PageTask): Promise<Part[]> {
  const [event] = await findEvents(tx.db, environmentId, [page.eventId]);
  if (!event) return [];
  const { members, next } = await readPage(tx, event, page);
  if (members.length < 2) return [];
  const middle = members[Math.ceil(members.length / 2) - 1]!.subscriber.id;
  const until = next.at(-1)?.until ?? page.until ?? members.at(-1)!.subscriber.id;
  await addWalk(tx.db, environmentId, event.id);
  return [
    { kind: "fanout", data: { ...page, until: middle } },
    { kind: "fanout", data: { ...page, after: middle, until } },
  ];
}
