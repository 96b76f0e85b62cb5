// Priorities of queue tasks, so that environments share the workers fairly. A task costs as much as it makes others
// wait, which is the number of its recipients. Each environment has a share of cost per second: a task within the share
// gets the priority of the present time, a task beyond it that of a later time, as if it had arrived later. Workers
// take the highest priority first, so the backlog of one environment never delays a single task of another. No task is
// held back: an environment that is alone uses all workers.
//
// This is the virtual-clock discipline (Zhang, 1990) with two limits: an environment falls behind by ten minutes at
// most, and all lags are reset whenever the queue has run empty, because tasks that found free workers delayed no other
// task.
//
// Three lanes lie on top of each other. Tasks of high priority have their own clock: within its share they go before
// everything, beyond it they are ordered by that clock like other tasks. Tasks of low priority go after everything, and
// take turns by separate clocks; workers see to it that they get a tenth (store/queue/workers.ts).
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

/**
 * Between the numbers of two lanes. Times take less until 2054, and those of the low lane fit into 32 bits as long.
 */
const laneGap = 2 ** 30;

/**
 * How much earlier the turn of a high task is that begins later. Such a task is in the normal lane: in the high one,
 * every fetch would read past it until it is due.
 */
const headStartMs = 60_000;

export type TaskPriority = "high" | "normal" | "low";

/** The order of a normal task that is due at this time, in ms: the earlier the higher. */
export const priorityAt = (time: number): number => -Math.floor((time - epoch) / 1000);

/** No order of a low task is above this one, and none of another task below. */
export const highestLow = -laneGap;

/** The low tasks with this turn or an earlier one. */
export const lowRange = (time: number): { from: number; to: number } => ({
  from: priorityAt(time) - laneGap,
  to: highestLow,
});

/** Whether a task with this order is in the high lane or in the low one. */
export const laneOf = (order: number): TaskPriority => (order > 0 ? "high" : order <= highestLow ? "low" : "normal");

/**
 * `lane`: what the task goes through (an integration, a webhook). A backlog in one lane does not delay another lane of
 * the same environment. `dueAt`: when the task may begin, in ms.
 */
type QueueEntry = { environmentId: string; lane?: string; cost: number; dueAt: number; priority?: TaskPriority };

/** Tasks whose backlogs are counted apart: low tasks wait although no other task does. */
export type Backlog = "low" | "others";

export type FairQueue = {
  assignPriority(entry: QueueEntry, now: number): number;
  /** For a backlog that has run empty. Returns whether other processes have lags to reset as well. */
  resetLags(backlog: Backlog): boolean;
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

type Cost = { lane?: string; costMs: number; now: number };

/** The turns of tasks by the clocks of their environments, and within an environment by those of its lanes. */
function createTurns(environments: VirtualClocks) {
  const lanesOf = createBoundedCache<Map<string, number>>(10_000);

  /** The share of an environment is divided among its lanes: a cost counts once for each lane that is behind. */
  function advanceLane(environmentId: string, lane: string, { costMs, now }: Cost): number | undefined {
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
    next(environmentId: string, cost: Cost): number {
      const { lane, costMs, now } = cost;
      const ofEnvironment = environments.advance(environmentId, costMs, now);
      const ofLane = lane === undefined ? undefined : advanceLane(environmentId, lane, cost);
      const isOnTime = ofLane !== undefined && ofLane < now + 1000;
      return Math.min(isOnTime ? ofLane : ofEnvironment, now + maxLagMs);
    },
    reset(): boolean {
      lanesOf.clear();
      return environments.clear();
    },
  };
}

/** The clocks of environments, where other processes share them. */
export type QueueClocks = Record<Backlog, VirtualClocks>;

export function createFairQueue(
  clocks: QueueClocks = { low: createLocalClocks(10_000), others: createLocalClocks(10_000) },
): FairQueue {
  const later = createLocalClocks(10_000);
  const turns = { low: createTurns(clocks.low), others: createTurns(clocks.others) };
  return {
    assignPriority({ environmentId, lane, cost, dueAt, priority = "normal" }, now) {
      const costMs = (cost * 1000) / sharePerSecond;
      if (dueAt > now + 1000) {
        const span = Math.floor(dueAt / spanMs);
        const turn = later.advance(`${environmentId} ${priority} ${span}`, costMs, dueAt);
        return priorityAt(priority === "high" ? turn - headStartMs : turn) - (priority === "low" ? laneGap : 0);
      }
      if (priority === "high") {
        const turn = clocks.others.advance(`high ${environmentId}`, costMs, now);
        const isWithinShare = turn < now + 1000;
        return priorityAt(Math.max(dueAt, Math.min(turn, now + maxLagMs))) + (isWithinShare ? laneGap : 0);
      }
      const isLow = priority === "low";
      const turn = turns[isLow ? "low" : "others"].next(environmentId, { lane, costMs, now });
      return priorityAt(Math.max(dueAt, turn)) - (isLow ? laneGap : 0);
    },
    resetLags: (backlog) => turns[backlog].reset(),
  };
}
