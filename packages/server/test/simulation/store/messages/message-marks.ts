import { statement } from "../../world/session.ts";

export * from "../../../../src/store/messages/message-marks.ts";

/** Nobody reads a feed in the simulation. */
export const findInAppMarks = statement("findInAppMarks", (_tx, _environmentId: string, _messages: unknown[]) => []);
