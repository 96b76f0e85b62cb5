// What the models of one simulation share. There is one simulation at a time.
import type { Random } from "@tidings/testkit/load/random";
import type { Faults } from "../faults.ts";
import type { Disk } from "./disk.ts";
import type { TaskBoard } from "./queue.ts";
import type { Recording } from "./record.ts";
import type { Schedule } from "./schedule.ts";

export type World = {
  random: Random;
  schedule: Schedule;
  disk: Disk;
  tasks: TaskBoard;
  faults: Faults;
  /** Notes what happens, for the trace of one seed. */
  note(text: string): void;
  /** Keeps statements, where they are compared with those of PostgreSQL. */
  record(entry: Recording[number]): void;
};

let current: World | null = null;

export const hasWorld = (): boolean => current !== null;

export function world(): World {
  if (!current) throw new Error("no simulation is running");
  return current;
}

export function enterWorld(next: World | null): void {
  current = next;
}
