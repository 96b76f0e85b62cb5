// What came over, what existed already, what changed on the way, and what has to be done by hand.
export type ImportReport = {
  /** Which service the other installation is. */
  source: "novu" | "tidings";
  created: Record<string, number>;
  updated: Record<string, number>;
  unchanged: Record<string, number>;
  changed: string[];
  byHand: string[];
};

export const newReport = (source: ImportReport["source"]): ImportReport => ({
  ...{ source, created: {}, updated: {}, unchanged: {} },
  ...{ changed: [], byHand: [] },
});

export function count(numbers: Record<string, number>, kind: string, by = 1): void {
  if (by > 0) numbers[kind] = (numbers[kind] ?? 0) + by;
}

/** A line that concerns the whole import is written once. */
export function noteOnce({ changed }: ImportReport, line: string): void {
  if (!changed.includes(line)) changed.push(line);
}
