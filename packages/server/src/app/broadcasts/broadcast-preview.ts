// Previews of a draft: its messages as some people would get them. Reads only.
import type { BroadcastPreview, Input, Output } from "@tidings/contract";
import { isChannel } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { outcomeWord } from "../../pipeline/broadcasts/check-tally.ts";
import { isOfBroadcast } from "../../pipeline/broadcasts/people.ts";
import { simulatePeople } from "../../pipeline/broadcasts/simulate-people.ts";
import { describeStep } from "../../pipeline/rules/step-outcome-text.ts";
import type { SimulatedRun } from "../../pipeline/run/dry-run.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import { samplePeople } from "../../store/broadcasts/checks.ts";
import { findSubscribersByKeys, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import { toExplainedMessage } from "../events/explain-view.ts";
import { findSource } from "./broadcast-source.ts";
import { requireBroadcast } from "./broadcasts.ts";

const sampledPeople = 5;

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"broadcasts.preview">,
): Promise<Output<"broadcasts.preview">> {
  const { broadcastId } = params;
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, broadcastId);
  const source = await findSource(ctx, caller, row);
  if ("fault" in source) throw failure("BROADCAST_INCOMPLETE", { broadcastId, reason: source.fault });
  const dispatch = { broadcastId: row.id, content: row.content, source };
  const { runs, refusal } = await simulatePeople(ctx, environmentId, dispatch, (tx, now) =>
    body?.subscriberIds?.length ? namedPeople(tx, environmentId, body.subscriberIds) : sample(tx, row, now),
  );
  if (refusal) throw failure("BROADCAST_INCOMPLETE", { broadcastId, reason: refusal.join("; ") });
  return { data: runs.map((run) => toPreview(run)) };
}

/** In the order in which they are named; 404 for the first one that does not exist. */
export async function namedPeople({ db }: Ctx, environmentId: string, ids: string[]): Promise<RecipientRow[]> {
  const named = [...new Set(ids.map((id) => id.trim()))];
  const rows = await findSubscribersByKeys(db, environmentId, named);
  const byId = new Map(rows.map((row) => [row.subscriber_id, row]));
  return named.map((subscriberId) => {
    const row = byId.get(subscriberId);
    if (!row) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
    return row;
  });
}

async function sample({ db }: Ctx, { environment_id, audience }: BroadcastRow, now: Date): Promise<RecipientRow[]> {
  if (!audience.everyone && audience.include.length === 0) return [];
  const isIncluded = await isOfBroadcast(db, environment_id, audience, now);
  return samplePeople(db, environment_id, isIncluded, sampledPeople);
}

/** Several devices or chats of a person get the same message. */
function toPreview({ run, messages }: SimulatedRun): BroadcastPreview {
  const { subscriber, jobs, version } = run;
  const name = [subscriber?.first_name, subscriber?.last_name].filter(Boolean).join(" ");
  const person = subscriber?.first_name || subscriber?.subscriber_id;
  const settings = { tense: "dry-run" as const, workflow: version.definition.workflowId, person };
  const identifiers = new Map<string, string>();
  return {
    subscriberId: subscriber!.subscriber_id,
    name: name || null,
    messages: jobs
      .filter(({ step }) => isChannel(step.type))
      .map((job) => {
        const described = { ...job, details: job.newDetails };
        const message = messages.find(({ jobId, content }) => jobId === job.id && content !== null);
        return {
          stepId: job.step.stepId,
          type: job.step.type,
          outcome: outcomeWord(described),
          sentence: `${describeStep(described, settings, { next: [] }).reason}.`,
          content: message ? shown(toExplainedMessage(message, identifiers)) : null,
        };
      }),
  };
}

const shown = ({ subject, content, cta, address }: ReturnType<typeof toExplainedMessage>) => ({
  ...(subject !== undefined && { subject }),
  ...(content !== undefined && { body: content }),
  ...(cta !== undefined && { cta }),
  ...(address !== undefined && { address }),
});
