// How long an environment keeps its data, and what a change would delete. What deletes is in pipeline/retention/.
import {
  type EnvironmentRetentionClass,
  environmentRetentionClasses,
  type Input,
  listedRetentionRuns,
  maxRetentionCounted,
  type Output,
  type Retention,
  type RetentionClass,
  type RetentionClassName,
  type RetentionMonth,
  type RetentionPreviewClass,
  type RetentionRun,
  retentionClasses,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { findLongestDays } from "../../pipeline/retention/horizons.ts";
import {
  applyChanges,
  boundsOf,
  cutoffOf,
  findRetentionFaults,
  goneAt,
  listDeleted,
  nextRunAt,
  type RetentionBounds,
  type RetentionDays,
  resolveRetention,
  settingOfClass,
} from "../../pipeline/rules/retention.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  countClass,
  countedTables,
  findRetention,
  setRetention,
  type TableSizes,
} from "../../store/environments/retention.ts";
import { listMonths, type StoredMonth } from "../../store/installation/partition-drops.ts";
import { findLastComplete, listRetentionRuns, type RetentionRunRow } from "../../store/installation/retention-runs.ts";
import { findTableSizes } from "../../store/installation/system.ts";
import type { RetentionOverrides } from "../../store/tables.ts";
import { requireOwn } from "./environments.ts";

type Changes = Partial<Record<RetentionClassName, number | null>>;

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"retention.retrieve">,
): Promise<Output<"retention.retrieve">> {
  const { id } = await requireOwn(ctx, caller, params.environmentId);
  return readRetention(ctx, id);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"retention.update">,
): Promise<Output<"retention.update">> {
  const { id } = await requireOwn(ctx, caller, params.environmentId);
  // Two requests that change different classes must not be refused by what the other one replaces.
  await lockEnvironment(ctx.db, id);
  const { overrides } = readChanges(ctx, await findRetention(ctx.db, id), body);
  await setRetention(ctx.db, id, overrides, ctx.now());
  return readRetention(ctx, id);
}

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"retention.preview">,
): Promise<Output<"retention.preview">> {
  const { id } = await requireOwn(ctx, caller, params.environmentId);
  const { days } = readChanges(ctx, await findRetention(ctx.db, id), body);
  const lastComplete = await findLastComplete(ctx.db);
  const at = nextRunAt(ctx.now(), lastComplete);
  const sizes = await findTableSizes(ctx.db, countedTables);
  const classes: RetentionPreviewClass[] = [];
  for (const name of retentionClasses) {
    classes.push(await previewClass(ctx, id, name, { days: daysOf(ctx, days, name), at, sizes }));
  }
  return { at: at.toISOString(), classes, months: await findGoingMonths(ctx, { environmentId: id, days }, at) };
}

/** The days and overrides with the changes; 422 for those that are too short or too long. */
function readChanges({ config }: Ctx, current: RetentionOverrides, changes: Changes) {
  if (changes.audit !== undefined) {
    const message = `audit cannot be set for an environment: the audit log belongs to the installation, and TIDINGS_AUDIT_DAYS is ${config.retention.audit}`;
    throw invalid({ audit: { messages: [message], value: changes.audit } });
  }
  const { overrides, days, changed } = applyChanges(config, current, changes);
  const faults = findRetentionFaults(config, days, changed);
  if (faults.size === 0) return { overrides, days };
  throw invalid(
    Object.fromEntries([...faults].map(([name, message]) => [name, { messages: [message], value: changes[name] }])),
  );
}

const daysOf = ({ config }: Ctx, days: RetentionDays, name: RetentionClassName): number =>
  name === "audit" ? config.retention.audit : days[name];

/** Days of the audit log are never rounded to months: it has no partitions. */
const cutoffFor = ({ config }: Ctx, at: Date, name: RetentionClassName, days: number): Date =>
  cutoffOf(at, days, name === "audit" ? "day" : config.retention.step);

async function readRetention(ctx: Ctx, environmentId: string): Promise<Retention> {
  const overrides = await findRetention(ctx.db, environmentId);
  const days = resolveRetention(ctx.config, overrides);
  const lastComplete = await findLastComplete(ctx.db);
  const at = nextRunAt(ctx.now(), lastComplete);
  const sizes = await findTableSizes(ctx.db, countedTables);
  const classes: RetentionClass[] = [];
  for (const name of retentionClasses) {
    const state = { days: daysOf(ctx, days, name), at, sizes };
    classes.push({ ...describe(ctx, name, days, overrides), ...(await measure(ctx, environmentId, name, state)) });
  }
  return {
    environmentId,
    classes,
    months: await readMonths(ctx, lastComplete),
    nextRunAt: at.toISOString(),
    runs: (await listRetentionRuns(ctx.db, listedRetentionRuns)).map(toRun),
  };
}

type Description = Pick<
  RetentionClass,
  | "name"
  | "days"
  | "source"
  | "isEditable"
  | "setting"
  | "defaultDays"
  | "minDays"
  | "minReason"
  | "maxDays"
  | "maxReason"
>;

const isOfEnvironment = (name: RetentionClassName): name is EnvironmentRetentionClass =>
  environmentRetentionClasses.some((one) => one === name);

function describe(ctx: Ctx, name: RetentionClassName, days: RetentionDays, overrides: RetentionOverrides): Description {
  const { audit } = ctx.config.retention;
  const fixed = { days: audit, reason: "TIDINGS_AUDIT_DAYS applies to the whole installation" };
  const bounds: RetentionBounds = isOfEnvironment(name) ? boundsOf(ctx.config, days, name) : { min: fixed, max: fixed };
  return {
    name,
    days: daysOf(ctx, days, name),
    source: isOfEnvironment(name) && overrides[name] !== undefined ? "environment" : "installation",
    isEditable: isOfEnvironment(name),
    setting: settingOfClass[name],
    defaultDays: daysOf(ctx, resolveRetention(ctx.config, {}), name),
    minDays: bounds.min.days,
    minReason: bounds.min.reason,
    maxDays: bounds.max.days,
    maxReason: bounds.max.reason,
  };
}

type Measured = { days: number; at: Date; sizes: TableSizes };

async function measure(ctx: Ctx, environmentId: string, name: RetentionClassName, { days, at, sizes }: Measured) {
  const count = (range: { before?: Date }) =>
    countClass(ctx.db, environmentId, name, { range, now: at, limit: maxRetentionCounted, sizes });
  const before = cutoffFor(ctx, at, name, days);
  const { rows, bytes, isEstimate, oldest } = await count({});
  const next = await count({ before });
  return {
    rows,
    bytes,
    isEstimate,
    oldestAt: oldest?.toISOString() ?? null,
    next: { at: at.toISOString(), before: before.toISOString(), rows: next.rows, isEstimate: next.isEstimate },
  };
}

async function previewClass(
  ctx: Ctx,
  environmentId: string,
  name: RetentionClassName,
  { days, at, sizes }: Measured,
): Promise<RetentionPreviewClass> {
  const before = cutoffFor(ctx, at, name, days);
  const options = { now: at, limit: maxRetentionCounted, sizes };
  const old = await countClass(ctx.db, environmentId, name, { ...options, range: { before } });
  const young = await countClass(ctx.db, environmentId, name, { ...options, limit: 1, range: { from: before } });
  return {
    name,
    days,
    before: before.toISOString(),
    rows: old.rows,
    bytes: old.bytes,
    isEstimate: old.isEstimate,
    keptRows: old.needed,
    oldestKeptAt: young.oldest?.toISOString() ?? null,
  };
}

const monthName = ({ name }: StoredMonth): string => name.replace("_", "-");

/** Tables that go before the month of messages. */
const hasRuns = ({ partitions }: StoredMonth): boolean => [...partitions.keys()].some((table) => table !== "messages");

type LongestDays = Pick<RetentionDays, "messages" | "inApp">;

/** Whether the time of a table of the month has come. */
function isDue(month: StoredMonth, { messages, inApp }: LongestDays, at: Date): boolean {
  return (
    (hasRuns(month) && goneAt(month.end, messages) <= at) ||
    (month.partitions.has("messages") && goneAt(month.end, inApp) <= at)
  );
}

/** A run that was complete has left what something waits for. */
const isWaitedFor = (month: StoredMonth, longest: LongestDays, lastComplete: Date | null): boolean =>
  lastComplete !== null && isDue(month, longest, lastComplete);

async function readMonths(ctx: Ctx, lastComplete: Date | null): Promise<RetentionMonth[]> {
  const longest = await findLongestDays(ctx);
  return (await listMonths(ctx.db)).map((month) => ({
    month: monthName(month),
    bytes: [...month.partitions.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    dropsAt: goneAt(month.end, month.partitions.has("messages") ? longest.inApp : longest.messages).toISOString(),
    isWaitedFor: isWaitedFor(month, longest, lastComplete),
  }));
}

async function findGoingMonths(
  ctx: Ctx,
  changed: { environmentId: string; days: RetentionDays },
  at: Date,
): Promise<string[]> {
  const lastComplete = await findLastComplete(ctx.db);
  const [now, next] = [await findLongestDays(ctx), await findLongestDays(ctx, changed)];
  return (await listMonths(ctx.db))
    .filter((month) => isDue(month, next, at) && !isWaitedFor(month, now, lastComplete))
    .map(monthName);
}

const toRun = (row: RetentionRunRow): RetentionRun => ({
  id: row.id,
  startedAt: row.started_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  isComplete: row.is_complete,
  deleted: listDeleted(row.deleted),
  partitions: row.partitions,
  error: row.error,
});
