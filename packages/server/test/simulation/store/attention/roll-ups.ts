import { statement } from "../../world/session.ts";

export * from "../../../../src/store/attention/roll-ups.ts";

/** The environment of the simulation has no attention budgets. */
export const withdrawItems = statement("withdrawItems", (_tx, _environmentId: string, _runs: object) => []);
