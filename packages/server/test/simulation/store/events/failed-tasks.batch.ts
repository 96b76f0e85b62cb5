import { statement } from "../../world/session.ts";

export * from "../../../../src/store/events/failed-tasks.batch.ts";

export const hasTaskSubject = statement("hasTaskSubject", () => true);
