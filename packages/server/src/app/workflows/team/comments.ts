// Comments of members on the steps of a workflow.
import type { Input, Output, StepComment } from "@tidings/contract";
import type { Caller, Ctx } from "../../../context.ts";
import { failure } from "../../../failure.ts";
import { isUuid } from "../../../lib/ids.ts";
import {
  type CommentRow,
  countComments,
  deleteComment,
  insertComment,
  listComments,
  resolveComment,
} from "../../../store/workflows/comments.ts";
import { keyNameOf } from "../../members/actor.ts";
import { requireStep, requireWorkflow } from "../workflows.ts";

const maxListed = 200;
const maxComments = 1_000;

/** Whom a record names as its author. */
export const nameOf = (caller: Caller): string => caller.member?.name ?? keyNameOf(caller);

const toComment = (row: CommentRow): StepComment => ({
  id: row.id,
  stepId: row.step_id,
  text: row.text,
  author: row.author_name,
  createdAt: row.created_at.toISOString(),
  ...(row.resolved_at && { resolvedAt: row.resolved_at.toISOString() }),
  ...(row.resolved_by_name !== null && { resolvedBy: row.resolved_by_name }),
});

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"comments.list">,
): Promise<Output<"comments.list">> {
  const { id } = await requireWorkflow(ctx, environmentId, params.workflowId);
  const rows = await listComments(ctx.db, environmentId, { workflowId: id, limit: maxListed });
  return { data: rows.map(toComment) };
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"comments.create">,
): Promise<Output<"comments.create">> {
  const { environmentId } = caller;
  // The lock keeps two requests from exceeding the limit together.
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId, { lock: true });
  const { step } = requireStep(workflow, body.stepId, params.workflowId);
  if ((await countComments(ctx.db, environmentId, workflow.id)) >= maxComments)
    throw failure("TOO_MANY_COMMENTS", { limit: String(maxComments) });
  const row = await insertComment(ctx.db, environmentId, {
    id: ctx.newId(),
    workflow_id: workflow.id,
    step_id: step.id,
    author_id: caller.member?.id ?? null,
    author_name: nameOf(caller),
    text: body.text,
    created_at: ctx.now(),
    resolved_at: null,
    resolved_by_name: null,
  });
  return toComment(row);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"comments.update">,
): Promise<Output<"comments.update">> {
  const key = await keyOf(ctx, caller, params);
  const resolved = body.isResolved ? { at: ctx.now(), by: nameOf(caller) } : null;
  const row = key && (await resolveComment(ctx.db, caller.environmentId, key, resolved));
  if (!row) throw failure("COMMENT_NOT_FOUND", params);
  return toComment(row);
}

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"comments.delete">): Promise<undefined> {
  const key = await keyOf(ctx, caller, params);
  if (!key || !(await deleteComment(ctx.db, caller.environmentId, key))) throw failure("COMMENT_NOT_FOUND", params);
}

/** Null for a text that cannot be the id of a comment. */
async function keyOf(ctx: Ctx, caller: Caller, params: { workflowId: string; commentId: string }) {
  const { id } = await requireWorkflow(ctx, caller.environmentId, params.workflowId);
  return isUuid(params.commentId) ? { workflowId: id, id: params.commentId } : null;
}
