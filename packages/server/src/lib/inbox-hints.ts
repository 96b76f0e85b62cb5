// Hints that the inbox of a subscriber has changed. A process collects them after its commits and sends them to all
// processes with NOTIFY; those with live connections of the subscriber then read the database (pipeline/live). NOTIFY
// takes a lock at commit that all notifying transactions share, so it is never part of a transaction that writes
// messages: with it, eight writers reached 450 commits a second instead of 1,249. A hint that is lost costs time only:
// the hub reads every inbox again after a while.

export type InboxHints = { add(subscriberId: string): void };

export type HintCollector = InboxHints & {
  /** A process has live connections: hints are collected for the next minute. */
  watch(): void;
  /** A process may have live connections: hints are collected until it would have announced itself. */
  watchForAnnouncement(): void;
  close(): void;
};

export type HintOptions = {
  now: () => number;
  /** Sends one NOTIFY. */
  send(text: string): Promise<void>;
};

/** At most 50 NOTIFYs a second. */
const gapMs = 20;
const retryMs = 500;
/** 22 characters and a comma each: NOTIFY takes less than 8,000 bytes. */
const idsPerHint = 340;
/** With more ids than this, all live inboxes are read. */
const maxIds = 50_000;
/** How often a process with live connections announces itself. */
export const announceMs = 20_000;
const watchMs = 3 * announceMs;

/** The hint that concerns all subscribers. */
export const everyInbox = "*";

/** A subscriber's id as hints name it: 22 characters of base 64, which take a quarter of the time of base 62. */
export const hintKey = (subscriberId: string): string =>
  Buffer.from(subscriberId.replaceAll("-", ""), "hex").toString("base64url");

export function createHintCollector({ now, send }: HintOptions): HintCollector {
  const ids = new Set<string>();
  let isEvery = false;
  let watchedUntil = 0;
  let nextAt = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const schedule = () => {
    if (timer || isClosed || (ids.size === 0 && !isEvery)) return;
    timer = setTimeout(() => void flush(), Math.max(0, nextAt - now()));
    timer.unref();
  };
  const flush = async () => {
    nextAt = now() + gapMs;
    const taken = [...ids].slice(0, idsPerHint);
    for (const id of taken) ids.delete(id);
    const text = isEvery ? everyInbox : taken.map(hintKey).join(",");
    isEvery = false;
    try {
      await send(text);
    } catch {
      // The connection is being restored. The hints wait for it.
      for (const id of taken) ids.add(id);
      isEvery ||= text === everyInbox;
      nextAt = now() + retryMs;
    }
    timer = null;
    schedule();
  };
  return {
    add(subscriberId) {
      if (now() > watchedUntil || isEvery) return;
      ids.add(subscriberId);
      if (ids.size > maxIds) {
        ids.clear();
        isEvery = true;
      }
      schedule();
    },
    watch() {
      watchedUntil = now() + watchMs;
    },
    watchForAnnouncement() {
      watchedUntil = Math.max(watchedUntil, now() + 1.5 * announceMs);
    },
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}

/** Runs `work`, usually a transaction. The hints that it adds are passed on when it has ended without an error. */
export async function hintAfter<T>(hints: InboxHints, work: (held: InboxHints) => Promise<T>): Promise<T> {
  let held: Set<string> | undefined;
  const result = await work({
    add: (subscriberId) => {
      held ??= new Set();
      held.add(subscriberId);
    },
  });
  for (const subscriberId of held ?? []) hints.add(subscriberId);
  return result;
}
