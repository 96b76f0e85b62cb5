// Retracts the messages of a page of runs, as far as that needs no call to a provider. Each message gets its state
// here, under the lock of its row: a message that a worker sends at the same time is either withdrawn before its call,
// or marked, so that the transaction that writes the result of the call passes it on (deliver/settle.ts).
import { type Channel, type Correction, isChannel, type RetractedState } from "@tidings/contract";
import { unsendingOf } from "@tidings/providers";
import { findSentItems } from "../../store/attention/roll-ups.ts";
import { closeLettersOf } from "../../store/messages/dead-letters.ts";
import { deleteMessages, type MessageRow } from "../../store/messages/messages.ts";
import {
  findDigestedJobs,
  findMessagesToRetract,
  insertRetracted,
  lockInAppMessages,
  type NewRetracted,
  replaceInApp,
} from "../../store/retractions/retracted-messages.ts";
import type { RetractedRun } from "../../store/retractions/retractions.ts";
import type { Batch } from "../batch.ts";
import { openMessage } from "../encrypted-parts.ts";
import { type Canceled, cancelRuns } from "../run/cancel.ts";
import { emitDeleted } from "../webhooks/events.ts";
import { type Corrected, prepareCorrections, type RenderedCorrection, sendCorrections } from "./corrections.ts";
import { enqueueUnsends } from "./unsend-tasks.ts";
import { partOfDigest, retractedDetail, retractReason, supersedeReason, uncertainReason, whyItStays } from "./words.ts";

/** `retractionId`: null where a later event replaces the runs. */
export type Retracting = { retractionId: string | null; correction: Correction | null };

type Retracted = NewRetracted & { message?: MessageRow; rendered?: RenderedCorrection };

/** Returns the messages and steps with their states. */
export async function takeBackRuns(
  batch: Batch,
  environmentId: string,
  runs: RetractedRun[],
  { retractionId, correction }: Retracting,
): Promise<NewRetracted[]> {
  const { db } = batch;
  const now = batch.clock.now(environmentId);
  await lockInAppMessages(db, environmentId, runs);
  const canceled = await cancelRuns(batch, environmentId, {
    runs: { page: runs },
    versionIds: [...new Set(runs.map((run) => run.workflow_version_id))],
    reason: retractionId === null ? supersedeReason : retractReason,
    hasToSettle: true,
  });
  const found = (await findMessagesToRetract(db, environmentId, runs)).map((row) => openMessage(batch.secrets, row));
  const messages = retractionId === null ? found.filter(isNotReplaced) : found;
  const correctionOf = correction && (await prepareCorrections(batch, environmentId, correction, messages));
  const rows: Retracted[] = messages.map((message) => {
    const rendered = correctionOf?.(message);
    const usable = rendered && "fault" in rendered ? undefined : rendered;
    const fault = rendered && "fault" in rendered ? `the correction could not be rendered: ${rendered.fault}` : null;
    const { state, reason } =
      retractionId === null ? stateOfSuperseded(message, canceled) : stateOf(message, canceled, usable !== undefined);
    const { id, notification_id, job_id, channel } = message;
    const why = [reason, fault].filter((text) => text !== null).join("; ") || null;
    return {
      id,
      notification_id,
      job_id,
      retraction_id: retractionId,
      channel,
      state,
      reason: why,
      at: now,
      detail: retractedDetail(state, why, now),
      message,
      rendered: usable,
    };
  });
  rows.push(...(await statesOfSteps(batch, environmentId, runs, { canceled, rows, retractionId, now })));
  const stored = await insertRetracted(
    db,
    environmentId,
    rows.map(({ message, rendered, ...row }) => row),
  );
  const taken = rows.filter(({ id }) => stored.has(id));
  await applyStates(batch, environmentId, taken);
  return taken;
}

type State = { state: RetractedState; reason: string | null };

/** The state of a message, and what is said about it. */
function stateOf(
  message: MessageRow,
  { withdrawn, inFlight, uncertain, shared }: Canceled,
  hasCorrection: boolean,
): State {
  const { id, channel, status, job_id } = message;
  const as = (state: RetractedState, reason: string | null = null): State => ({ state, reason });
  if (inFlight.has(id)) return as("in_flight");
  if (uncertain.has(id)) return as("cannot_unsend", uncertainReason);
  if (withdrawn.has(id)) return as("canceled");
  if (status !== "sent") return as("not_sent");
  if (shared.has(job_id)) return as("cannot_unsend", partOfDigest);
  return channel === "in_app" ? as(hasCorrection ? "replaced" : "removed") : stateOfSent(message, hasCorrection);
}

/** Sent messages that the new run can replace are left until it does (supersede.ts). */
const isNotReplaced = ({ channel, status }: MessageRow): boolean =>
  status !== "sent" || channel === "email" || channel === "sms";

function stateOfSuperseded(message: MessageRow, canceled: Canceled): State {
  const { state, reason } = stateOf(message, canceled, false);
  return message.status === "sent" ? { state: "superseded", reason: whyItStays(message.channel) } : { state, reason };
}

/** The state of a message that its provider has: whether the provider can be asked, or what is said instead. */
export function stateOfSent({ channel, provider_id }: MessageRow, hasCorrection: boolean): State {
  const can = unsendingOf(provider_id ?? "");
  const isAsked = hasCorrection ? can.replace : can.delete || can.removal;
  if (isAsked) return { state: "taking_back", reason: null };
  return { state: hasCorrection ? "corrected" : "cannot_unsend", reason: whyItStays(channel) };
}

type StepFacts = { canceled: Canceled; rows: Retracted[]; retractionId: string | null; now: Date };

/** Channel steps that had no message: those that waited, and those whose digest was sent by another run. */
async function statesOfSteps(
  { db }: Batch,
  environmentId: string,
  runs: RetractedRun[],
  { canceled, rows, retractionId, now }: StepFacts,
): Promise<NewRetracted[]> {
  const withMessages = new Set(rows.map((row) => row.job_id));
  const toRow = (job: { id: string; notification_id: string }, channel: Channel, { state, reason }: State) => ({
    id: job.id,
    notification_id: job.notification_id,
    job_id: job.id,
    retraction_id: retractionId,
    channel,
    state,
    reason,
    at: now,
    detail: retractedDetail(state, reason, now),
  });
  const waited = canceled.jobs.flatMap((job) =>
    isChannel(job.type) && !withMessages.has(job.id) ? toRow(job, job.type, { state: "canceled", reason: null }) : [],
  );
  const digested = await findDigestedJobs(db, environmentId, runs);
  const rolledUp = await findSentItems(
    db,
    environmentId,
    runs.map(({ id }) => id),
  );
  const inRollUp = "it is part of a roll-up that was sent";
  return [
    ...waited,
    ...digested.map((job) => toRow(job, job.type, { state: "cannot_unsend", reason: partOfDigest })),
    ...rolledUp.map((job) => toRow(job, job.type, { state: "cannot_unsend", reason: inRollUp })),
  ];
}

async function applyStates(batch: Batch, environmentId: string, taken: Retracted[]): Promise<void> {
  const { db } = batch;
  const now = batch.clock.now(environmentId);
  const inState = (state: RetractedState) => taken.filter((one) => one.state === state && one.message);
  const idsIn = (state: RetractedState) => inState(state).map(({ id }) => id);
  const deleted = await deleteMessages(db, environmentId, idsIn("removed"), batch.now());
  await emitDeleted(batch, deleted, { environmentId, at: now });
  await replaceInApp(
    db,
    environmentId,
    inState("replaced").map(({ id, rendered }) => ({ id, subject: rendered!.subject, content: rendered!.html })),
    now,
  );
  for (const { message } of [...inState("removed"), ...inState("replaced")]) batch.hints.add(message!.subscriber_id);
  await closeLettersOf(db, environmentId, idsIn("not_sent"), now);
  await sendCorrections(batch, environmentId, inState("corrected") as Corrected[]);
  await enqueueUnsends(
    batch,
    inState("taking_back").map(({ message }) => message!),
  );
}
