// Retracting an event: requested, followed and listed. The work is pipeline/retract/.
import type { Correction, Input, Output, Retraction } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import type { Batch } from "../../pipeline/batch.ts";
import { checkTemplate, RenderError } from "../../pipeline/render/liquid.ts";
import { prepareCorrections } from "../../pipeline/retract/corrections.ts";
import { enqueueRetract } from "../../pipeline/retract/stage.ts";
import { closeEvent } from "../../pipeline/trigger/close-event.ts";
import { type AlternateSuccess, alternateSuccess } from "../../response.ts";
import { lockEventForCancel } from "../../store/events/events.ts";
import { findFirstRun } from "../../store/events/notifications.ts";
import {
  countRuns,
  findRetraction,
  findRetractionOf,
  insertRetraction,
  listRetractions,
  type NewRetraction,
  type RetractionRow,
} from "../../store/retractions/retractions.ts";
import { findSupersedingRun } from "../../store/retractions/supersede-keys.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import { environmentClock } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";
import { pageRange, toPage } from "../paging.ts";

const toRetraction = (row: RetractionRow): Retraction => ({
  _id: row.id,
  transactionId: row.transaction_id,
  supersedeKey: row.supersede_key,
  to: row.recipient,
  reason: row.reason,
  status: row.status,
  people: row.people,
  handled: row.handled,
  results: row.results,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  createdBy: row.created_by,
});

type Created = Output<"retractions.create">;

/** The second request for the same event gets the retraction of the first. */
export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"retractions.create">,
): Promise<Created | AlternateSuccess<Created>> {
  const { environmentId } = caller;
  const selected = readSelection(body);
  if (body.reason.trim() === "")
    throw invalid({ reason: { messages: ["reason must say why, in 1 to 500 characters"] } });
  checkCorrection(body.correction);
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const { event, run } = await findTarget(ctx, environmentId, selected, lockEvent);
  const target = { event_id: event.id, notification_id: run?.id ?? null };
  const existing = await findRetractionOf(ctx.db, environmentId, target);
  if (existing) return alternateSuccess(toRetraction(existing));
  if (body.correction) await tryCorrection(batch, environmentId, body.correction, target);
  const row: NewRetraction = {
    environment_id: environmentId,
    id: ctx.newId(),
    ...target,
    transaction_id: event.transactionId,
    supersede_key: "supersedeKey" in selected ? selected.supersedeKey : null,
    recipient: "to" in selected ? selected.to : null,
    reason: body.reason.trim(),
    correction: body.correction ?? null,
    status: "running",
    people: run ? 1 : await countRuns(ctx.db, environmentId, event.id, maxPeople),
    created_by: actorOf(caller).name,
    created_at: batch.clock.now(environmentId),
  };
  if (!(await insertRetraction(ctx.db, environmentId, row))) {
    const other = await findRetractionOf(ctx.db, environmentId, target);
    if (other) return alternateSuccess(toRetraction(other));
  }
  if (event.open) await closeEvent(batch, environmentId, event.open);
  await enqueueRetract(batch, environmentId, row.id);
  return toRetraction({ ...row, handled: 0, results: {}, after_id: null, finished_at: null });
}

/** Recipients are counted when a retraction begins; an event has fewer than this. */
const maxPeople = 100_000_000;

export type Selected = { transactionId: string } | { supersedeKey: string; to: string };

/** An event is named by its transaction id, or by its key and its recipient. */
export function readSelection(body: { transactionId?: string; supersedeKey?: string; to?: string }): Selected {
  const { transactionId, supersedeKey, to } = body;
  const refuse = (field: string, message: string) => invalid({ [field]: { messages: [message] } });
  if (transactionId !== undefined) {
    const extra = supersedeKey !== undefined ? "supersedeKey" : to !== undefined ? "to" : null;
    if (extra) throw refuse(extra, `${extra} cannot be given together with transactionId`);
    return { transactionId };
  }
  if (supersedeKey === undefined) throw refuse("transactionId", "transactionId, or supersedeKey and to, must be given");
  if (to === undefined) throw refuse("to", "to must be the id of the subscriber whose event has the supersedeKey");
  return { supersedeKey, to: to.trim() };
}

/** `open`: the locked event, whose recipients may not all have been notified. */
type Target = {
  event: { id: string; transactionId: string; open: Awaited<ReturnType<typeof lockEventForCancel>> | null };
  run: { id: string; subscriber_id: string } | null;
};

type FindEvent = (ctx: Ctx, environmentId: string, transactionId: string) => Promise<Target["event"] | undefined>;

const lockEvent: FindEvent = async (ctx, environmentId, transactionId) => {
  const open = await lockEventForCancel(ctx.db, environmentId, transactionId);
  return open && { id: open.id, transactionId, open };
};

export async function findTarget(
  ctx: Ctx,
  environmentId: string,
  selected: Selected,
  findEvent: FindEvent,
): Promise<Target> {
  if ("transactionId" in selected) {
    const event = await findEvent(ctx, environmentId, selected.transactionId);
    if (!event) throw failure("TRANSACTION_NOT_FOUND", { transactionId: selected.transactionId });
    return { event, run: null };
  }
  const { supersedeKey, to } = selected;
  const [subscriber] = await findSubscribersByKeys(ctx.db, environmentId, [to]);
  const key = subscriber && { subscriberId: subscriber.id, supersedeKey };
  const run = key && (await findSupersedingRun(ctx.db, environmentId, key));
  if (!run) throw failure("SUPERSEDE_KEY_NOT_FOUND", { supersedeKey, subscriberId: to });
  return { event: { id: run.event_id, transactionId: run.transaction_id, open: null }, run };
}

const correctionFault = (field: string, reason: string) => {
  const name = `correction.${field}`;
  return invalid({ [name]: { messages: [`${name} cannot be rendered: ${reason}`] } });
};

export function checkCorrection(correction: Correction | undefined): void {
  for (const field of ["subject", "body"] as const) {
    const template = correction?.[field];
    if (template === undefined) continue;
    try {
      checkTemplate(template, "text");
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      throw correctionFault(field, [error.message, error.position].filter(Boolean).join(", "));
    }
  }
}

/** Renders the correction for one recipient: what fails for one would fail for most. */
async function tryCorrection(
  batch: Batch,
  environmentId: string,
  correction: Correction,
  { event_id, notification_id }: { event_id: string; notification_id: string | null },
): Promise<void> {
  const run = await findFirstRun(batch.db, environmentId, { eventId: event_id, notificationId: notification_id });
  const recipient = { event_id, subscriber_id: run?.subscriber_id ?? batch.newId() };
  const correctionOf = await prepareCorrections(batch, environmentId, correction, [recipient]);
  const rendered = correctionOf(recipient);
  if ("fault" in rendered) throw correctionFault(rendered.field, rendered.fault);
}

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"retractions.list">,
): Promise<Output<"retractions.list">> {
  const { offset, limit } = pageRange(query);
  const rows = await listRetractions(ctx.db, environmentId, { transactionId: query.transactionId, offset, limit });
  return toPage(rows, query, toRetraction);
}

export async function retrieve(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { retractionId } }: Input<"retractions.retrieve">,
): Promise<Output<"retractions.retrieve">> {
  const row = await findRetraction(ctx.db, environmentId, retractionId);
  if (!row) throw failure("RETRACTION_NOT_FOUND", { retractionId });
  return toRetraction(row);
}
