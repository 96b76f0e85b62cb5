// Scheduled upkeep: creates the partitions of the coming months, deletes what is past its retention (retention/),
// purges expired rows of fixed terms (idempotent responses, budgets, webhook events, alerts, receipts, in-app messages
// that expire, imports, backtests, deleted environments, expired sessions of people, tabs that showed a workflow, the
// groups of throttles and digests, ledgers of attention budgets, circuit breakers of hosts that nothing calls, images
// that nothing shows), rewrites rows of older versions (background/), and counts the statistics of the hours that have
// ended.
import { backtestLimits, maxWindowDays } from "@tidings/contract";
import type { Ctx } from "../context.ts";
import { type Db, inTransaction } from "../store/db.ts";
import { ensurePartitions } from "../store/installation/partitions.ts";
import {
  purgeAlerts,
  purgeBacktests,
  purgeBudgets,
  purgeCapturedBeyond,
  purgeDeletedEnvironments,
  purgeExpiredAnswers,
  purgeExpiredSessions,
  purgeImports,
  purgeInboundReceipts,
  purgeInboundReceiptsBeyond,
  purgeLedgers,
  purgePasses,
  purgeReceipts,
  purgeRequestHosts,
  purgeSignals,
  purgeThrottles,
  purgeViewers,
  purgeWebhookEvents,
} from "../store/installation/purges.ts";
import { purgeDeletedMessages } from "../store/installation/statistics.ts";
import type { Task } from "../store/queue/queue.ts";
import { runBackgroundMigrations } from "./background/run.ts";
import { deleteExpired } from "./clock/expire.ts";
import { applyExpiredReceipts } from "./deliver/early-receipts.ts";
import { runRetention } from "./retention/run.ts";
import { purgeUnusedAssets } from "./retention/unused-assets.ts";
import { nextCron } from "./rules/cron.ts";
import { retentionCron } from "./rules/retention.ts";
import { zoneOf } from "./rules/zones.ts";
import { countStatistics } from "./statistics.ts";
import type { HousekeepingTask } from "./tasks.ts";

const purgeBatch = 5_000;
/** Fewer in a transaction, because receipts are applied, not only deleted. */
const receiptBatch = 500;
/** Fewer in a transaction, because each is noted on its job, which the subscriber may be changing. */
const expiredBatch = 500;
/** Limits one run of a purge; the next run continues. */
const purgeRounds = 200;
/** How long after its deletion the rows of an environment are purged: all its tasks have ended by then. */
const graceMs = 24 * 3_600_000;

/** Webhook events with their deliveries, and receipts. */
const webhookRetentionMs = 30 * 24 * 3_600_000;

/** Alerts that have ended, and the messages about alerts. */
const alertRetentionMs = 90 * 24 * 3_600_000;

/** Reports of providers as the API lists them: for a limited time, and the newest of each environment. */
const inboundRetentionMs = 7 * 24 * 3_600_000;
const inboundPerEnvironment = 50_000;
const refusedPerEnvironment = 1_000;

/** Signals, for waits that look back and for the goals of experiments. */
const signalRetentionMs = 90 * 24 * 3_600_000;

/** No window of an attention budget is longer, by more than a change of clocks. */
const ledgerRetentionMs = (maxWindowDays + 2) * 24 * 3_600_000;

/** A rate limit that was not used for so long needs no row. */
const budgetRetentionMs = 3_600_000;

/** The captured messages of an environment: the newest ones. */
const capturedPerEnvironment = 10_000;

/** Imports with their invalid rows; few in a statement, because each may have hundreds of pages. */
const importRetentionMs = 30 * 24 * 3_600_000;
const importBatch = 50;

/** Backtests with the differences they found; few in a statement, because each may have thousands. */
const backtestRetentionMs = backtestLimits.keptDays * 24 * 3_600_000;
const backtestBatch = 10;

/** Tabs of the dashboard say every 15 s that they show a workflow. */
const viewerRetentionMs = 3_600_000;

type Chore = { cron: string; run(ctx: Ctx): Promise<void> };

const chores: Record<HousekeepingTask["name"], Chore> = {
  partitions: {
    cron: "17 3 * * *",
    async run(ctx) {
      const created = await ensurePartitions(ctx.db, ctx.now());
      if (created.length > 0) ctx.log.info({ created }, "partitions created ahead");
    },
  },
  idempotency: {
    cron: "23 * * * *",
    async run(ctx) {
      await repeatPurge(async () => (await purgeExpiredAnswers(ctx.db, purgeBatch)) === purgeBatch);
      const before = new Date(ctx.now().getTime() - budgetRetentionMs);
      await repeatPurge(async () => (await purgeBudgets(ctx.db, before, purgeBatch)) === purgeBatch);
    },
  },
  webhooks: {
    cron: "29 * * * *",
    run: async (ctx) => {
      const before = new Date(ctx.now().getTime() - webhookRetentionMs);
      await repeatPurge(() => purgeWebhookEvents(ctx.db, before, purgeBatch));
      await repeatPurge(async () => (await purgeReceipts(ctx.db, before, purgeBatch)) === purgeBatch);
      await purgeInbound(ctx);
    },
  },
  alerts: {
    cron: "51 * * * *",
    async run(ctx) {
      const before = new Date(ctx.now().getTime() - alertRetentionMs);
      await repeatPurge(async () => (await purgeAlerts(ctx.db, before, purgeBatch)) === purgeBatch);
    },
  },
  receipts: {
    cron: "*/2 * * * *",
    run: (ctx) => repeatPurge(() => applyExpiredReceipts(ctx, receiptBatch)),
  },
  expired: {
    cron: "* * * * *",
    run: (ctx) => repeatPurge(() => deleteExpired(ctx, expiredBatch)),
  },
  captured: {
    cron: "37 * * * *",
    async run(ctx) {
      await repeatPurge(
        async () => (await purgeCapturedBeyond(ctx.db, capturedPerEnvironment, purgeBatch)) === purgeBatch,
      );
    },
  },
  retention: { cron: retentionCron, run: runRetention },
  imports: {
    cron: "47 * * * *",
    run: async (ctx) => {
      const before = new Date(ctx.now().getTime() - importRetentionMs);
      await repeatPurge(async () => (await purgeImports(ctx.db, before, importBatch)) === importBatch);
      const testedBefore = new Date(ctx.now().getTime() - backtestRetentionMs);
      await repeatPurge(async () => (await purgeBacktests(ctx.db, testedBefore, backtestBatch)) === backtestBatch);
    },
  },
  people: {
    cron: "43 * * * *",
    run: async (ctx) => {
      await repeatPurge(async () => (await purgeExpiredSessions(ctx.db, ctx.now(), purgeBatch)) >= purgeBatch);
      const silentSince = new Date(ctx.now().getTime() - viewerRetentionMs);
      await repeatPurge(async () => (await purgeViewers(ctx.db, silentSince, purgeBatch)) === purgeBatch);
    },
  },
  assets: { cron: "11 4 * * *", run: purgeUnusedAssets },
  statistics: {
    cron: "5 * * * *",
    async run(ctx) {
      await countStatistics(ctx);
      await purgeDeletedMessages(ctx.db, ctx.now());
    },
  },
  background: {
    cron: "* * * * *",
    async run(ctx) {
      await runBackgroundMigrations(ctx, purgeRounds);
    },
  },
  environments: {
    cron: "41 3 * * *",
    run: (ctx) => {
      const before = new Date(ctx.now().getTime() - graceMs);
      return repeatPurge(() => purgeDeletedEnvironments(ctx.db, before, purgeBatch));
    },
  },
  groups: {
    cron: "53 3 * * *",
    async run(ctx) {
      const endedBefore = new Date(ctx.now().getTime() - graceMs);
      await repeatPurge(async () => (await purgeThrottles(ctx.db, endedBefore, purgeBatch)) === purgeBatch);
      const signaledBefore = new Date(ctx.now().getTime() - signalRetentionMs);
      await repeatPurge(async () => (await purgeSignals(ctx.db, signaledBefore, purgeBatch)) === purgeBatch);
      const unusedSince = new Date(ctx.now().getTime() - ledgerRetentionMs);
      await repeatPurge(async () => (await purgeLedgers(ctx.db, unusedSince, purgeBatch)) === purgeBatch);
      // A circuit is probed at least every 10 minutes while something waits for it.
      await repeatPurge(async () => (await purgeRequestHosts(ctx.db, endedBefore, purgeBatch)) === purgeBatch);
      // A look-back window is not longer than the longest wait.
      const quietBefore = new Date(endedBefore.getTime() - ctx.config.maxWaitDays * 86_400_000);
      await repeatPurge(async () => (await purgePasses(ctx.db, quietBefore, purgeBatch)) === purgeBatch);
    },
  },
};

const choreNames = Object.keys(chores) as HousekeepingTask["name"][];

async function purgeInbound(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - inboundRetentionMs);
  await repeatPurge(async () => (await purgeInboundReceipts(ctx.db, before, purgeBatch)) === purgeBatch);
  const purgeBeyond = (kept: number, isRefused: boolean) =>
    repeatPurge(async () => (await purgeInboundReceiptsBeyond(ctx.db, { kept, isRefused }, purgeBatch)) === purgeBatch);
  await purgeBeyond(refusedPerEnvironment, true);
  await purgeBeyond(inboundPerEnvironment, false);
}

/** Repeats a purge while there is more, up to `purgeRounds`. */
async function repeatPurge(purge: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < purgeRounds && (await purge()); round++);
}

const utc = zoneOf("UTC", "UTC");

/** Each chore is its own task; when it is done, it is enqueued for its next time. */
const nextTask = (ctx: Ctx, name: HousekeepingTask["name"]) => {
  const next = nextCron(chores[name].cron, ctx.now(), utc);
  if ("fault" in next) throw new Error(`The schedule of ${name}: ${next.fault}`);
  return { name, startAfter: next.at };
};

/** Enqueues the chores that are not in the queue: all of them in a new installation, or those of a new version. */
export const scheduleHousekeeping = (ctx: Ctx): Promise<void> => inTransaction(ctx.db, (tx) => enqueueMissing(ctx, tx));

const enqueueMissing = (ctx: Ctx, tx: Db): Promise<void> =>
  ctx.queue.enqueueMissing(
    tx,
    "housekeeping",
    choreNames.map((name) => nextTask(ctx, name)),
  );

/**
 * A chore that this version does not know was left by another release: it ends without work, and processes that know it
 * enqueue it again, because each run enqueues all chores that are missing.
 */
export async function runHousekeeping(ctx: Ctx, tasks: Task<HousekeepingTask>[]): Promise<void> {
  const known = tasks.filter(({ data }) => Object.hasOwn(chores, data.name));
  for (const { data } of known) await chores[data.name].run(ctx);
  await inTransaction(ctx.db, async (tx) => {
    await ctx.queue.finish(tx, "housekeeping", tasks);
    await enqueueMissing(ctx, tx);
  });
}
