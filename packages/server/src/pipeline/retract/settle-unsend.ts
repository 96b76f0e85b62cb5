// Writes the end states of messages whose provider was asked to retract them.
import type { RetractedState } from "@tidings/contract";
import type { SentMessage, Unsending, UnsendOutcome } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { NewTask, Task } from "../../store/queue/queue.ts";
import {
  clearRetractedMarks,
  type RetractedRow,
  type SettledRetracted,
  settleRetracted,
} from "../../store/retractions/retracted-messages.ts";
import {
  addResults,
  finishIfDone,
  lockRetraction,
  saveRetractionProgress,
} from "../../store/retractions/retractions.ts";
import { type Batch, openBatch } from "../batch.ts";
import { inFlightGroup } from "../clock/clock.ts";
import { costOf, type UnsendTask } from "../tasks.ts";
import { type Corrected, sendCorrections } from "./corrections.ts";
import { retractedDetail } from "./words.ts";

/** A state that needs no call. `corrected`: the correction that is sent. */
export type KnownUnsend = { state: RetractedState; reason: string | null; corrected?: Corrected };

type Base = { task: Task<UnsendTask>; environmentId: string; row: RetractedRow; integrationId: string | null };
type Call = { providerId: string; sent: SentMessage; unsending: Unsending; credentials: JsonObject };

export type PreparedUnsend = Base & ({ known: KnownUnsend } | { call: Call; corrected: Corrected | undefined });
export type CalledUnsend =
  | (Base & { known: KnownUnsend })
  | (Base & { call: Call; corrected: Corrected | undefined; outcome: UnsendOutcome });

/** Calls for one message, and the pause before the next one; it doubles. */
const maxTries = 4;
const pauseMs = 5_000;

export async function settleUnsends(tx: Ctx, group: CalledUnsend[]): Promise<undefined> {
  await tx.queue.finishParts(
    tx.db,
    "unsend",
    "messageIds",
    group.map(({ task, row }) => ({ task, part: row.id })),
  );
  for (const [environmentId, own] of Map.groupBy(group, (one) => one.environmentId)) {
    const batch = await openBatch(tx, [environmentId]);
    await settleEnvironment(batch, environmentId, own);
  }
}

async function settleEnvironment(batch: Batch, environmentId: string, group: CalledUnsend[]): Promise<void> {
  const { db } = batch;
  const now = batch.clock.now(environmentId);
  const again = group.filter(isRepeated);
  await batch.queue.enqueue(
    db,
    "unsend",
    again.map((one) => repeatTask(batch, one)),
  );
  const ended = group.filter((one) => !again.includes(one)).map((one) => ({ one, ...endOf(one) }));
  const retractionIds = [...new Set(ended.flatMap(({ one }) => one.row.retraction_id ?? []))].toSorted();
  const retractions = [];
  for (const id of retractionIds) retractions.push(await lockRetraction(db, environmentId, id));
  await clearRetractedMarks(
    db,
    environmentId,
    ended.map(({ one }) => one.row.id),
  );
  const settled = await settleRetracted(
    db,
    environmentId,
    ended.map(({ one, state, reason }): SettledRetracted => {
      return { id: one.row.id, state, reason, at: now, detail: retractedDetail(state, reason, now) };
    }),
  );
  const written = new Set(settled.map(({ id }) => id));
  const corrected = ended.filter(({ one, state }) => state === "corrected" && written.has(one.row.id));
  await sendCorrections(
    batch,
    environmentId,
    corrected.flatMap((one) => one.corrected ?? []),
  );
  for (const retraction of retractions) {
    if (!retraction) continue;
    const own = settled.filter((row) => row.retraction_id === retraction.id);
    const results = addResults(retraction.results, own);
    await saveRetractionProgress(db, environmentId, { ...retraction, results });
    await finishIfDone(db, environmentId, retraction.id, now);
  }
}

const isRepeated = (one: CalledUnsend): boolean =>
  "outcome" in one &&
  one.outcome.kind === "failed" &&
  one.outcome.canRetry &&
  (one.task.data.tries ?? 0) + 1 < maxTries;

function repeatTask({ clock, now }: Batch, { task, row, environmentId, integrationId }: CalledUnsend): NewTask {
  const tries = (task.data.tries ?? 0) + 1;
  const data: UnsendTask = { messageIds: [row.id], tries };
  return {
    data,
    environmentId,
    lane: integrationId ?? undefined,
    cost: costOf("unsend", data),
    startAfter: new Date(now().getTime() + pauseMs * 2 ** (tries - 1)),
    group: clock.isStopped(environmentId) ? inFlightGroup(environmentId) : undefined,
  };
}

/** A message that cannot be changed is corrected by another one, where there is a correction. */
function endOf(one: CalledUnsend): KnownUnsend {
  if ("known" in one) return one.known;
  const { outcome, corrected } = one;
  switch (outcome.kind) {
    case "deleted":
      return { state: "deleted", reason: null };
    case "replaced":
      return { state: "edited", reason: null };
    case "removal_sent":
      return { state: "removal_sent", reason: null };
    case "impossible":
      return { state: corrected ? "corrected" : "cannot_unsend", reason: outcome.reason, corrected };
    case "failed":
      return { state: "failed", reason: outcome.reason };
  }
}
