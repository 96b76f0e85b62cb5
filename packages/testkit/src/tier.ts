// Tiers. `npm test` runs the gate, `npm run test:rest` all other tests that are deterministic. A file belongs to the
// gate unless its name ends in `.rest.test.ts` or `.long.test.ts`. Only files with browser tests have tests of both
// tiers: `journey` is in the gate, `browserTest` in the rest (chromium.ts).

/** Unset in a run of named files, which runs the tests of both tiers. */
const wanted = process.env.TEST_TIER;

export const runsInGate = wanted !== "rest";
export const runsInRest = wanted !== "gate";
