// The stage `relay`: refused calls by SQL that are tried again. One that is refused again is set aside again.
import type { Ctx } from "../../context.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findEnvironmentType } from "../../store/sources/sources.ts";
import { transact } from "../batch.ts";
import { environmentOf, type RelayTask } from "../tasks.ts";
import { acceptRows } from "./accept-rows.ts";
import { fromTask } from "./refused.ts";

export async function runRelay(ctx: Ctx, tasks: Task<RelayTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    await tx.queue.finish(tx.db, "relay", tasks);
    const environmentId = environmentOf(tasks[0]!);
    const environmentType = await findEnvironmentType(tx.db, environmentId);
    // The environment was deleted.
    if (!environmentType) return;
    for (const [sourceId, own] of Map.groupBy(tasks, ({ data }) => data.sourceId)) {
      const rows = own.map(({ data }) => fromTask(tx.secrets, data, tx.now()));
      await acceptRows(tx, { environmentId, environmentType, sourceId }, rows);
    }
  });
}
