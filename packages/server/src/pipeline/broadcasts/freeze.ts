// An event to audiences starts: its people are fixed in pages, and walks through them begin. Broadcasts have a time and
// a pace; events of triggers start at once (docs/decisions/0056-broadcasts.md).
import { type BroadcastRow, changeState, findBroadcast } from "../../store/broadcasts/broadcasts.ts";
import {
  countMembers,
  deletePages,
  freezePeople,
  listWaitingPages,
  listZones,
  setPageTimes,
  takeTurnToFreeze,
} from "../../store/broadcasts/event-pages.ts";
import { lockEvents } from "../../store/events/events.batch.ts";
import { type EventRow, findEvents } from "../../store/events/events.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import type { AudiencesOfEvent } from "../../store/tables.ts";
import { membersCondition } from "../audiences/event-members.ts";
import type { Batch } from "../batch.ts";
import { type FreezeTask, rankIn } from "../tasks.ts";
import { dueInZone, pageSizeFor, peoplePerMinute, spaceOut, spreadMsOf } from "./schedule.ts";
import { emitBroadcast } from "./view.ts";
import { beginFixedWalks } from "./walk.ts";

/**
 * Fixing the people of a large audience takes many seconds, in which neither the event nor the broadcast is locked: a
 * request to pause, stop or cancel does not wait, and the pages that were written are then dropped.
 */
export async function freezeAudience(batch: Batch, environmentId: string, task: FreezeTask): Promise<void> {
  const { db } = batch;
  const { eventId } = task;
  await takeTurnToFreeze(db, environmentId, eventId);
  const waiting = await findWaiting(batch, environmentId, eventId, { lock: false });
  if (!waiting) return;
  const now = batch.clock.now(environmentId);
  const people = await fixPeople(batch, waiting, now);
  const start = await findWaiting(batch, environmentId, eventId, { lock: true });
  if (!start) return deletePages(db, environmentId, eventId);
  const { broadcast } = start;
  if (broadcast) {
    const change = { status: "running" as const, people, started_at: now, now };
    await emitBroadcast(batch, "broadcast.started", await changeState(db, environmentId, broadcast.id, change), now);
  }
  await beginFixedWalks(batch, environmentId, { eventId, turn: broadcast?.turn ?? 0, ...rankIn(task) });
}

type Waiting = { event: EventRow; broadcast: BroadcastRow | null };

/** The event, and its broadcast, unless it was canceled, or its broadcast was paused, stopped or started. */
async function findWaiting(
  { db }: Batch,
  environmentId: string,
  eventId: string,
  { lock }: { lock: boolean },
): Promise<Waiting | null> {
  const [event] = lock
    ? await lockEvents(db, [{ environment_id: environmentId, id: eventId }])
    : await findEvents(db, environmentId, [eventId]);
  if (!event || event.canceled_at) return null;
  const { broadcastId } = event.audience as AudiencesOfEvent;
  if (!broadcastId) return { event, broadcast: null };
  const broadcast = await findBroadcast(db, environmentId, broadcastId, { lock });
  return broadcast?.status === "scheduled" ? { event, broadcast } : null;
}

async function fixPeople(batch: Batch, { event, broadcast }: Waiting, now: Date): Promise<number> {
  const { db } = batch;
  const { environment_id: environmentId, id: eventId } = event;
  const audience = event.audience as AudiencesOfEvent;
  const isMember = await membersCondition(db, environmentId, audience, now);
  const members = { isMember, excluded: excludedFrom(event, audience) };
  const { time, perMinute } = await tempoOf(batch, broadcast);
  const zones = time.kind === "local" ? await listZones(db, environmentId, members) : [];
  const spreadMs = spreadMsOf(time);
  const isSpread = spreadMs > 0 || perMinute !== null;
  const expected = isSpread ? await countMembers(db, environmentId, members) : null;
  const people = await freezePeople(db, environmentId, {
    eventId,
    ...members,
    pageSize: pageSizeFor(expected, perMinute, spreadMs),
    dueAt: dueInZone(time, null, now),
    zones: zones.map((timezone) => ({ timezone, due_at: dueInZone(time, timezone, now) })),
  });
  if (isSpread) {
    const pages = await listWaitingPages(db, environmentId, eventId);
    await setPageTimes(db, environmentId, eventId, spaceOut(pages, { perMinute, spreadMs, from: now }));
  }
  return people;
}

/** When people are due, and how many in a minute at most. */
async function tempoOf(batch: Batch, broadcast: BroadcastRow | null) {
  if (!broadcast) return { time: { kind: "now" } as const, perMinute: null };
  const { time, pace, environment_id: environmentId } = broadcast;
  return { time, perMinute: peoplePerMinute(pace, await activeIntegrations(batch, environmentId)) };
}

/** After a pause: pages that are late are due from now on, at the pace. */
export async function rescheduleFixedPages(batch: Batch, broadcast: BroadcastRow, now: Date): Promise<void> {
  const { environment_id: environmentId, event_id: eventId } = broadcast;
  const { perMinute } = await tempoOf(batch, broadcast);
  const pages = await listWaitingPages(batch.db, environmentId, eventId!);
  // A spread is not repeated: the pages have their times.
  await setPageTimes(batch.db, environmentId, eventId!, spaceOut(pages, { perMinute, spreadMs: 0, from: now }));
}

async function activeIntegrations({ db }: Batch, environmentId: string): Promise<ReadonlySet<string>> {
  const rows = await listIntegrations(db, environmentId);
  return new Set(rows.filter(({ active }) => active).map(({ identifier }) => identifier));
}

/** People whom the event names are started by name, and its actor is left out, as with topics. */
export const excludedFrom = (
  { recipients, actor }: Pick<EventRow, "recipients" | "actor">,
  { exclude }: AudiencesOfEvent,
): string[] => [
  ...exclude,
  ...recipients.flatMap(({ subscriberId }) => subscriberId ?? []),
  ...(actor?.subscriberId === undefined ? [] : [actor.subscriberId]),
];
