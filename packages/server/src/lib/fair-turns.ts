// Whose turn it is. The tasks of a queue belong to environments, and a task costs what it makes others wait: its recipients.
// An environment that hands in a million recipients must not keep another's single one waiting, so each has a share per
// second: what it hands in beyond that is given a later turn, as if it had come later, and turns are worked in order.
// Nothing is held back: when no one else wants anything, the whole queue belongs to one environment.
//
// This is the virtual-clock discipline (Zhang, 1990) with two limits. An environment falls behind by ten minutes at most,
// and all are forgiven whenever the queue has run empty: what was handed in while there was room for it is no debt.
import { LRUCache } from "lru-cache";

/**
 * Cost a second that an environment may hand in without falling behind. It is also what a newcomer may find ahead of it,
 * so it is small: some 25 ms of work.
 */
export const share = 100;
/** How far behind an environment can fall, which is how long others may go first once the service is overloaded. */
export const longestLagMs = 10 * 60_000;
/** Ways of one environment that have turns of their own; the others share those of their environment. */
const maxWays = 16;
/** Tasks for later times have turns at those times, a clock for each of these spans. */
const spanMs = 10_000;
/** Turns count seconds from here, so that they fit into 32 bits until 2088. */
const epoch = Date.UTC(2020, 0, 1);

/** A higher turn is worked first. */
export const turnAt = (time: number): number => -Math.floor((time - epoch) / 1000);

/**
 * `way`: what the task goes through (an integration, a webhook). A busy way of an environment does not hold up a quiet one.
 * `dueAt`: when the task may begin, in ms.
 */
export type Ticket = { environmentId: string; way?: string; cost: number; dueAt: number };

export type Turns = {
  take(ticket: Ticket, now: number): number;
  /** The queue has run empty: no environment is behind any more. Answers whether other processes have to be told. */
  forgive(): boolean;
};

/** `move` puts a clock on by the cost and answers where it stood. */
export type Clocks = { move(name: string, costMs: number, now: number): number; clear(): boolean };

/** Clocks of this process alone. */
function createClocks(max: number): Clocks {
  const clocks = new LRUCache<string, number>({ max });
  return {
    move(name, costMs, now) {
      const next = Math.max(clocks.get(name) ?? 0, now);
      clocks.set(name, Math.min(next + costMs, now + longestLagMs));
      return next;
    },
    clear() {
      clocks.clear();
      return false;
    },
  };
}

/** `environments`: their clocks, when other processes share them. */
export function createTurns(environments: Clocks = createClocks(10_000)): Turns {
  const later = createClocks(10_000);
  const waysOf = new LRUCache<string, Map<string, number>>({ max: 10_000 });

  /** Ways share what their environment has: each is charged as often as there are ways that are behind. */
  const moveWay = (environmentId: string, way: string, costMs: number, now: number): number | undefined => {
    const ways = waysOf.get(environmentId) ?? new Map<string, number>();
    waysOf.set(environmentId, ways);
    if (ways.size >= maxWays) for (const [name, next] of ways) if (next <= now) ways.delete(name);
    if (ways.size >= maxWays && !ways.has(way)) return undefined;
    const next = Math.max(ways.get(way) ?? 0, now);
    ways.set(way, next);
    let behind = 1;
    for (const [name, time] of ways) if (name !== way && time > now) behind++;
    ways.set(way, Math.min(next + costMs * behind, now + longestLagMs));
    return next;
  };

  return {
    take({ environmentId, way, cost, dueAt }, now) {
      const costMs = (cost * 1000) / share;
      if (dueAt > now + 1000) {
        const span = Math.floor(dueAt / spanMs);
        return turnAt(later.move(`${environmentId} ${span}`, costMs, dueAt));
      }
      const next = environments.move(environmentId, costMs, now);
      const ownNext = way === undefined ? undefined : moveWay(environmentId, way, costMs, now);
      const isQuiet = ownNext !== undefined && ownNext < now + 1000;
      return turnAt(Math.max(dueAt, Math.min(isQuiet ? ownNext : next, now + longestLagMs)));
    },
    forgive() {
      waysOf.clear();
      return environments.clear();
    },
  };
}
