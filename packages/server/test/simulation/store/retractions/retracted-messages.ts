import { statement } from "../../world/session.ts";

export * from "../../../../src/store/retractions/retracted-messages.ts";

/** Nothing is retracted in the simulation. */
export const findOpenRetracted = statement("findOpenRetracted", (_tx, _environmentId: string, _ids: string[]) => []);

export const findMessagesByIds = statement("findMessagesByIds", (_tx, _environmentId: string, _ids: string[]) => []);
