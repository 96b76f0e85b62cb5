// Drafts of broadcasts, and lists. Sending: broadcast-send.ts; what can be done while one runs: broadcast-control.ts.
import type { Broadcast, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { viewBroadcasts } from "../../pipeline/broadcasts/view.ts";
import {
  type BroadcastRow,
  countDrafts,
  deleteBroadcast,
  findBroadcast,
  insertBroadcast,
  listBroadcasts,
  updateDraft,
} from "../../store/broadcasts/broadcasts.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { environmentNow, peekNow } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";
import { pageRange, toPage } from "../paging.ts";
import { offerBroadcastPreferences } from "./broadcast-content.ts";
import { checkBroadcastFields } from "./broadcast-fields.ts";

export const draftsPerEnvironment = 1_000;

/** 404 for an unknown one. `lock`: until the transaction ends. */
export async function requireBroadcast(
  ctx: Ctx,
  environmentId: string,
  broadcastId: string,
  options: { lock?: boolean } = {},
): Promise<BroadcastRow> {
  const row = await findBroadcast(ctx.db, environmentId, broadcastId, options);
  if (!row) throw failure("BROADCAST_NOT_FOUND", { broadcastId });
  return row;
}

/** 409 unless the broadcast has one of these states. `fix`: what to do instead. */
export function requireStatus(row: BroadcastRow, allowed: readonly BroadcastRow["status"][], fix: string): void {
  if (allowed.includes(row.status)) return;
  throw failure("BROADCAST_STATE", { broadcastId: row.id, status: row.status.replace("_", " "), fix });
}

export async function viewBroadcast(ctx: Ctx, row: BroadcastRow, now: Date): Promise<Broadcast> {
  const [broadcast] = await viewBroadcasts(ctx, row.environment_id, [row], now);
  return broadcast!;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"broadcasts.list">,
): Promise<Output<"broadcasts.list">> {
  const { environmentId } = caller;
  const { offset, limit } = pageRange(query);
  const rows = await listBroadcasts(ctx.db, environmentId, { status: query.status, offset, limit });
  const page = toPage(rows, query, (row) => row);
  return { ...page, data: await viewBroadcasts(ctx, environmentId, page.data, await peekNow(ctx, caller)) };
}

/** An audience that the draft begins to use is not deleted meanwhile: deleting one waits for the same lock. */
async function holdAudiences({ db }: Ctx, environmentId: string, { audience }: { audience?: object }): Promise<void> {
  if (audience) await lockEnvironment(db, environmentId);
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"broadcasts.create">,
): Promise<Output<"broadcasts.create">> {
  const { environmentId } = caller;
  await holdAudiences(ctx, environmentId, body);
  await checkBroadcastFields(ctx, caller, body);
  if ((await countDrafts(ctx.db, environmentId)) >= draftsPerEnvironment)
    throw failure("BROADCAST_LIMIT", { limit: String(draftsPerEnvironment) });
  const { content = {}, audience = { include: [] }, time = { kind: "now" }, pace = {}, expiresAt = null } = body;
  await offerBroadcastPreferences(ctx, caller, content);
  const now = await environmentNow(ctx, caller);
  const row = await insertBroadcast(ctx.db, environmentId, {
    id: ctx.newId(),
    name: body.name,
    ...{ content, audience, time, pace },
    expires_at: expiresAt === null ? null : new Date(expiresAt),
    resend_of: null,
    created_by: actorOf(caller).name,
    created_at: now,
    updated_at: now,
  });
  return viewBroadcast(ctx, row, now);
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId } }: Input<"broadcasts.retrieve">,
): Promise<Output<"broadcasts.retrieve">> {
  const row = await requireBroadcast(ctx, caller.environmentId, broadcastId);
  return viewBroadcast(ctx, row, await peekNow(ctx, caller));
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId }, body }: Input<"broadcasts.update">,
): Promise<Output<"broadcasts.update">> {
  const { environmentId } = caller;
  await holdAudiences(ctx, environmentId, body);
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  requireStatus(row, ["draft"], "only drafts can be changed; stop it, or return it to its author, first");
  await checkBroadcastFields(ctx, caller, body);
  const content = body.content ?? row.content;
  await offerBroadcastPreferences(ctx, caller, content);
  const now = await environmentNow(ctx, caller);
  const { expiresAt } = body;
  const changed = await updateDraft(ctx.db, environmentId, row.id, {
    name: body.name ?? row.name,
    content,
    audience: body.audience ?? row.audience,
    time: body.time ?? row.time,
    pace: body.pace ?? row.pace,
    expires_at: expiresAt === undefined ? row.expires_at : expiresAt === null ? null : new Date(expiresAt),
    updated_at: now,
  });
  return viewBroadcast(ctx, changed, now);
}

export async function remove(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { broadcastId } }: Input<"broadcasts.delete">,
): Promise<Output<"broadcasts.delete">> {
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  requireStatus(row, ["draft", "awaiting_approval", "completed", "stopped", "failed"], "stop it before you delete it");
  await deleteBroadcast(ctx.db, environmentId, row.id);
}
