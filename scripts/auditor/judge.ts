// Collects what a promise finds: how many things were compared, and what is broken, each with the faults around it.
import type { Break, FaultKind, FaultRecord, Verdict } from "./evidence.ts";
import type { World } from "./world.ts";

/** One row of docs/promises.md. */
export type PromiseCheck = {
  id: string;
  title: string;
  check(world: World, judge: Judge): void | Promise<void>;
};

export type Judge = {
  /** So many more things were compared. */
  compared(count?: number): void;
  broken(what: string, about?: { at?: number; detail?: unknown }): void;
  note(text: string): void;
  /** Compares, and is broken if `isKept` is false. */
  expect(isKept: boolean, what: () => string, about?: { at?: number; detail?: unknown }): void;
};

const maxBreaks = 50;
/** A fault can have an effect after its end: connections are restored, tasks taken over, retries made. */
const beforeMs = 5_000;
const afterMs = 30_000;

export function createJudge({ id, title }: PromiseCheck, faults: readonly FaultRecord[]) {
  const verdict: Verdict = { promise: id, title, checked: 0, broken: [], brokenCount: 0 };
  const notes: string[] = [];
  const judge: Judge = {
    compared(count = 1) {
      verdict.checked += count;
    },
    broken(what, { at, detail } = {}) {
      verdict.brokenCount++;
      if (verdict.broken.length >= maxBreaks) return;
      const found: Break = { what };
      if (at !== undefined) Object.assign(found, { at, faults: faultsAround(faults, at) });
      if (detail !== undefined) found.detail = detail;
      verdict.broken.push(found);
    },
    note: (text) => void notes.push(text),
    expect(isKept, what, about) {
      judge.compared();
      if (!isKept) judge.broken(what(), about);
    },
  };
  const end = (): Verdict => {
    return notes.length > 0 ? { ...verdict, note: [...new Set(notes)].join("; ") } : verdict;
  };
  return { judge, end };
}

/** Leaves out those that could not be injected. */
const faultsAround = (faults: readonly FaultRecord[], at: number): FaultKind[] => [
  ...new Set(
    faults
      .filter(({ problem, startedAt, endedAt }) => !problem && startedAt - beforeMs <= at && at <= endedAt + afterMs)
      .map(({ fault }) => fault),
  ),
];
