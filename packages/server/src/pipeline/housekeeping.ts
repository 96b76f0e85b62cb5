// Scheduled upkeep: partitions for the months ahead, answers past their 24 hours, what deleted environments left, what has
// been kept long enough, what throttles and digests remember of groups that have long been quiet, and what older versions
// stored in clear.
import type { Ctx } from "../context.ts";
import { ensurePartitions } from "../store/installation/partitions.ts";
import {
  purgeBudgets,
  purgeCaptured,
  purgeCapturedBeyond,
  purgeDeadLetters,
  purgeDeletedEnvironments,
  purgeExpiredAnswers,
  purgeFailedTasks,
  purgePasses,
  purgeReceipts,
  purgeThrottles,
  purgeWebhookEvents,
} from "../store/installation/purges.ts";
import type { Task } from "../store/queue/queue.ts";
import { applyOldReceipts } from "./deliver/early-receipts.ts";
import { sealOldRows } from "./encrypt-old-rows.ts";
import type { HousekeepingTask } from "./tasks.ts";

const purgeBatch = 5_000;
/** They take effect, so that fewer go into a transaction. */
const receiptBatch = 500;
/** Bounds one run of a purge: what is left waits for the next one. */
const purgeRounds = 200;
/** Work that was under way in an environment has long ended when its rows go. */
const graceMs = 24 * 3_600_000;

/** What webhooks were told, and what providers reported. */
const webhookRetentionMs = 30 * 24 * 3_600_000;

/** Rates that have been free for so long are free. */
const budgetRetentionMs = 3_600_000;

/** The mailbox of an environment holds its newest messages, and none for ever. */
const capturedRetentionMs = 30 * 24 * 3_600_000;
const capturedPerEnvironment = 10_000;

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
    async run(ctx) {
      await repeat(async () => (await purgeExpiredAnswers(ctx.db, purgeBatch)) === purgeBatch);
      const before = new Date(ctx.now().getTime() - budgetRetentionMs);
      await repeat(async () => (await purgeBudgets(ctx.db, before, purgeBatch)) === purgeBatch);
    },
  },
  webhooks: {
    cron: "29 * * * *",
    run: async (ctx) => {
      const before = new Date(ctx.now().getTime() - webhookRetentionMs);
      await repeat(() => purgeWebhookEvents(ctx.db, before, purgeBatch));
      await repeat(async () => (await purgeReceipts(ctx.db, before, purgeBatch)) === purgeBatch);
    },
  },
  receipts: {
    cron: "*/2 * * * *",
    run: (ctx) => repeat(() => applyOldReceipts(ctx, receiptBatch)),
  },
  captured: {
    cron: "37 * * * *",
    async run(ctx) {
      const before = new Date(ctx.now().getTime() - capturedRetentionMs);
      await repeat(async () => (await purgeCaptured(ctx.db, before, purgeBatch)) === purgeBatch);
      await repeat(async () => (await purgeCapturedBeyond(ctx.db, capturedPerEnvironment, purgeBatch)) === purgeBatch);
    },
  },
  deadLetters: {
    cron: "31 * * * *",
    run: async (ctx) => {
      const before = new Date(ctx.now().getTime() - ctx.config.deadLetterDays * 86_400_000);
      await repeat(async () => (await purgeDeadLetters(ctx.db, before, purgeBatch)) === purgeBatch);
      await repeat(async () => (await purgeFailedTasks(ctx.db, before, purgeBatch)) === purgeBatch);
    },
  },
  seals: {
    cron: "* * * * *",
    async run(ctx) {
      await sealOldRows(ctx, purgeRounds);
    },
  },
  environments: {
    cron: "41 3 * * *",
    run: (ctx) => {
      const before = new Date(ctx.now().getTime() - graceMs);
      return repeat(() => purgeDeletedEnvironments(ctx.db, before, purgeBatch));
    },
  },
  groups: {
    cron: "53 3 * * *",
    async run(ctx) {
      const over = new Date(ctx.now().getTime() - graceMs);
      await repeat(async () => (await purgeThrottles(ctx.db, over, purgeBatch)) === purgeBatch);
      // A look-back window is no longer than a wait may be.
      const quiet = new Date(over.getTime() - ctx.config.maxWaitDays * 86_400_000);
      await repeat(async () => (await purgePasses(ctx.db, quiet, purgeBatch)) === purgeBatch);
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
