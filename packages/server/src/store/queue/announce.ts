// Announces new tasks once their transaction has ended: to the workers of this process at once, and to other processes
// by NOTIFY. NOTIFY is not part of the transaction. Its commit holds a lock that all notifying transactions share, even
// while it waits for the disk: commits would follow one another, and a disk that hangs for some seconds would make
// requests fail. An announcement that is lost with its process costs time only: every process asks for due tasks every
// ten seconds (due.ts).
import { afterCommit, type Db } from "../db.ts";
import type { Notification } from "./listen.ts";

/** The NOTIFY channel for tasks due within `hintedMs` (due.ts). */
export const dueChannel = "tidings_due";

/** When a task can begin: at a time, in seconds after its transaction, or at once. */
export type Start = Date | number | undefined;

export type AnnounceOptions = {
  /** The NOTIFY channel for tasks that can begin at once; the text is their kind, followed by `low` for low ones. */
  taskChannel: string;
  /** How soon a task has to be due to be announced. */
  hintedMs: number;
  send(notifications: Notification[]): Promise<void>;
  /** What this process does about a notification, as if another process had sent it. */
  hear(notification: Notification): void;
};

export type Announcer = {
  /** Announces tasks of this kind (`<kind> low`: of low priority) when the transaction commits. */
  announce(tx: Db, kind: string, starts: Start[]): void;
  close(): void;
};

/** NOTIFYs of a process follow each other at this distance; what comes in between is sent together. */
const gapMs = 10;
const retryMs = 500;

/** What is to be sent: the kinds of tasks that can begin, and when the first of the others can. */
type Waiting = { kinds: Set<string>; first: Due };
/** The clocks of process and database may differ, so a time is not compared with a delay. */
type Due = { timeMs: number; delayMs: number };

const nothing = (): Waiting => ({ kinds: new Set(), first: { timeMs: Infinity, delayMs: Infinity } });

const isNothing = ({ kinds, first }: Waiting): boolean =>
  kinds.size === 0 && first.timeMs === Infinity && first.delayMs === Infinity;

export function createAnnouncer({ taskChannel, hintedMs, send, hear }: AnnounceOptions): Announcer {
  let waiting = nothing();
  let timer: NodeJS.Timeout | null = null;
  let freeAt = 0;
  let isClosed = false;

  const add = ({ kinds, first }: Waiting) => {
    for (const kind of kinds) waiting.kinds.add(kind);
    waiting.first = earlier(waiting.first, first);
  };
  const toNotifications = ({ kinds, first }: Waiting): Notification[] => [
    ...[...kinds].map((kind) => ({ channel: taskChannel, text: kind })),
    ...textsOf(first).map((text) => ({ channel: dueChannel, text })),
  ];
  const flush = async (): Promise<void> => {
    const taken = waiting;
    waiting = nothing();
    freeAt = performance.now() + gapMs;
    await send(toNotifications(taken)).catch(() => {
      // The connection is being restored.
      add(taken);
      freeAt = performance.now() + retryMs;
    });
    timer = null;
    schedule();
  };
  const schedule = () => {
    if (timer || isClosed || isNothing(waiting)) return;
    timer = setTimeout(() => void flush(), Math.max(0, freeAt - performance.now()));
    timer.unref();
  };

  return {
    announce(tx, kind, starts) {
      const isRunnable = starts.includes(undefined);
      const announced = { kinds: new Set(isRunnable ? [kind] : []), first: findFirst(starts, hintedMs) };
      if (isNothing(announced)) return;
      afterCommit(tx, () => {
        for (const notification of toNotifications(announced)) hear(notification);
        add(announced);
        schedule();
      });
    },
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}

const earlier = (a: Due, b: Due): Due => ({
  timeMs: Math.min(a.timeMs, b.timeMs),
  delayMs: Math.min(a.delayMs, b.delayMs),
});

function findFirst(starts: Start[], hintedMs: number): Due {
  const timeMs = Math.min(...starts.flatMap((start) => (start instanceof Date ? [start.getTime()] : [])));
  const delayMs = Math.min(...starts.flatMap((start) => (typeof start === "number" ? [start * 1000] : [])));
  return {
    timeMs: timeMs < Date.now() + hintedMs ? timeMs : Infinity,
    delayMs: delayMs < hintedMs ? delayMs : Infinity,
  };
}

/** A time in ms by the clock of the database, or `+` and the ms from now on. */
const textsOf = ({ timeMs, delayMs }: Due): string[] => [
  ...(timeMs === Infinity ? [] : [String(timeMs)]),
  ...(delayMs === Infinity ? [] : [`+${delayMs}`]),
];
