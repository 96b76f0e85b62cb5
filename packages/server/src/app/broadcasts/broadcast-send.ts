// A draft is sent: at once, or after another person has approved it. Its content and its event are fixed then; its
// people are fixed when it starts (pipeline/broadcasts/freeze.ts).
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, failure, refusalOf } from "../../failure.ts";
import type { Batch } from "../../pipeline/batch.ts";
import { startOf } from "../../pipeline/broadcasts/schedule.ts";
import { evaluateBroadcast } from "../../pipeline/broadcasts/simulate-people.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { acceptEvents } from "../../pipeline/trigger/accept.ts";
import { tasksOfRequests } from "../../pipeline/trigger/batch-plan.ts";
import { throwIfRefused } from "../../pipeline/trigger/evaluation.ts";
import { awaitApproval, type BroadcastRow, changeState } from "../../store/broadcasts/broadcasts.ts";
import type { CheckSource } from "../../store/broadcasts/checks.ts";
import { runInserts } from "../../store/bulk.ts";
import { findEnvironment } from "../../store/environments/environments.ts";
import { eventInsert, type NewEvent } from "../../store/events/events.ts";
import { keepTestVersion } from "../../store/workflows/versions.ts";
import { findWorkflow } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";
import { findActiveChannels, offerBroadcastPreferences, resolveContent } from "./broadcast-content.ts";
import { findDraftFaults } from "./broadcast-faults.ts";
import { findSource } from "./broadcast-source.ts";
import { requireBroadcast, requireStatus, viewBroadcast } from "./broadcasts.ts";

export async function send(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId } }: Input<"broadcasts.send">,
): Promise<Output<"broadcasts.send">> {
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  requireStatus(row, ["draft"], "it has been sent already");
  await offerBroadcastPreferences(ctx, caller, row.content);
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const now = batch.clock.now(environmentId);
  const environment = await findEnvironment(ctx.db, caller.organizationId, environmentId);
  if (!environment?.broadcast_approval) return viewBroadcast(ctx, await schedule(batch, caller, row, now), now);
  await requireComplete(ctx, caller, row, now);
  const { savedVersionId: versionId } = await requireAcceptable(ctx, caller, row, now);
  const approval = {
    requestedBy: actorOf(caller).name,
    requestedAt: now.toISOString(),
    ...{ decidedBy: null, decidedAt: null, isApproved: null, note: null, versionId },
  };
  return viewBroadcast(ctx, await awaitApproval(ctx.db, environmentId, row.id, { approval, now }), now);
}

export async function approve(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId }, body }: Input<"broadcasts.approve">,
): Promise<Output<"broadcasts.approve">> {
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  requireStatus(row, ["awaiting_approval"], "only a broadcast that was sent for approval can be approved");
  const { revision = row.revision } = body ?? {};
  if (revision !== row.revision) {
    const current = String(row.revision);
    throw failure("BROADCAST_CHANGED", { broadcastId, current, revision: String(revision) });
  }
  const member = actorOf(caller).name;
  if (row.approval!.requestedBy === member) throw failure("BROADCAST_OWN_APPROVAL", { broadcastId, member });
  await offerBroadcastPreferences(ctx, caller, row.content);
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const now = batch.clock.now(environmentId);
  const approval = { ...row.approval!, decidedBy: member, decidedAt: now.toISOString(), isApproved: true };
  return viewBroadcast(ctx, await schedule(batch, caller, { ...row, approval }, now), now);
}

/** By an owner, or by the person who asked for the approval. */
export async function reject(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId }, body }: Input<"broadcasts.reject">,
): Promise<Output<"broadcasts.reject">> {
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  requireStatus(row, ["awaiting_approval"], "only a broadcast that was sent for approval can be returned");
  const member = actorOf(caller).name;
  const isOwner = !caller.member || caller.member.role === "owner";
  if (!isOwner && row.approval!.requestedBy !== member) {
    throw failure("FORBIDDEN", { reason: "only owners, and the person who asked for the approval, can return it" });
  }
  const now = (await environmentClock(ctx, caller)).now(environmentId);
  const note = body?.note?.trim() || null;
  const approval = { ...row.approval!, decidedBy: member, decidedAt: now.toISOString(), isApproved: false, note };
  const change = { status: "draft" as const, approval, now };
  return viewBroadcast(ctx, await changeState(ctx.db, environmentId, row.id, change), now);
}

async function requireComplete(ctx: Ctx, caller: Caller, row: BroadcastRow, now: Date): Promise<void> {
  const [fault] = await findDraftFaults(ctx, caller, row, now);
  if (fault) throw failure("BROADCAST_INCOMPLETE", { broadcastId: row.id, reason: fault.text });
}

/** What would be refused when it is approved is refused before someone reads it, such as a payload without a field. */
async function requireAcceptable(ctx: Ctx, caller: Caller, row: BroadcastRow, now: Date): Promise<CheckSource> {
  const { id: broadcastId, content } = row;
  const source = await findSource(ctx, caller, row);
  if ("fault" in source) throw failure("BROADCAST_INCOMPLETE", { broadcastId, reason: source.fault });
  const dispatch = { broadcastId, content, source };
  const { accepted, result } = await evaluateBroadcast(ctx, caller.environmentId, dispatch, now);
  if (accepted) return source;
  throw failure("BROADCAST_INCOMPLETE", { broadcastId, reason: (result.error ?? [result.status]).join("; ") });
}

/** Fixes the content, and stores the event with the task that starts it at its time. */
async function schedule(batch: Batch, caller: Caller, row: BroadcastRow, now: Date): Promise<BroadcastRow> {
  const { environmentId } = caller;
  await requireComplete(batch, caller, row, now);
  const content = await resolveContent(batch, caller, row);
  if ("fault" in content) throw failure("BROADCAST_INCOMPLETE", { broadcastId: row.id, reason: content.fault });
  // The number of a version is found under the lock of its workflow.
  await findWorkflow(batch.db, environmentId, content.target.id, { lock: true });
  const versionId = await keepTestVersion(batch.db, environmentId, content.row);
  const event = await storeEvent(batch, caller, row, { ...content.target, version_id: versionId }, now);
  return changeState(batch.db, environmentId, row.id, {
    status: "scheduled",
    approval: row.approval,
    event_id: event.id,
    transaction_id: event.transaction_id,
    channels: await findActiveChannels(batch, environmentId, content.channels),
    failure: null,
    now,
  });
}

type Target = Parameters<typeof acceptEvents>[3]["targets"];

async function storeEvent(
  batch: Batch,
  caller: Caller,
  row: BroadcastRow,
  target: NonNullable<Target>[number],
  now: Date,
): Promise<NewEvent> {
  const request = {};
  const event = { name: target.workflow_id, to: [], payload: row.content.payload ?? {} };
  const { include, exclude = [] } = row.audience;
  let stored: NewEvent | undefined;
  const outcomes = await acceptEvents(batch, caller, [{ request, event }], {
    audience: { kind: "audiences", audienceIds: include, minus: exclude, exclude: [], broadcastId: row.id },
    targets: [target],
    store: async (tx, environmentId, requests) => {
      [stored] = requests.flat();
      if (!stored) return;
      await runInserts(tx.db, [eventInsert([stored])]);
      const at = startOf(row.time, now);
      const tasks = await tasksOfRequests(tx, environmentId, requests);
      await enqueueTimed(
        tx,
        "trigger",
        tasks.map((task) => (at > now ? { ...task, at } : task)),
      );
    },
  });
  const outcome = outcomes.get(request)!;
  if (outcome instanceof Failure) throw outcome;
  if (!stored) {
    const refusal = outcome.map((one) => refusalOf(() => throwIfRefused(one))).find((found) => found !== null);
    const reason = refusal?.message ?? outcome[0]?.result.error?.join("; ") ?? "its event was refused";
    throw failure("BROADCAST_INCOMPLETE", { broadcastId: row.id, reason });
  }
  return stored;
}
