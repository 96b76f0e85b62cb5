import { statement } from "../../world/session.ts";

export * from "../../../../src/store/events/failed-tasks.ts";

type FailedTask = { id: string };

export const insertFailedTask = statement("insertFailedTask", async (tx, _environmentId: string, task: FailedTask) => {
  await tx.insert("failed_tasks", task.id, task);
});
