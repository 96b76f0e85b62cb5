// The tasks that continue runs.
import type { Ranked, WakeTask } from "../tasks.ts";
import type { Timed } from "./clock.ts";

/** Runs with the same wake-up time, and runs that the batch had no time for, share a task, up to this many. */
const runsPerWakeTask = 100;

export type Wake = { environmentId: string; at?: Date; ids: string[]; rank?: Ranked };

/** Without `at`, the runs are woken at once. */
export function wakeTasks({ environmentId, at, ids, rank }: Wake): Timed[] {
  const tasks: Timed[] = [];
  for (let from = 0; from < ids.length; from += runsPerWakeTask) {
    const data: WakeTask = { notificationIds: ids.slice(from, from + runsPerWakeTask), ...rank };
    tasks.push({ environmentId, at, data });
  }
  return tasks;
}
