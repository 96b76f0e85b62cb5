import { statement } from "../../world/session.ts";

export * from "../../../../src/store/installation/schema-state.ts";

/** All processes of the simulation are of one release. */
export const readSchemaState = statement("readSchemaState", () => ({ isShared: false, isTooNew: false, newer: null }));
