// Whose turn it is. Tasks that share a queue belong to flows (a tenant's messages through one integration, say); a flow
// that hands in a million of them must not keep another's single one waiting. Each flow has a share per second: what it
// hands in beyond that is given a later turn, as if it had come later, and turns are worked in order. Nothing is held
// back: when nobody else wants anything, the whole queue belongs to one flow.
//
// This is the virtual-clock discipline (Zhang, 1990) with a limit on how far a flow can fall behind. Turns are kept in
// memory, per process: they only decide an order, so what a restart forgets does no harm.
import { LRUCache } from "lru-cache";

/** Tasks a second that a flow may hand in without falling behind. Small: it is also what a newcomer may find ahead of it. */
const share = 10;
/** How far behind a flow can fall, which is how long others may go first once the service is overloaded. */
const longestLagMs = 10 * 60_000;
/** Turns count seconds from here, so that they fit into 32 bits until 2088. */
const epoch = Date.UTC(2020, 0, 1);

/** A higher turn is worked first. `dueAt`: when the task may begin. Times are in ms. */
export type Turns = (flow: string, dueAt: number, now: number) => number;

export function createTurns(): Turns {
  const nextByFlow = new LRUCache<string, number>({ max: 10_000 });
  return (flow, dueAt, now) => {
    const next = Math.max(nextByFlow.get(flow) ?? 0, now);
    nextByFlow.set(flow, Math.min(next + 1000 / share, now + longestLagMs));
    return -Math.floor((Math.max(dueAt, next) - epoch) / 1000);
  };
}
