// Scheduled upkeep: partitions for the months ahead, answers past their 24 hours, what deleted environments left.
import type { Ctx } from "../context.ts";
import { purgeDeletedEnvironments } from "../store/environments.ts";
import { purgeExpiredAnswers } from "../store/idempotency.ts";
import { ensurePartitions } from "../store/partitions.ts";
import type { Task } from "../store/queue.ts";
import type { HousekeepingTask } from "./tasks.ts";

const purgeBatch = 5_000;
/** Bounds one run of a purge: what is left waits for the next one. */
const purgeRounds = 200;
/** Work that was under way in an environment has long ended when its rows go. */
const graceMs = 24 * 3_600_000;

type Chore = { cron: string; run(ctx: Ctx): Promise<void> };

const chores: Record<HousekeepingTask["name"], Chore> = {
  partitions: {
    cron: "17 3 * * *",
    async run(ctx) {
      const made = await ensurePartitions(ctx.db, ctx.now());
      if (made.length > 0) ctx.log.info({ made }, "partitions made ahead");
    },
  },
  idempotency: {
    cron: "23 * * * *",
    run: (ctx) => repeat(async () => (await purgeExpiredAnswers(ctx.db, purgeBatch)) === purgeBatch),
  },
  environments: {
    cron: "41 3 * * *",
    run: (ctx) => {
      const before = new Date(ctx.now().getTime() - graceMs);
      return repeat(() => purgeDeletedEnvironments(ctx.db, before, purgeBatch));
    },
  },
};

/** While there is more, and not for ever. */
async function repeat(purge: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < purgeRounds && (await purge()); round++);
}

export async function scheduleHousekeeping(ctx: Ctx): Promise<void> {
  for (const [name, { cron }] of Object.entries(chores)) await ctx.queue.schedule(name, cron);
}

export async function runHousekeeping(ctx: Ctx, tasks: Task<HousekeepingTask>[]): Promise<void> {
  for (const { data } of tasks) await chores[data.name].run(ctx);
  await ctx.queue.finish(ctx.db, "housekeeping", tasks);
}
