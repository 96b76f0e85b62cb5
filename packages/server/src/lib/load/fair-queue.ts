// Priorities of queue tasks, so that environments share the workers fairly. A task costs as much as it makes others
// wait, which is the number of its recipients. Each environment has a share of cost per second: a task within the share
// gets the priority of the present time, a task beyond it that of a later time, as if it had arrived later. Workers
// take the highest priority first, so the backlog of one environment never delays a single task of another. No task is
// held back: an environment that is alone uses all workers.
//
// This is the virtual-clock discipline (Zhang, 1990) with two limits: an environment falls behind by ten minutes at
// most, and all lags are reset whenever the queue has run empty, because tasks that found free workers delayed no other
// task.
import { createBoundedCache } from "../bounded-cache.ts";

/**
 * Cost per second that an environment may enqueue without falling behind. The share is small,
 * some 25 ms of work, because a new environment may wait behind one second's share of another.
 */
export const sharePerSecond = 100;
/** How far an environment can fall behind: for so long the tasks of others go first while the service is overloaded. */
export const maxLagMs = 10 * 60_000;
/** Lanes of one environment that have their own clocks; additional lanes use the clock of their environment. */
const maxLanes = 16;
/** Tasks for later times have priorities of those times, from one clock for each span of this length. */
const spanMs = 10_000;
/** Priorities count seconds from here, so that they fit into 32 bits until 2088. */
const epoch = Date.UTC(2020, 0, 1);

/** The priority of a task that is due at this time, in ms: the earlier the higher. */
export const priorityAt = (time: number): number => -Math.floor((time - epoch) / 1000);

/**
 * `lane`: what the task goes through (an integration, a webhook). A backlog in one lane does not delay another lane of
 * the same environment. `dueAt`: when the task may begin, in ms.
 */
type QueueEntry = { environmentId: string; lane?: string; cost: number; dueAt: number };

export type FairQueue = {
  assignPriority(entry: QueueEntry, now: number): number;
  /** For a queue that has run empty. Returns whether other processes have lags to reset as well. */
  resetLags(): boolean;
};

/** `advance` moves a clock on by the cost and returns its previous value. */
export type VirtualClocks = { advance(name: string, costMs: number, now: number): number; clear(): boolean };

/** Clocks of this process alone. */
function createLocalClocks(max: number): VirtualClocks {
  const clocks = createBoundedCache<number>(max);
  return {
    advance(name, costMs, now) {
      const before = Math.max(clocks.get(name) ?? 0, now);
      clocks.set(name, Math.min(before + costMs, now + maxLagMs));
      return before;
    },
    clear() {
      clocks.clear();
      return false;
    },
  };
}

/** `environments`: the clocks of environments, where other processes share them. */
export function createFairQueue(environments: VirtualClocks = createLocalClocks(10_000)): FairQueue {
  const later = createLocalClocks(10_000);
  const lanesOf = createBoundedCache<Map<string, number>>(10_000);

  /** The share of an environment is divided among its lanes: a cost counts once for each lane that is behind. */
  function advanceLane(environmentId: string, lane: string, costMs: number, now: number): number | undefined {
    const lanes = lanesOf.get(environmentId) ?? new Map<string, number>();
    lanesOf.set(environmentId, lanes);
    if (lanes.size >= maxLanes) for (const [name, next] of lanes) if (next <= now) lanes.delete(name);
    if (lanes.size >= maxLanes && !lanes.has(lane)) return undefined;
    const before = Math.max(lanes.get(lane) ?? 0, now);
    lanes.set(lane, before);
    let behind = 1;
    for (const [name, time] of lanes) if (name !== lane && time > now) behind++;
    lanes.set(lane, Math.min(before + costMs * behind, now + maxLagMs));
    return before;
  }

  return {
    assignPriority({ environmentId, lane, cost, dueAt }, now) {
      const costMs = (cost * 1000) / sharePerSecond;
      if (dueAt > now + 1000) {
        const span = Math.floor(dueAt / spanMs);
        return priorityAt(later.advance(`${environmentId} ${span}`, costMs, dueAt));
      }
      const ofEnvironment = environments.advance(environmentId, costMs, now);
      const ofLane = lane === undefined ? undefined : advanceLane(environmentId, lane, costMs, now);
      const isOnTime = ofLane !== undefined && ofLane < now + 1000;
      return priorityAt(Math.max(dueAt, Math.min(isOnTime ? ofLane : ofEnvironment, now + maxLagMs)));
    },
    resetLags() {
      lanesOf.clear();
      return environments.clear();
    },
  };
}
