// The erasure of a person's data: requested, followed and verified. The work is pipeline/erasure/.
import type { Erasure, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { pseudonymOf } from "../../lib/personal/personal-texts.ts";
import { describePerson } from "../../pipeline/erasure/person.ts";
import { hashSubscriber, isHashOf, readReceipt } from "../../pipeline/erasure/receipt.ts";
import { enqueueErase, sealPerson, startProgress } from "../../pipeline/erasure/stage.ts";
import { steps } from "../../pipeline/erasure/steps.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { type AlternateSuccess, alternateSuccess } from "../../response.ts";
import { cancelWaitingJobs } from "../../store/events/jobs.ts";
import { cancelPendingMessages } from "../../store/messages/messages.ts";
import { countProfileRows } from "../../store/subscribers/erasure-own.ts";
import { type ErasureRow, findErasure, findRunningErasure, insertErasure } from "../../store/subscribers/erasures.ts";
import {
  deleteSubscriber,
  findDeletedSubscribers,
  lockSubscriber,
  type SubscriberRow,
} from "../../store/subscribers/subscribers.ts";
import { environmentNow } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";

function toErasure(ctx: Ctx, row: ErasureRow): Erasure {
  const { pass, step } = row.progress;
  const receipt = row.receipt === null ? null : readReceipt(ctx.secrets, row.receipt);
  return {
    id: row.id,
    status: row.status,
    pseudonym: row.pseudonym,
    progress: {
      pass,
      done: step,
      steps: steps.length,
      rows: Object.values(row.counts).reduce((sum, count) => sum + count, 0),
    },
    tables: row.counts,
    requestedBy: row.requested_by,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString(),
    receipt: receipt ?? undefined,
    signedReceipt: row.receipt ?? undefined,
  };
}

/**
 * What ends at once: the profile with everything that hangs on it, waiting runs, live connections. Everything else is
 * done in batches. The second request for the same person gets the erasure of the first.
 */
export async function erase(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.erase">,
): Promise<Output<"subscribers.erase"> | AlternateSuccess<Output<"subscribers.erase">>> {
  const { environmentId } = caller;
  const subscriberId = params.subscriberId.trim();
  const found = (await lockSubscriber(ctx.db, environmentId, subscriberId)) ?? null;
  const running = await findRunningErasure(ctx.db, environmentId, subscriberId);
  if (running) return alternateSuccess(toErasure(ctx, running));
  const deleted = await findDeletedSubscribers(ctx.db, environmentId, subscriberId);
  const ids = [...(found ? [found.id] : []), ...deleted.map((one) => one.id)];
  if (ids.length === 0) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  const terms = (body.terms ?? []).map((term) => term.trim()).filter((term) => term !== "");
  const subject = { subscriberId, row: found, ids, terms };
  const described = await describePerson(ctx, environmentId, subject);
  const id = ctx.newId();
  const row: ErasureRow = {
    environment_id: environmentId,
    id,
    pseudonym: pseudonymOf(id),
    subscriber_hash: hashSubscriber(ctx.secrets, environmentId, subscriberId),
    subscriber_id: subscriberId,
    person: sealPerson(ctx, described),
    status: "running",
    progress: startProgress,
    counts: found ? { subscribers: 1, ...(await countProfileRows(ctx.db, environmentId, found.id)) } : {},
    requested_by: actorOf(caller).name,
    created_at: ctx.now(),
    updated_at: ctx.now(),
    finished_at: null,
    receipt: null,
  };
  if (!(await insertErasure(ctx.db, environmentId, row))) {
    const other = await findRunningErasure(ctx.db, environmentId, subscriberId);
    return alternateSuccess(toErasure(ctx, other ?? row));
  }
  if (found) await endSubscriber(ctx, caller, found);
  await enqueueErase(ctx, row);
  return toErasure(ctx, row);
}

async function endSubscriber(ctx: Ctx, caller: Caller, row: SubscriberRow): Promise<void> {
  const now = await environmentNow(ctx, caller);
  const target = { subscriberId: row.id };
  await cancelPendingMessages(ctx.db, caller.environmentId, target, "the subscriber was erased", now);
  await cancelWaitingJobs(ctx.db, caller.environmentId, target, detail("subscriber_erased", now), now);
  await deleteSubscriber(ctx.db, caller.environmentId, row.id);
  // Ends its live connections.
  ctx.hints.add(row.id);
}

export async function retrieve(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { erasureId } }: Input<"erasures.retrieve">,
): Promise<Output<"erasures.retrieve">> {
  const row = await findErasure(ctx.db, environmentId, erasureId);
  if (!row) throw failure("ERASURE_NOT_FOUND", { erasureId });
  return toErasure(ctx, row);
}

export async function verify(
  ctx: Ctx,
  { environmentId }: Caller,
  { body: { signedReceipt, subscriberId } }: Input<"erasures.verify">,
): Promise<Output<"erasures.verify">> {
  const receipt = readReceipt(ctx.secrets, signedReceipt.trim());
  if (receipt?.environmentId !== environmentId) return { isValid: false };
  const isAboutSubscriber =
    subscriberId === undefined ? undefined : isHashOf(ctx.secrets, receipt, subscriberId.trim());
  return { isValid: true, isAboutSubscriber, receipt };
}
