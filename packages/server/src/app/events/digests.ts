// Open digests, and closing them early: their windows become due now, and the pipeline continues as if their time had
// come.
import {
  type DigestMember,
  type Input,
  maxClosedDigests,
  maxCountedMembers,
  type OpenDigest,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { valueAt } from "../../lib/json.ts";
import { enqueueTimed, peekClock } from "../../pipeline/clock/clock.ts";
import { wakeTasks } from "../../pipeline/clock/wakes.ts";
import { groupPathOf } from "../../pipeline/rules/grouping.ts";
import { digestDetail } from "../../pipeline/steps/digest.ts";
import { makeWindowsDue, type WindowFilter } from "../../store/events/digests.ts";
import {
  findFirstMembers,
  findOpenDigest,
  listMembers,
  listOpenDigests,
  type MemberRow,
  type OpenDigestRow,
} from "../../store/events/open-digests.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { requireStep, requireWorkflow } from "../workflows/workflows.ts";

export async function close(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"digests.close">,
): Promise<Output<"digests.close">> {
  const { environmentId } = caller;
  // The lock makes concurrent calls take turns: the second one finds nothing left to close.
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId, { lock: true });
  const stepIds = digestStepIds(workflow, params.workflowId, body.stepId);
  const subscriberId =
    body.subscriberId === undefined ? null : await findSubscriberId(ctx, environmentId, body.subscriberId);

  const closed = await closeWindows(ctx, caller, { stepIds, subscriberId }, maxClosedDigests);
  return { closed, hasMore: closed === maxClosedDigests };
}

/** The wake task that waits for the window's own time finds its run continued, and does nothing. */
async function closeWindows(ctx: Ctx, caller: Caller, filter: WindowFilter, limit: number): Promise<number> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const closed = digestDetail("digest_closed_early", now);
  const leaders = await makeWindowsDue(ctx.db, environmentId, { filter, closed, now, limit });
  await enqueueTimed({ ...ctx, clock }, "wake", wakeTasks({ environmentId, ids: leaders }));
  return leaders.length;
}

/**
 * As with `close`, the lock on the workflow comes before the clock is read: of several requests, one closes the window.
 */
export async function closeOne(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"digests.closeOne">,
): Promise<Output<"digests.closeOne">> {
  const { environmentId } = caller;
  const { id, workflow_id: workflowId } = await requireDigest(ctx, environmentId, params.id);
  await requireWorkflow(ctx, environmentId, workflowId, { lock: true });
  return { closed: (await closeWindows(ctx, caller, { leaderJobId: id }, 1)) > 0 };
}

async function requireDigest(ctx: Ctx, environmentId: string, id: string): Promise<OpenDigestRow> {
  const row = await findOpenDigest(ctx.db, environmentId, id);
  if (!row) throw failure("DIGEST_NOT_FOUND", { id });
  return row;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"digests.list">,
): Promise<Output<"digests.list">> {
  const request = readCursor({ orderDirection: "ASC", ...query });
  const page = await listOpenDigests(ctx.db, caller.environmentId, query, request);
  const shown = await toDigests(ctx, caller.environmentId, page.rows);
  return { ...toCursorList(page, (row) => row.id), data: shown };
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"digests.retrieve">,
): Promise<Output<"digests.retrieve">> {
  const request = readCursor({ orderDirection: "ASC", ...query });
  const row = await requireDigest(ctx, caller.environmentId, params.id);
  const page = await listMembers(ctx.db, caller.environmentId, row, request);
  const [digest] = await toDigests(ctx, caller.environmentId, [row]);
  return { ...toCursorList(page, toMember), digest: digest! };
}

const toMember = (row: MemberRow): DigestMember => ({
  transactionId: row.transaction_id,
  notificationId: row.notification_id,
  createdAt: row.created_at.toISOString(),
  payload: row.payload,
});

const shownMembers = 3;

async function toDigests(ctx: Ctx, environmentId: string, rows: OpenDigestRow[]): Promise<OpenDigest[]> {
  const limits = { shown: shownMembers, limit: maxCountedMembers };
  const first = Map.groupBy(await findFirstMembers(ctx.db, environmentId, rows, limits), (member) => member.id);
  const now = (await peekClock(ctx, environmentId)).now(environmentId);
  return rows.map((row): OpenDigest => {
    const members = first.get(row.id) ?? [];
    const step = row.definition.steps.find(({ id }) => id === row.step_id);
    return {
      id: row.id,
      workflow: { _id: row.workflow_id, workflowId: row.definition.workflowId, name: row.definition.name },
      step: { _id: row.step_id, stepId: step?.stepId ?? "", name: step?.name ?? "" },
      subscriberId: row.subscriber_id,
      key: keyOf(row, step?.controlValues.digestKey),
      count: members[0]?.count ?? 1,
      members: members.map(toMember),
      openedAt: row.opened_at.toISOString(),
      closesAt: row.due_at.toISOString(),
      secondsLeft: Math.max(0, Math.ceil((row.due_at.getTime() - now.getTime()) / 1_000)),
    };
  });
}

/** The stored key is a hash: the value is read from the payload of the event that opened the digest. */
function keyOf({ payload }: OpenDigestRow, digestKey: unknown): OpenDigest["key"] {
  const path = groupPathOf(digestKey);
  if (path === "") return undefined;
  return { path, value: JSON.stringify(valueAt(payload, path) ?? null).slice(0, 200) };
}

function digestStepIds(workflow: WorkflowRow, workflowId: string, stepId: string | undefined): string[] {
  if (stepId === undefined) return workflow.steps.flatMap(({ id, type }) => (type === "digest" ? [id] : []));
  const { id, type } = requireStep(workflow, stepId, workflowId).step;
  if (type !== "digest") throw invalid({ stepId: { messages: ["stepId must name a digest step"], value: stepId } });
  return [id];
}

async function findSubscriberId(ctx: Ctx, environmentId: string, subscriberId: string): Promise<string> {
  const [found] = await findSubscribersByKeys(ctx.db, environmentId, [subscriberId]);
  if (!found) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return found.id;
}
