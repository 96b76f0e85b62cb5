// How many threads a process should have, by how busy they are. A worker thread starts when the existing threads are
// nearly always busy and the machine has an idle core. The last one ends when the others could have done its work, with
// room to spare, for a minute: a pause between two bursts does not end it.
import type { CpuInfo } from "node:os";

/**
 * The part of a core, over all cores, that has to be idle before another thread starts: on a full machine it would only
 * take turns.
 */
const neededIdle = 0.2;
/** The part of their time that all threads are busy before another starts. */
const busyPart = 0.8;
/** The part of their time that the threads left may be busy after one has ended. */
const quietPart = 0.4;
export const quietMs = 60_000;

export type ThreadLimits = { min: number; max: number };

/**
 * `busy`: the part of the time since the last call that each thread was busy; `idleCores`: of the machine, in that
 * time.
 */
type Load = { busy: number[]; idleCores: number };

export function createThreadRule({ min, max }: ThreadLimits) {
  let quietSince: number | null = null;
  return ({ busy, idleCores }: Load, nowMs: number): "more" | "fewer" | "enough" => {
    const count = busy.length;
    const sum = busy.reduce((total, part) => total + part, 0);
    const isQuiet = count > min && sum < quietPart * (count - 1);
    quietSince = isQuiet ? (quietSince ?? nowMs) : null;
    const isBusy = sum >= busyPart * count && idleCores >= neededIdle;
    if (count < min || (count < max && isBusy)) return "more";
    if (quietSince === null || nowMs - quietSince < quietMs) return "enough";
    quietSince = null;
    return "fewer";
  };
}

type Utilization = { idle: number; active: number };

/**
 * Returns the part of the time since its last call that a thread was busy; `read`: its event loop utilization so far.
 */
export function createBusyReader(read: () => Utilization): () => number {
  let before = read();
  return () => {
    const now = read();
    const active = now.active - before.active;
    const all = active + now.idle - before.idle;
    before = now;
    return all > 0 ? active / all : 0;
  };
}

/** Returns how many cores were idle since its last call, on average; `read`: the times of all cores so far. */
export function createIdleReader(read: () => CpuInfo[]): () => number {
  let before = read();
  return () => {
    const now = read();
    const parts = now.map(({ times }, core) => {
      const all = totalOf(times) - totalOf(before[core]?.times);
      return all > 0 ? (times.idle - (before[core]?.times.idle ?? 0)) / all : 0;
    });
    before = now;
    return parts.reduce((sum, part) => sum + part, 0);
  };
}

const totalOf = (times: CpuInfo["times"] | undefined): number =>
  Object.values(times ?? {}).reduce((sum, ms) => sum + ms, 0);
