// Random numbers that a seed repeats, for tests that compare the service with a model.

/** Mulberry32: the same numbers for the same seed. */
export function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)]!,
    chance: (share: number) => next() < share,
  };
}

export type Random = ReturnType<typeof createRandom>;
