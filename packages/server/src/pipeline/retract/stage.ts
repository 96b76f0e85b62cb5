// The stage `retract`: one page of the runs of an event that is retracted, in one transaction, which also stores where
// it is and enqueues the next page. A process that dies in between leaves the retraction where its last page ended.
//
//   stage.ts         pages, progress and end
//   take-back.ts     the states of the messages of a page
//   corrections.ts   the correction, rendered and sent
//   unsend.ts        the stage `unsend`: calls to providers that can edit or delete
//   words.ts         what jobs say about it
import type { Ctx } from "../../context.ts";
import type { Task } from "../../store/queue/queue.ts";
import {
  addResults,
  findRunsToRetract,
  finishIfDone,
  lockRetraction,
  saveRetractionProgress,
} from "../../store/retractions/retractions.ts";
import { type Batch, openBatch, transactWithRetry } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { environmentOf, type RetractTask, runsPerRetractPage } from "../tasks.ts";
import { takeBackRuns } from "./take-back.ts";

export async function runRetract(ctx: Ctx, tasks: Task<RetractTask>[]): Promise<void> {
  for (const task of tasks) {
    await transactWithRetry(ctx, async (tx) => {
      const environmentId = environmentOf(task);
      const batch = await openBatch(tx, [environmentId]);
      await runPage(batch, environmentId, task.data);
      await tx.queue.finish(tx.db, "retract", [task]);
    });
  }
}

async function runPage(batch: Batch, environmentId: string, { retractionId }: RetractTask): Promise<void> {
  const { db } = batch;
  const row = await lockRetraction(db, environmentId, retractionId);
  if (row?.status !== "running") return;
  const runs = await findRunsToRetract(db, environmentId, row, runsPerRetractPage);
  const retracting = { retractionId, correction: row.correction };
  const taken = runs.length > 0 ? await takeBackRuns(batch, environmentId, runs, retracting) : [];
  const handled = row.handled + runs.length;
  const isLast = runs.length < runsPerRetractPage || handled >= row.people;
  await saveRetractionProgress(db, environmentId, {
    id: row.id,
    // Runs may have gone since they were counted.
    people: isLast ? handled : row.people,
    handled,
    results: addResults(row.results, taken.filter(isFinal)),
    after_id: runs.at(-1)?.id ?? row.after_id,
  });
  if (isLast) await finishIfDone(db, environmentId, row.id, batch.clock.now(environmentId));
  else await enqueueRetract(batch, environmentId, retractionId);
}

/** The others are counted when their provider has been called. */
const isFinal = ({ state }: { state: string }): boolean => state !== "in_flight" && state !== "taking_back";

/** Each retraction has its own lane: a long one does not hold up other work of its environment. */
export async function enqueueRetract(batch: Batch, environmentId: string, retractionId: string): Promise<void> {
  const data: RetractTask = { retractionId };
  await enqueueTimed(batch, "retract", [{ environmentId, data, lane: retractionId }]);
}
