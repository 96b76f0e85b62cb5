// What a retraction would do, in numbers: by channel and end state, before providers are called.
import {
  type Input,
  type Output,
  previewedPeople,
  type RetractedState,
  type RetractionResults,
} from "@tidings/contract";
import { unsendingOf } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";
import { findEventOfTransaction } from "../../store/events/events.ts";
import {
  countJobsToRetract,
  countMessagesToRetract,
  type PreviewCount,
} from "../../store/retractions/retracted-messages.ts";
import { countRuns } from "../../store/retractions/retractions.ts";
import { checkCorrection, findTarget, readSelection } from "./retractions.ts";

/** Messages of the people who are counted: every channel may have several. */
const previewedMessages = 5 * previewedPeople;

export async function preview(
  ctx: Ctx,
  { environmentId }: Caller,
  { body }: Input<"retractions.preview">,
): Promise<Output<"retractions.preview">> {
  const selected = readSelection(body);
  checkCorrection(body.correction);
  const { event, run } = await findTarget(ctx, environmentId, selected, async ({ db }, _environment, transactionId) => {
    const found = await findEventOfTransaction(db, environmentId, transactionId);
    return found && found.refusal === null ? { id: found.id, transactionId, open: null } : undefined;
  });
  const people = run ? 1 : await countRuns(ctx.db, environmentId, event.id, previewedPeople + 1);
  const target = { eventId: event.id, run };
  const messages = await countMessagesToRetract(ctx.db, environmentId, target, previewedMessages);
  const steps = await countJobsToRetract(ctx.db, environmentId, target, previewedPeople);
  const results: RetractionResults = {};
  const add = (channel: string, state: RetractedState, count: number) => {
    results[channel] ??= {};
    results[channel][state] = (results[channel][state] ?? 0) + count;
  };
  for (const one of messages) add(one.channel, expectedState(one, body.correction !== undefined), one.count);
  for (const { type, is_waiting, count } of steps) add(type, is_waiting ? "canceled" : "cannot_unsend", count);
  return { people: Math.min(people, previewedPeople), isCapped: people > previewedPeople, results };
}

function expectedState(message: PreviewCount, hasCorrection: boolean): RetractedState {
  const { channel, status, provider_id, is_out, is_uncertain, is_shared } = message;
  if (is_out) return "in_flight";
  if (status === "pending") return is_uncertain ? "cannot_unsend" : "canceled";
  if (status !== "sent") return "not_sent";
  if (is_shared) return "cannot_unsend";
  if (channel === "in_app") return hasCorrection ? "replaced" : "removed";
  const can = unsendingOf(provider_id ?? "");
  if (hasCorrection) return can.replace ? "edited" : "corrected";
  if (can.delete) return "deleted";
  return can.removal ? "removal_sent" : "cannot_unsend";
}
