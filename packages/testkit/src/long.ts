// Long versions of tests. `npm test` skips or shortens what takes long and rarely finds anything; `npm run test:long`
// runs in full every file that imports this one, directly or through others.

/** Whether this is a run of the long versions. */
export const isLong = process.env.TEST_LONG === "1";

/** For the `skip` of a test that only the long run has. */
export const skipUnlessLong: string | false = isLong ? false : "only in npm run test:long";

/**
 * The seed of a random test. Short runs always have the same one, so that a failure is of the change; a long run has
 * one of the clock, which the name of the test shows. `given` repeats a seed.
 */
export function chooseSeed(fixed: number, given?: string): number {
  if (given !== undefined) return Number(given);
  return isLong ? Math.floor(Date.now() / 1_000) % 1_000_000 : fixed;
}
