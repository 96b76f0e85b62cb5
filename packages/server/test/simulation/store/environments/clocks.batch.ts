import { statement } from "../../world/session.ts";

export * from "../../../../src/store/environments/clocks.batch.ts";

/** The environment of the simulation has no test clock. */
export const holdTestClocks = statement("holdTestClocks", (_tx, _environmentIds: string[]) => new Map<string, Date>());
