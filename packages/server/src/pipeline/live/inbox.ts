// One live inbox: what its connections already know, and which events follow from its state in the database. Pure. An
// inbox is read from a while before the last reading, because transactions commit in another order than that of their
// ids; `recent` keeps messages from being sent twice.
import type { Severity } from "@tidings/contract";
import type { InboxState } from "../../store/messages/live.batch.ts";
import { maxClockSkewMs, overlapMs, overlapStart, type ResumePoint } from "./resume-token.ts";

export type Counts = {
  unread: { total: number; severity: Record<Severity, number> };
  unseen: number;
  /** The inbox has more messages than are counted. */
  hasMore: boolean;
};

/** What the connections of an inbox already know. `readAt`: when the database was asked. */
export type Told = Pick<InboxState, "recent" | "total" | "changedAt"> & { counts: Counts; readAt: Date };

/** Ids of messages, oldest first. */
export type Changes = {
  added: string[];
  changed: string[];
  /** `ids`: those of the deleted messages that are known; `count`: all of them. */
  removed: { ids: string[]; count: number };
  areCountsChanged: boolean;
};

/** More new or changed messages than this are not sent: clients are asked to read the list again. */
const maxEvents = 100;

/** The messages that are sent, of those that are new or changed. */
export const newest = (ids: string[]): string[] => ids.slice(-maxEvents);

/** Where the next reading begins. */
export const windowStart = ({ readAt }: Pick<Told, "readAt">): string => overlapStart(readAt);

/**
 * The time of a reading. If the clock was put back, it is that of the reading before: the next one would otherwise
 * begin before what that one has read, and take messages for new that were sent long ago. A clock that was wrong by
 * more is believed at once, so that nothing is missed until it has caught up.
 */
export function timeOfReading(told: Pick<Told, "readAt"> | null, now: Date): Date {
  if (!told || told.readAt <= now) return now;
  return told.readAt.getTime() - now.getTime() < maxClockSkewMs ? told.readAt : now;
}

export const changedSince = ({ changedAt }: Told): Date | null =>
  changedAt && new Date(changedAt.getTime() - overlapMs);

export function countsOf({ unread, unseen, hasMore }: InboxState): Counts {
  const total = Object.values(unread).reduce((sum, count) => sum + count, 0);
  return { unread: { total, severity: unread }, unseen, hasMore };
}

export const toTold = (state: InboxState, readAt: Date): Told => ({
  recent: state.recent,
  total: state.total,
  changedAt: state.changedAt,
  counts: countsOf(state),
  readAt,
});

export function compare(before: Told, state: InboxState): Changes {
  const start = windowStart(before);
  const added: string[] = [];
  const changed: string[] = [];
  for (const [id, version] of state.recent) {
    const known = before.recent.get(id);
    if (known === undefined && id > start) added.push(id);
    else if (known !== version) changed.push(id);
  }
  // When there are more messages than are counted, the oldest ones make room for new ones: they are not deleted.
  const [oldest = start] = state.hasMore ? state.recent.keys() : [];
  const ids = [...before.recent.keys()].filter((id) => id > start && id >= oldest && !state.recent.has(id));
  // Deleted messages that are not recent are known by their number only. Beyond the messages that are counted, it is
  // unknown.
  const missing = state.hasMore ? 0 : before.total + added.length - state.total;
  const removed = { ids, count: Math.max(ids.length, missing) };
  const areCountsChanged = JSON.stringify(before.counts) !== JSON.stringify(countsOf(state));
  return { added, changed, removed, areCountsChanged };
}

/** The messages that a client with this token lacks. */
export const missedBy = ({ fromId, isKnown }: ResumePoint, { later }: InboxState): string[] =>
  later.filter((id) => id > fromId && !isKnown(id));
