// Scheduled upkeep: partitions for the months ahead, and answers past their 24 hours.
import type { Ctx } from "../context.ts";
import { purgeExpiredAnswers } from "../store/idempotency.ts";
import { ensurePartitions } from "../store/partitions.ts";
import type { Task } from "../store/queue.ts";
import type { HousekeepingTask } from "./tasks.ts";

const purgeBatch = 5_000;
/** Bounds one run of the purge: what is left waits for the next hour. */
const purgeRounds = 200;

export async function scheduleHousekeeping(ctx: Ctx): Promise<void> {
  await ctx.queue.schedule("partitions", "17 3 * * *");
  await ctx.queue.schedule("idempotency", "23 * * * *");
}

export async function runHousekeeping(ctx: Ctx, tasks: Task<HousekeepingTask>[]): Promise<void> {
  for (const { data } of tasks) {
    if (data.name === "partitions") {
      const made = await ensurePartitions(ctx.db, ctx.now());
      if (made.length > 0) ctx.log.info({ made }, "partitions made ahead");
    } else {
      let purged = 0;
      for (let round = 0; round < purgeRounds; round++) {
        const count = await purgeExpiredAnswers(ctx.db, purgeBatch);
        purged += count;
        if (count < purgeBatch) break;
      }
      ctx.log.debug({ purged }, "expired idempotency answers removed");
    }
  }
  await ctx.queue.finish(ctx.db, "housekeeping", tasks);
}
