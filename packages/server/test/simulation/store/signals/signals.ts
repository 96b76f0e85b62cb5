import { statement } from "../../world/session.ts";

export * from "../../../../src/store/signals/signals.ts";

/** No run of the simulation waits for a signal. */
export const deleteWaits = statement("deleteWaits", (_tx, _environmentId: string, _jobIds: string[]): void => {});
