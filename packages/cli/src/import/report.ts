// What came over, what changed on the way, and what has to be done by hand.
export type ImportReport = {
  created: Record<string, number>;
  updated: Record<string, number>;
  changed: string[];
  byHand: string[];
};

export const newReport = (): ImportReport => ({ created: {}, updated: {}, changed: [], byHand: [] });

export function count(numbers: Record<string, number>, kind: string, by = 1): void {
  numbers[kind] = (numbers[kind] ?? 0) + by;
}
