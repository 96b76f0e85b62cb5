// Random numbers that a seed decides, so that a run can be repeated.

export type Random = {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** A whole number, both ends included. */
  integer(from: number, to: number): number;
  between(least: number, most: number): number;
  /** Whether something with this probability happens. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
};

/**
 * Mulberry32: the same numbers for the same seed. A name has its own sequence, so that the timing of one client does
 * not change what another one does.
 */
export function createRandom(seed: number, name?: string): Random {
  let state = name === undefined ? seed : hashText(`${seed} ${name}`);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    integer: (from, to) => from + below(to - from + 1),
    between: (least, most) => least + next() * (most - least),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    shuffle(list) {
      const mixed = [...list];
      for (let at = mixed.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
      }
      return mixed;
    },
  };
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash | 0;
}
