// The stage of imports: one page of lines in one transaction, which also enqueues the next page. A process that dies in
// between leaves the import where its last finished page was.
import { type ImportKind, importLimits } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findPageRows, finishPage, type ImportRow, lockImport } from "../../store/subscribers/imports.ts";
import { transactWithRetry } from "../batch.ts";
import { costOf, environmentOf, type ImportTask } from "../tasks.ts";
import type { ImportPage } from "./page.ts";
import { importSubscribers } from "./subscribers.ts";
import { importSubscriptions } from "./subscriptions.ts";

const workOn: Record<ImportKind, ImportPage> = { subscribers: importSubscribers, subscriptions: importSubscriptions };

export async function runImport(ctx: Ctx, tasks: Task<ImportTask>[]): Promise<void> {
  for (const task of tasks) {
    await transactWithRetry(ctx, async (tx) => {
      await runPage(tx, environmentOf(task), task.data);
      await tx.queue.finish(tx.db, "import", [task]);
    });
  }
}

async function runPage(tx: Ctx, environmentId: string, { importId, page }: ImportTask): Promise<void> {
  const found = await lockImport(tx.db, environmentId, importId);
  const rows = found ? await findPageRows(tx.db, environmentId, importId, page) : null;
  if (!found || !rows) return;
  const input = { environmentId, columns: found.columns, rows, isDryRun: found.is_dry_run };
  const { errors, ...counts } = await workOn[found.kind](tx, input);
  const room = Math.max(0, importLimits.errors - found.faulty);
  const kept = errors.toSorted((a, b) => a.line - b.line).slice(0, room);
  const isLast = found.done + rows.length >= found.lines;
  const result = { ...counts, faulty: errors.length, done: rows.length };
  await finishPage(tx.db, environmentId, {
    page: { importId, number: page, errors: kept },
    result,
    finishedAt: isLast ? tx.now() : null,
  });
  if (!isLast) await enqueueImport(tx, found, page + 1);
}

/** Each import has its own lane: a long one does not hold up the others of its environment. */
export async function enqueueImport(ctx: Ctx, { id, environment_id }: ImportRow, page = 0): Promise<void> {
  const data: ImportTask = { importId: id, page };
  const task = { data, environmentId: environment_id, lane: id, cost: costOf("import", data) };
  await ctx.queue.enqueue(ctx.db, "import", [task]);
}
