// New and changed events of environments, for those who watch them live.
//
// The hints of live inboxes do not fit: they name subscribers, are collected only while inboxes are open, and a
// delivery that fails changes no inbox. A hint per event would be a NOTIFY more for each of them. So an environment
// that is watched is read once a second, by key and bounded, however many watch it and however many events come; one
// that is not watched costs nothing.
import type { ActivityEvent } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import type { NetworkCtx } from "../../context.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { scanEvents } from "../../store/events/activity.ts";
import { findRecentEventIds } from "../../store/events/activity-changes.ts";
import { maxId, minId, withOutcomes } from "./activity.ts";
import { describeSoleRecipients } from "./activity-recipients.ts";

/** `hasMore`: more happened than is shown, so that the list should be read again. */
export type ActivityChange = { events: ActivityEvent[]; hasMore: boolean };
type Listener = (change: ActivityChange) => void;

export type ActivityWatch = {
  /** Ends with the function that is returned. */
  watch(environmentId: string, listener: Listener): () => void;
  close(): Promise<void>;
};

const readMs = 1_000;
/** A transaction may commit rows whose ids were generated this long before. */
const overlapMs = 5_000;
const maxEvents = 30;
const maxMessages = 500;
/** Events that are still in progress are examined again, the newest first. */
const maxPending = 10;

type Watched = {
  environmentId: string;
  listeners: Set<Listener>;
  /** What was last sent of each event. */
  told: LRUCache<string, string>;
  pending: Set<string>;
  from: number;
};

export function createActivityWatch(ctx: NetworkCtx): ActivityWatch {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<void> | null = null;

  const readAll = async () => {
    for (const one of watched.values()) {
      await readChanges(ctx, one).catch((error) =>
        ctx.log.warn(
          { reason: error.message, env: one.environmentId },
          "the activity of an environment could not be read",
        ),
      );
    }
    reading = null;
  };
  /** A reading that takes longer than a second is waited for. */
  const tick = () => {
    reading ??= readAll();
  };
  return {
    watch(environmentId, listener) {
      const one = watched.get(environmentId) ?? newWatched(environmentId);
      watched.set(environmentId, one);
      one.listeners.add(listener);
      timer ??= setInterval(tick, readMs).unref();
      return () => {
        one.listeners.delete(listener);
        if (one.listeners.size === 0 && watched.get(environmentId) === one) watched.delete(environmentId);
        if (watched.size > 0 || !timer) return;
        clearInterval(timer);
        timer = null;
      };
    },
    async close() {
      if (timer) clearInterval(timer);
      timer = null;
      watched.clear();
      await reading;
    },
  };
}

const newWatched = (environmentId: string): Watched => ({
  environmentId,
  listeners: new Set(),
  told: new LRUCache({ max: 1_000 }),
  pending: new Set(),
  from: Date.now(),
});

async function readChanges(ctx: NetworkCtx, one: Watched): Promise<void> {
  const { environmentId, told, pending } = one;
  const { db, slots } = ctx.reads;
  // While the environment's own requests take all connections for reading, its watchers wait.
  const release = await slots.acquire(environmentId);
  try {
    const began = Date.now();
    const from = firstIdAt(new Date(one.from - overlapMs));
    const recent = await findRecentEventIds(db, environmentId, from, { limit: maxEvents + 1, messages: maxMessages });
    const ids = [...new Set([...recent.slice(0, maxEvents), ...[...pending].slice(-maxPending)])];
    const events = await findEventsWithOutcomes({ ...ctx, db }, environmentId, ids);
    const changed = events.filter((event) => told.get(event.id) !== JSON.stringify(event));
    pending.clear();
    for (const event of events.toReversed()) {
      told.set(event.id, JSON.stringify(event));
      if (event.outcomes.pending > 0 || event.status !== "expanded") pending.add(event.id);
    }
    one.from = began;
    const hasMore = recent.length > maxEvents && changed.length > 0;
    if (changed.length === 0) return;
    for (const listener of one.listeners) listener({ events: changed, hasMore });
  } finally {
    release();
  }
}

async function findEventsWithOutcomes(ctx: NetworkCtx, environmentId: string, eventIds: string[]) {
  if (eventIds.length === 0) return [];
  const range = { below: maxId, from: minId, scan: eventIds.length, limit: eventIds.length };
  const { rows } = await scanEvents(ctx.db, environmentId, { eventIds, after: null, before: null }, range);
  return describeSoleRecipients(ctx, environmentId, await withOutcomes(ctx, environmentId, rows));
}
