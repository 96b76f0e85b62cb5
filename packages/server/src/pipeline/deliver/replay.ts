// Replays of dead letters: their messages go back into the queue, in a new round. A replay at a pace is walked in
// pages, one for each second: the transaction of a page enqueues the next one, so a replay continues where it stopped
// when a process dies, and ends within a page when it is paused or stopped.
import type { Input } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  findNextLetters,
  type LetterSelection,
  lockReplay,
  type ReplayRow,
  updateReplay,
} from "../../store/messages/dead-letter-replays.ts";
import { type DeadLetterFilters, lockOpenLetters, reopenMessages } from "../../store/messages/dead-letters.ts";
import type { Task } from "../../store/queue/queue.ts";
import { openBatch, transactWithRetry } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { environmentOf, type ReplayTask } from "../tasks.ts";

/** Between two pages. A page has as many letters as are sent in this time. */
const pageMs = 1_000;

type Filter = NonNullable<Input<"deadLetters.replayMany">["body"]["filter"]>;

/** A filter as the API takes it. */
export const toFilters = ({ after, before, ...filters }: Filter): DeadLetterFilters => ({
  ...filters,
  after: after ? new Date(after) : undefined,
  before: before ? new Date(before) : undefined,
});

export type ReplayOptions = {
  /** Tried first, instead of the one that failed. */
  integration?: IntegrationRow;
  perSecond?: number;
  limit: number;
  /** The replay at a pace that the letters are part of. */
  replayId?: string;
};

/**
 * Returns how many messages were put back into the queue. Letters are locked, so concurrent replays send no duplicate.
 */
export async function replayLetters(
  ctx: Ctx,
  environmentId: string,
  selection: { ids: string[] } | { filters: DeadLetterFilters },
  { integration, perSecond, limit, replayId }: ReplayOptions,
): Promise<number> {
  const batch = await openBatch(ctx, [environmentId]);
  const now = batch.clock.now(environmentId);
  const locked = await lockOpenLetters(ctx.db, environmentId, {
    which: selection,
    channel: integration?.channel,
    limit,
  });
  const intervalMs = perSecond ? 1000 / perSecond : 0;
  const letters = locked.map((letter, index) => ({ ...letter, at: new Date(now.getTime() + index * intervalMs) }));
  const replayed = detail("replayed", now, integration ? { raw: { integration: integration.identifier } } : {});
  const by = { detail: replayed, replayId: replayId ?? null };
  await reopenMessages(ctx.db, environmentId, letters, integration?.id ?? null, by, now);
  const tasks = letters.map(({ message_id, integration_id, at }) => ({
    environmentId,
    data: { messageIds: [message_id] },
    at: perSecond ? at : undefined,
    lane: integration?.id ?? integration_id,
  }));
  await enqueueTimed(batch, "deliver", tasks);
  return letters.length;
}

/** The pace of a replay is real time, even in an environment on a test clock: it protects the provider. */
export function enqueuePage(ctx: Ctx, environmentId: string, data: ReplayTask, waitMs = 0): Promise<void> {
  const startAfter = waitMs > 0 ? new Date(Date.now() + waitMs) : undefined;
  return ctx.queue.enqueue(ctx.db, "replay", [{ environmentId, data, startAfter }]);
}

export const selectionOf = (filter: JsonObject, channel: string | undefined): LetterSelection => {
  const { ids, ...filters } = filter as Filter & { ids?: string[] };
  return { ids, filters: toFilters(filters), channel };
};

export async function runReplay(ctx: Ctx, tasks: Task<ReplayTask>[]): Promise<void> {
  for (const task of tasks) await transactWithRetry(ctx, (tx) => replayPage(tx, task));
}

async function replayPage(tx: Ctx, task: Task<ReplayTask>): Promise<void> {
  await tx.queue.finish(tx.db, "replay", [task]);
  const environmentId = environmentOf(task);
  const replay = await lockReplay(tx.db, environmentId, task.data.replayId);
  // Paused, stopped, or paused and resumed meanwhile: then another task has the turn.
  if (replay?.status !== "running" || replay.turn !== task.data.turn) return;
  const page = await replayNext(tx, replay);
  const ids = page?.ids ?? [];
  const isEnded = ids.length < replay.per_second;
  const turn = replay.turn + 1;
  const now = tx.now();
  await updateReplay(tx.db, environmentId, replay.id, {
    done: replay.done + (page?.done ?? 0),
    after_id: ids.at(-1) ?? replay.after_id,
    turn,
    status: page === null ? "stopped" : isEnded ? "done" : "running",
    finished_at: isEnded ? now : null,
    updated_at: now,
  });
  if (!isEnded) await enqueuePage(tx, environmentId, { replayId: replay.id, turn }, pageMs);
}

/** Null when the integration to try first was deleted or switched off since. */
async function replayNext(tx: Ctx, replay: ReplayRow): Promise<{ ids: string[]; done: number } | null> {
  const { environment_id, id, filter, integration_id, per_second, after_id, until_id } = replay;
  const integration = integration_id ? await findIntegration(tx.db, environment_id, integration_id) : undefined;
  const next = { after: after_id, until: until_id, limit: per_second };
  if (integration_id && !integration?.active) return null;
  const ids = await findNextLetters(tx.db, environment_id, selectionOf(filter, integration?.channel), next);
  const { clock } = await openBatch(tx, [environment_id]);
  const done = await replayLetters(
    tx,
    environment_id,
    { ids },
    {
      integration,
      perSecond: clock.isStopped(environment_id) ? undefined : per_second,
      limit: per_second,
      replayId: id,
    },
  );
  return { ids, done };
}
