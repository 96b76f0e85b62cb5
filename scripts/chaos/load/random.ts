// Random numbers that a seed decides, so that a run can be repeated.

export type Random = {
  /** From 0 to below 1. */
  next(): number;
  /** From 0 to below `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
  /** Whether something with this probability happens. */
  happens(probability: number): boolean;
  between(least: number, most: number): number;
};

/** Mulberry32. Each name has its own sequence, so that one client's timing does not change what another one does. */
export function createRandom(seed: number, name: string): Random {
  let state = hashText(`${seed} ${name}`);
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
    pick: (list) => list[below(list.length)]!,
    happens: (probability) => next() < probability,
    between: (least, most) => least + next() * (most - least),
  };
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash | 0;
}
