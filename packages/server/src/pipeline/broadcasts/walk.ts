// Walks through the fixed pages of an event. A page is started by the transaction that marks it as done, creates the
// runs of its people and enqueues the next page of its walk.
import { isChannel } from "@tidings/contract";
import { type BroadcastRow, changeState, findBroadcast, holdBroadcast } from "../../store/broadcasts/broadcasts.ts";
import { endPage, expandIfDone, findNextPage, lockPage, reopenPage } from "../../store/broadcasts/event-pages.ts";
import { type EventRow, findEvents } from "../../store/events/events.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { findSubscribersByIds } from "../../store/subscribers/subscribers.ts";
import type { AudiencesOfEvent } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { type FixedPageTask, type Ranked, rankIn, type WalkEndTask } from "../tasks.ts";
import type { Member } from "../trigger/audience.ts";
import { rankOfEvent, releaseHeldEvents } from "../trigger/batch-plan.ts";
import { emitBroadcast } from "./view.ts";

/** Pages that are started at the same time: while one computes, another writes. */
export const lanes = 4;

type Walk = Ranked & { eventId: string; turn: number };

/** Enqueues the first page of each walk, or the end where no page waits. */
export async function beginFixedWalks(batch: Batch, environmentId: string, walk: Walk): Promise<void> {
  const tasks: Timed[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    const task = await nextOfLane(batch, environmentId, { ...walk, lane });
    if (task) tasks.push(task);
  }
  await enqueueTimed(batch, "fanout", tasks.length > 0 ? tasks : [endOfWalk(environmentId, walk)]);
}

type Lane = Walk & { lane: number };

async function nextOfLane({ db }: Batch, environmentId: string, place: Lane): Promise<Timed | null> {
  const { eventId, lane, turn } = place;
  const next = await findNextPage(db, environmentId, eventId, { lane, lanes });
  if (!next) return null;
  const data: FixedPageTask = { eventId, page: next.page, lane, turn, ...rankIn(place) };
  return { environmentId, data, at: next.due_at };
}

/** A separate task: it updates the event row, which the transactions of pages share. */
export const endOfWalk = (environmentId: string, walk: Ranked & { eventId: string }, lost?: string): Timed => {
  const { eventId } = walk;
  const rank = rankIn(walk);
  const data: WalkEndTask = { environmentId, eventId, isFixed: true, ...rank, ...(lost !== undefined && { lost }) };
  return { environmentId, data };
};

/** The priority of a broadcast that has been sent is that of the version it sends. */
export async function rankOfBroadcast(batch: Batch, { environment_id, event_id }: BroadcastRow): Promise<Ranked> {
  const [event] = await findEvents(batch.db, environment_id, [event_id!]);
  return event ? rankOfEvent(batch, event) : {};
}

/**
 * The people of a page whose runs start now. `event` is locked. The row of a broadcast is shared until the transaction
 * ends: a request to pause or stop waits for the page, and no page starts after it.
 */
export async function takeFixedPage(batch: Batch, event: EventRow, task: FixedPageTask): Promise<Member[]> {
  const { environment_id: environmentId, id: eventId } = event;
  const { db } = batch;
  const { broadcastId } = event.audience as AudiencesOfEvent;
  const { lane, page } = task;
  const broadcast = broadcastId ? await holdBroadcast(db, environmentId, broadcastId) : null;
  // Resuming starts a page that is replayed meanwhile.
  if (broadcast?.status === "paused" && lane === null) await reopenPage(db, environmentId, eventId, page);
  if (broadcastId && !isStarting(broadcast, task)) return [];
  const lost = broadcast?.status === "running" ? await findLostChannel(batch, broadcast) : undefined;
  if (lost !== undefined) {
    if (lane === null) await reopenPage(db, environmentId, eventId, page);
    await enqueueTimed(batch, "fanout", [endOfWalk(environmentId, task, lost)]);
    return [];
  }
  const members = await startPage(batch, event, task, broadcast ?? null);
  const next = lane === null ? null : await nextOfLane(batch, environmentId, { ...task, lane });
  await enqueueTimed(batch, "fanout", [next ?? endOfWalk(environmentId, task)]);
  return members;
}

/**
 * Tasks from before a pause do nothing: resuming began new walks. A page that failed may be replayed when the broadcast
 * is completed.
 */
const isStarting = (broadcast: BroadcastRow | null | undefined, { turn, lane }: FixedPageTask): boolean =>
  lane === null
    ? broadcast?.status === "running" || broadcast?.status === "completed"
    : broadcast?.status === "running" && broadcast.turn === turn;

async function startPage(
  { db, clock }: Batch,
  { environment_id: environmentId, id: eventId }: EventRow,
  { page, lane }: FixedPageTask,
  broadcast: BroadcastRow | null,
): Promise<Member[]> {
  const row = await lockPage(db, environmentId, eventId, page);
  // A part that was set aside can be replayed; a page that was started is not started again.
  if (!row || !(row.state === "waiting" || (row.state === "failed" && lane === null))) return [];
  const now = clock.now(environmentId);
  if (broadcast?.expires_at && broadcast.expires_at <= now) {
    await endPage(db, environmentId, eventId, { page, state: "expired", gone: 0, now });
    return [];
  }
  const subscribers = await findSubscribersByIds(db, environmentId, row.subscriber_ids);
  const gone = row.people - subscribers.length;
  await endPage(db, environmentId, eventId, { page, state: "done", gone, now });
  return subscribers.map((subscriber) => ({ subscriber, subscriptions: null }));
}

/** A channel of the broadcast whose last integration was switched off since it was sent. */
async function findLostChannel({ db }: Batch, broadcast: BroadcastRow): Promise<string | undefined> {
  if (broadcast.channels.length === 0) return undefined;
  const integrations = await listIntegrations(db, broadcast.environment_id);
  const active = new Set<string>(integrations.filter((one) => one.active).map(({ channel }) => channel));
  return broadcast.channels.find((channel) => isChannel(channel) && !active.has(channel));
}

/** When the last walk has ended, all recipients have been started, and the broadcast is complete. */
export async function endFixedWalk(batch: Batch, end: WalkEndTask): Promise<void> {
  const { environmentId, eventId, lost } = end;
  const now = batch.clock.now(environmentId);
  if (lost !== undefined) {
    await pauseForLostChannel(batch, environmentId, eventId, lost);
    return;
  }
  if (!(await expandIfDone(batch.db, environmentId, eventId, now))) return;
  await releaseHeldEvents(batch, environmentId, end);
  const broadcast = await lockBroadcastOf(batch, environmentId, eventId);
  if (broadcast?.status !== "running") return;
  const change = { status: "completed" as const, finished_at: now, now };
  await emitBroadcast(
    batch,
    "broadcast.completed",
    await changeState(batch.db, environmentId, broadcast.id, change),
    now,
  );
}

async function pauseForLostChannel(batch: Batch, environmentId: string, eventId: string, channel: string) {
  const broadcast = await lockBroadcastOf(batch, environmentId, eventId);
  if (broadcast?.status !== "running") return;
  const now = batch.clock.now(environmentId);
  const failure = `Paused because no ${channel} integration is active. Switch one on, then resume the broadcast.`;
  const row = await changeState(batch.db, environmentId, broadcast.id, { status: "paused", failure, now });
  await emitBroadcast(batch, "broadcast.paused", row, now);
}

async function lockBroadcastOf({ db }: Batch, environmentId: string, eventId: string) {
  const [event] = await findEvents(db, environmentId, [eventId]);
  const broadcastId = event?.audience?.kind === "audiences" ? event.audience.broadcastId : undefined;
  return broadcastId === undefined ? undefined : findBroadcast(db, environmentId, broadcastId, { lock: true });
}
