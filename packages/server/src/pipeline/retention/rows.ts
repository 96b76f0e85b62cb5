// Deletes the rows of each class in the months that are kept, in small batches.
import type { EnvironmentRetentionClass, RetentionClassName } from "@tidings/contract";
import type { Db } from "../../store/db.ts";
import { purgeAuditLog, purgePublishes } from "../../store/installation/purges.ts";
import {
  type AgedTable,
  type Horizon,
  purgeByAge,
  purgeEventPages,
  purgeEvents,
  purgeInApp,
  purgeRuns,
  purgeSearchValues,
  type WalkStep,
} from "../../store/installation/retention-rows.ts";
import { purgeProgress } from "../../store/installation/statistics.ts";
import { purgeTestVersions } from "../../store/installation/test-versions.ts";
import { cutoffOf } from "../rules/retention.ts";
import { type EnvironmentHorizons, earliest, environmentsPerPage } from "./horizons.ts";
import { addRows, type RetentionCtx, type Tally } from "./tally.ts";

/** Rows in one transaction. */
const walkBatch = 2_000;
const ageBatch = 5_000;

type WalkStage = {
  horizon: EnvironmentRetentionClass;
  purge(db: Db, walk: { horizons: Horizon[]; limit: number; now: Date }): Promise<WalkStep>;
};

/** Runs before their events: an event goes when no notification of it is left. */
const walks: WalkStage[] = [
  { horizon: "inApp", purge: purgeInApp },
  { horizon: "messages", purge: purgeRuns },
  { horizon: "messages", purge: purgeEvents },
  { horizon: "messages", purge: purgeSearchValues },
  { horizon: "messages", purge: purgeEventPages },
];

const agedTables: { table: AgedTable; horizon: EnvironmentRetentionClass; isReported: boolean }[] = [
  { table: "refused_event_names", horizon: "messages", isReported: false },
  { table: "retractions", horizon: "messages", isReported: false },
  { table: "retracted_messages", horizon: "messages", isReported: false },
  { table: "supersede_keys", horizon: "messages", isReported: false },
  { table: "deleted_subscribers", horizon: "messages", isReported: false },
  { table: "message_expiries", horizon: "inApp", isReported: false },
  { table: "captured_messages", horizon: "captured", isReported: true },
  { table: "dead_letters", horizon: "deadLetters", isReported: true },
  { table: "dead_letter_replays", horizon: "deadLetters", isReported: true },
  { table: "failed_tasks", horizon: "deadLetters", isReported: true },
  { table: "statistics_hours", horizon: "statistics", isReported: true },
];

/** Returns whether all was done before `deadline`. */
export async function purgeRows(
  ctx: RetentionCtx,
  all: EnvironmentHorizons[],
  tally: Tally,
  deadline: number,
): Promise<boolean> {
  const hasTime = () => performance.now() < deadline;
  for (let at = 0; at < all.length; at += environmentsPerPage) {
    const page = all.slice(at, at + environmentsPerPage);
    for (const stage of walks) if (!(await walk(ctx, stage, page, { tally, hasTime }))) return false;
    const testVersions = () =>
      purgeTestVersions(
        ctx.db,
        page.map(({ messages }) => messages),
        ageBatch,
      );
    if (!(await repeat(testVersions, () => {}, hasTime))) return false;
    for (const { table, horizon, isReported } of agedTables) {
      const horizons = page.map((one) => one[horizon]);
      const purge = () => purgeByAge(ctx.db, table, horizons, ageBatch);
      const count = (rows: number) => isReported && addRows(tally, horizon, rows);
      if (!(await repeat(purge, count, hasTime))) return false;
    }
  }
  return purgeInstallation(ctx, all, tally, hasTime);
}

type Progress = { tally: Tally; hasTime: () => boolean };

async function walk(
  { db, now }: RetentionCtx,
  { horizon, purge }: WalkStage,
  page: EnvironmentHorizons[],
  { tally, hasTime }: Progress,
): Promise<boolean> {
  let horizons = page.map((one) => one[horizon]);
  while (horizons.length > 0) {
    if (!hasTime()) return false;
    const { rest, deleted } = await purge(db, { horizons, limit: walkBatch, now: now() });
    for (const [table, rows] of Object.entries(deleted)) addRows(tally, classOf(horizon, table), rows);
    horizons = rest;
  }
  return true;
}

/** The walk through in-app messages finds others, too. */
const classOf = (horizon: EnvironmentRetentionClass, table: string): RetentionClassName =>
  horizon === "inApp" && table !== "inApp" ? "messages" : horizon;

/** What belongs to the installation: the audit log, the publish history, and which hours were counted. */
async function purgeInstallation(
  ctx: RetentionCtx,
  all: EnvironmentHorizons[],
  tally: Tally,
  hasTime: () => boolean,
): Promise<boolean> {
  const { db, config } = ctx;
  const now = ctx.now();
  await purgeProgress(db, earliest(all, "statistics", now));
  const before = cutoffOf(now, config.retention.audit, "day");
  const count = (rows: number) => addRows(tally, "audit", rows);
  if (!(await repeat(() => purgeAuditLog(db, before, ageBatch), count, hasTime))) return false;
  return repeat(() => purgePublishes(db, before, ageBatch), count, hasTime);
}

/** Repeats a purge while it finds as many rows as it may. */
async function repeat(
  purge: () => Promise<number>,
  count: (rows: number) => void,
  hasTime: () => boolean,
): Promise<boolean> {
  for (;;) {
    if (!hasTime()) return false;
    const rows = await purge();
    count(rows);
    if (rows < ageBatch) return true;
  }
}
