// Replays of dead letters at a pace: previewed, begun, watched, paused and stopped. Their pages are run by
// pipeline/deliver/replay.ts.
import {
  type DeadLetterReplay,
  type Input,
  lettersPerReplay,
  type Output,
  openReplays,
  type ReplayStatus,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import { editMessage } from "../../pipeline/deliver/edited-message.ts";
import { enqueuePage, selectionOf } from "../../pipeline/deliver/replay.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  countOpenReplays,
  countReplayOutcomes,
  findReplay,
  insertReplay,
  type ListedReplay,
  listReplays,
  lockReplay,
  measureLetters,
  type ReplayRow,
  updateReplay,
} from "../../store/messages/dead-letter-replays.ts";
import { findDeadLetter, lockOpenLetters } from "../../store/messages/dead-letters.ts";
import { pageRange, toPage } from "../paging.ts";
import { checkSelection, notOpenReasons, requireSender } from "./dead-letters.ts";

type Body = Input<"deadLetterReplays.create">["body"];

const toReplay = (row: ListedReplay, outcomes?: { sent: number; failed: number }): DeadLetterReplay => ({
  id: row.id,
  status: row.status,
  perSecond: row.per_second,
  filter: row.filter,
  integrationIdentifier: row.integration_identifier ?? undefined,
  total: row.total,
  done: row.done,
  ...outcomes,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  finishedAt: row.finished_at?.toISOString(),
});

/** The letters that a request chooses, as they are stored with its replay. */
export const storedFilter = ({ ids, filter }: Pick<Body, "ids" | "filter">): JsonObject =>
  ids ? { ids: [...new Set(ids)] } : (filter as JsonObject);

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"deadLetterReplays.create">,
): Promise<Output<"deadLetterReplays.create">> {
  checkSelection(body);
  const { environmentId } = caller;
  const integration = body.integrationIdentifier
    ? await requireSender(ctx, caller, body.integrationIdentifier)
    : undefined;
  await lockEnvironment(ctx.db, environmentId);
  if ((await countOpenReplays(ctx.db, environmentId)) >= openReplays) {
    throw failure("REPLAY_LIMIT", { limit: String(openReplays) });
  }
  if (body.payload) await editLetter(ctx, environmentId, body.ids, body.payload);
  const filter = storedFilter(body);
  const selection = selectionOf(filter, integration?.channel);
  const { total, lastId } = await measureLetters(ctx.db, environmentId, selection, lettersPerReplay);
  const now = ctx.now();
  const id = ctx.newId();
  const isDone = total === 0;
  await insertReplay(ctx.db, {
    id,
    environment_id: environmentId,
    status: isDone ? "done" : "running",
    filter,
    integration_id: integration?.id ?? null,
    per_second: body.perSecond ?? 10,
    total,
    done: 0,
    after_id: null,
    until_id: lastId,
    turn: 0,
    created_at: now,
    updated_at: now,
    finished_at: isDone ? now : null,
  });
  if (!isDone) await enqueuePage(ctx, environmentId, { replayId: id, turn: 0 });
  return view(ctx, environmentId, id);
}

/** Renders the content of one letter again from another payload. */
async function editLetter(ctx: Ctx, environmentId: string, ids: string[] | undefined, payload: JsonObject) {
  const refuse = (message: string) => invalid({ payload: { messages: [message] } });
  const [id] = ids ?? [];
  if (id === undefined || ids?.length !== 1) throw refuse("payload needs exactly one id in ids");
  const letter = await findDeadLetter(ctx.db, environmentId, id);
  if (!letter) throw failure("DEAD_LETTER_NOT_FOUND", { id });
  const notOpen = () => failure("DEAD_LETTER_NOT_OPEN", { id, reason: notOpenReasons[letter.status] });
  const [locked] = await lockOpenLetters(ctx.db, environmentId, { which: { ids: [id] }, channel: undefined, limit: 1 });
  if (!locked) throw notOpen();
  const edited = await editMessage(ctx, environmentId, locked, payload);
  if (edited.kind === "gone") throw notOpen();
  if (edited.kind === "fault") throw refuse(`payload cannot be used: ${edited.fault}`);
}

async function view(ctx: Ctx, environmentId: string, replayId: string): Promise<DeadLetterReplay> {
  const row = await findReplay(ctx.db, environmentId, replayId);
  if (!row) throw failure("REPLAY_NOT_FOUND", { replayId });
  return toReplay(row, await countReplayOutcomes(ctx.db, environmentId, row.id));
}

export const retrieve = (
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"deadLetterReplays.retrieve">,
): Promise<Output<"deadLetterReplays.retrieve">> => view(ctx, environmentId, params.replayId);

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"deadLetterReplays.list">,
): Promise<Output<"deadLetterReplays.list">> {
  const rows = await listReplays(ctx.db, environmentId, query.status, pageRange(query));
  return toPage(rows, query, (row) => toReplay(row));
}

/** The replay, locked, unless it has ended. */
async function requireOpenReplay(ctx: Ctx, environmentId: string, replayId: string): Promise<ReplayRow> {
  const row = await lockReplay(ctx.db, environmentId, replayId);
  if (!row) throw failure("REPLAY_NOT_FOUND", { replayId });
  if (row.status === "done" || row.status === "stopped") {
    throw failure("REPLAY_ENDED", { replayId, status: row.status });
  }
  return row;
}

async function setStatus(ctx: Ctx, { environment_id, id }: ReplayRow, status: ReplayStatus): Promise<DeadLetterReplay> {
  const now = ctx.now();
  const finished = status === "stopped" ? { finished_at: now } : {};
  await updateReplay(ctx.db, environment_id, id, { status, updated_at: now, ...finished });
  return view(ctx, environment_id, id);
}

export async function pause(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"deadLetterReplays.pause">,
): Promise<Output<"deadLetterReplays.pause">> {
  return setStatus(ctx, await requireOpenReplay(ctx, environmentId, params.replayId), "paused");
}

export async function resume(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"deadLetterReplays.resume">,
): Promise<Output<"deadLetterReplays.resume">> {
  const row = await requireOpenReplay(ctx, environmentId, params.replayId);
  if (row.status === "running") return view(ctx, environmentId, row.id);
  // The task from before the pause may still be in the queue: it has the old turn and does nothing.
  const turn = row.turn + 1;
  await updateReplay(ctx.db, environmentId, row.id, { turn, updated_at: ctx.now() });
  await enqueuePage(ctx, environmentId, { replayId: row.id, turn });
  return setStatus(ctx, row, "running");
}

export async function stop(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"deadLetterReplays.stop">,
): Promise<Output<"deadLetterReplays.stop">> {
  return setStatus(ctx, await requireOpenReplay(ctx, environmentId, params.replayId), "stopped");
}
