// The stage of erasures: one batch of pages in one transaction, which also saves where it is and enqueues the next
// batch. A process that dies in between leaves the erasure where its last batch ended. A second pass goes over what was
// written during the first one: by events that were accepted meanwhile, and by calls to providers that were in flight.
import type { Ctx } from "../../context.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { openValue, sealValue } from "../../lib/sealed.ts";
import type { Task } from "../../store/queue/queue.ts";
import { hasCallsInFlight } from "../../store/subscribers/erasure-own.ts";
import type { ScanKey } from "../../store/subscribers/erasure-scans.ts";
import { type ErasureRow, finishErasure, lockErasure, saveErasureProgress } from "../../store/subscribers/erasures.ts";
import type { ErasureProgress } from "../../store/tables.ts";
import { transactWithRetry } from "../batch.ts";
import { type EraseTask, environmentOf } from "../tasks.ts";
import type { DescribedPerson } from "./person.ts";
import { makeReceipt, signReceipt } from "./receipt.ts";
import { createTools, type ErasureTools } from "./redaction.ts";
import { type Step, steps } from "./steps.ts";

/** Rows that one transaction reads, and how long it may take before the next one continues. */
const rowsPerBatch = 2_000;
const batchMs = 1_000;

/** Transactions that began before the erasure have ended after this time. */
const overlapMs = 60_000;
/** A call to a provider takes at most 30 s; one of a process that died is not waited for. */
const maxCallMs = 60_000;
const callPauseSeconds = 2;

export const startProgress: ErasureProgress = { pass: 1, step: 0, after: null, turn: 0 };

export const sealPerson = (ctx: Pick<Ctx, "secrets">, described: DescribedPerson): string =>
  sealValue(ctx.secrets, described);

export async function runErase(ctx: Ctx, tasks: Task<EraseTask>[]): Promise<void> {
  for (const task of tasks) {
    await transactWithRetry(ctx, async (tx) => {
      await runBatch(tx, environmentOf(task), task.data);
      await tx.queue.finish(tx.db, "erase", [task]);
    });
  }
}

async function runBatch(tx: Ctx, environmentId: string, { erasureId, turn }: EraseTask): Promise<void> {
  const row = await lockErasure(tx.db, environmentId, erasureId);
  if (!row || row.person === null || row.progress.turn !== turn) return;
  const { person, shared } = openValue<DescribedPerson>(tx.secrets, row.person);
  const { pseudonym } = row;
  const tools = createTools({ db: tx.db, environmentId, secrets: tx.secrets, person, pseudonym, shell: row.id });
  const { progress, counts, isWaiting } = await runPages(tools, row);
  const now = tx.now();
  await saveErasureProgress(tx.db, environmentId, { id: row.id, progress, counts, now });
  if (progress.step < steps.length) {
    await enqueueErase(tx, { ...row, progress }, isWaiting ? callPauseSeconds : undefined);
    return;
  }
  const receipt = await makeReceipt(tools, { ...row, counts }, { shared, now });
  await finishErasure(tx.db, environmentId, { id: row.id, receipt: signReceipt(tx.secrets, receipt), now });
}

type Batch = { progress: ErasureProgress; counts: ErasureRow["counts"]; isWaiting: boolean };

/** As many pages as fit into a short transaction. */
async function runPages(tools: ErasureTools, row: ErasureRow): Promise<Batch> {
  const counts = { ...row.counts };
  let progress = { ...row.progress, turn: row.progress.turn + 1 };
  const isSecond = progress.pass === 2 && progress.step === 0 && progress.after === null;
  if (isSecond && (await mayBeWritten(tools))) return { progress, counts, isWaiting: true };
  const end = performance.now() + batchMs;
  for (let read = 0; read < rowsPerBatch && performance.now() < end && progress.step < steps.length; ) {
    const step = steps[progress.step]!;
    if (progress.pass === 2 && step.isOnce) {
      progress = { ...progress, step: progress.step + 1 };
      continue;
    }
    const page = await step.run(tools, progress.after ?? startOf(step, progress, row));
    for (const [table, rows] of Object.entries(page.counts)) counts[table] = (counts[table] ?? 0) + rows;
    read += page.read;
    progress = page.after ? { ...progress, after: page.after } : { ...progress, step: progress.step + 1, after: null };
    if (progress.step < steps.length || progress.pass === 2) continue;
    progress = { ...progress, pass: 2, step: 0 };
    if (await mayBeWritten(tools)) return { progress, counts, isWaiting: true };
  }
  return { progress, counts, isWaiting: false };
}

/** The second pass reads the newest rows of tables that are in the order of time. */
function startOf({ isTimed, table }: Step, { pass }: ErasureProgress, row: ErasureRow): ScanKey | null {
  if (pass === 1 || !isTimed) return null;
  const since = firstIdAt(new Date(row.created_at.getTime() - overlapMs));
  if (table === "attempts") return { message_id: since, id: since };
  return table === "jobs" ? { notification_id: since, step_index: "-1" } : { id: since };
}

const mayBeWritten = ({ db, environmentId, shell }: ErasureTools): Promise<boolean> =>
  hasCallsInFlight(db, environmentId, shell, firstIdAt(new Date(Date.now() - maxCallMs)));

/** Each erasure has its own lane: it does not hold up other work of its environment. */
export async function enqueueErase(ctx: Ctx, row: ErasureRow, startAfter?: number): Promise<void> {
  const data: EraseTask = { erasureId: row.id, turn: row.progress.turn };
  const task = { data, environmentId: row.environment_id, lane: row.id, startAfter };
  await ctx.queue.enqueue(ctx.db, "erase", [task]);
}
