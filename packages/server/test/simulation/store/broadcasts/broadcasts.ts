import { statement } from "../../world/session.ts";

export * from "../../../../src/store/broadcasts/broadcasts.ts";

/** There are no broadcasts in the simulation. */
export const stopBroadcastOf = statement("stopBroadcastOf", (): void => {});
