// What goes wrong in a simulation, by chance: at every await of a process, and with the clients and providers.
import type { Random } from "@tidings/testkit/load/random";
import type { Process, Schedule } from "./world/schedule.ts";

/** How often, as parts of one. */
export type FaultRates = {
  /** The connection is lost before a statement, or around a commit. */
  lost: number;
  killed: number;
  /** The process hangs: its claims lapse, its connections stay open. */
  frozen: number;
  /** A statement takes seconds. */
  slow: number;
};

export const noFaults: FaultRates = { lost: 0, killed: 0, frozen: 0, slow: 0 };

export type Faults = ReturnType<typeof createFaults>;

type Options = {
  random: Random;
  schedule: Schedule;
  rates: FaultRates;
  until: number;
  kill: (process: Process) => void;
  isSpared: (process: Process) => boolean;
};

/** After `until` nothing goes wrong, so that everything can come to its end. */
export function createFaults({ random, schedule, rates, until, kill, isSpared }: Options) {
  const happens = (rate: number): boolean => rate > 0 && schedule.now() < until && random.chance(rate);
  const disturb = (process: Process): void => {
    const isKilled = happens(rates.killed);
    if (!isKilled && !happens(rates.frozen)) return;
    if (isSpared(process)) return;
    if (isKilled) kill(process);
    else process.frozenUntil = schedule.now() + 2_000 + random.below(40_000);
  };
  return {
    happens,
    isOver: () => schedule.now() >= until,
    atStatement(process: Process): { delayMs: number; isLost: boolean } {
      disturb(process);
      const delayMs = happens(rates.slow) ? 500 + random.below(12_000) : random.below(10) / 2;
      return { delayMs, isLost: happens(rates.lost) };
    },
    atCommit: (): "kept" | "lost" | "unheard" =>
      happens(rates.lost * 3) ? (random.chance(0.5) ? "lost" : "unheard") : "kept",
    disturb,
  };
}
