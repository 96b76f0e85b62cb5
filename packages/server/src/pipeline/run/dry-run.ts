// Simulates new runs with the same `advance()` as the stages: the clock jumps to the end of each wait, every provider
// accepts, and claims are simulated without being taken. Reads only.
import type { DryRunAssumptions } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { isPauseDue, pauseIfDue } from "../../lib/load/pauses.ts";
import { type AddressHashes, createAddressHashes } from "../../lib/suppression-hash.ts";
import type { Db } from "../../store/db.ts";
import { findSuppressedAddresses } from "../../store/subscribers/subscribers.batch.ts";
import type { TenantEntry, TenantRow } from "../../store/subscribers/tenants.ts";
import type { BridgeAnswer } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { type StepRequest, stepRequest } from "../bridge/request.ts";
import { shownOutputs } from "../bridge/response.ts";
import {
  findSuppressedRecipients,
  listRecipients,
  removedCopyDetails,
  suppressionRaw,
  suppressionReason,
} from "../deliver/recipients.ts";
import { refused } from "../requests/call.ts";
import { endRequest } from "../requests/effect.ts";
import { requestOf } from "../requests/prepare.ts";
import { assumedReply } from "../requests/response.ts";
import { detail } from "../rules/details.ts";
import { digestInput } from "../rules/grouping.ts";
import { advance } from "./advance.ts";
import { createClaimPreview, settleClaims } from "./claims.ts";
import { loadFacts } from "./facts.ts";
import type { Arrival, ClaimResult, DigestResult, Facts, JobState, MessageDraft, Progress, Run } from "./run.ts";

/**
 * The contexts and the tenant that the event would create or update before its runs start, and what is assumed to
 * happen while they wait.
 */
export type Circumstances = {
  contexts: readonly { type: string; id: string; data?: JsonObject }[];
  tenant: TenantEntry | null;
  assume: DryRunAssumptions;
};

/**
 * A run after its last step, with the messages it would have created; `now` is the simulated time. `digestedInto`: the
 * notification whose digest it would be merged into.
 */
export type SimulatedRun = { run: Run; messages: MessageDraft[]; now: Date; digestedInto: string | null };

/** A step takes at most three rounds (a claim, a wait, a send), and a workflow has at most 20 steps. */
const maxRounds = 100;

/** What bridges returned so far, and what the runs still ask: the caller asks it, and simulates again. */
export type BridgeSimulation = {
  answers: ReadonlyMap<string, BridgeAnswer | { fault: string }>;
  asks: Map<string, StepAsk>;
};

type StepAsk = { stepId: string; request: StepRequest };

export async function simulate(
  batch: Batch,
  runs: Run[],
  around: Circumstances,
  bridge: BridgeSimulation,
): Promise<SimulatedRun[]> {
  const claimResults = new Map<string, ClaimResult>();
  const digests = new Map<string, DigestResult>();
  const arrivals = new Map<string, Arrival>();
  const loaded = await loadFacts(batch, runs, claimResults, { digests, arrivals });
  const facts = { ...withUpserts(loaded, runs, around), marks: assumedMarks(batch, runs, around.assume) };
  const all = runs.map(
    (run): SimulatedRun => ({
      run,
      messages: [],
      now: batch.clock.now(run.environmentId),
      digestedInto: null,
    }),
  );
  const preview = createClaimPreview();
  let active = all;
  for (let round = 0; active.length > 0 && round < maxRounds; round++) {
    const claiming: Progress[] = [];
    const sending: SimulatedRun[] = [];
    const continuing: SimulatedRun[] = [];
    for (const one of active) {
      const progress = await advanceWithPauses(one, facts);
      one.digestedInto = progress.digestedInto;
      if (progress.claim) claiming.push(progress);
      if (progress.sending.length > 0) sending.push(one);
      const goesOn =
        (progress.asking !== null && simulateReply(one, progress.asking, facts, bridge)) ||
        progress.claim !== null ||
        progress.sending.length > 0 ||
        simulateWait(one, progress, { facts, digests, arrivals, assume: around.assume });
      if (goesOn) continuing.push(one);
    }
    active = continuing;
    await simulateSends(batch.db, sending, createAddressHashes(batch.secrets));
    const settled = await settleClaims(batch, claiming, { runs, facts }, preview);
    for (const [jobId, result] of settled) claimResults.set(jobId, result);
  }
  return all;
}

/** Repeats a paused advance; a claim or a send can only be in the last one. */
async function advanceWithPauses(one: SimulatedRun, facts: Facts): Promise<Progress> {
  for (;;) {
    await pauseIfDue();
    const progress = advance(one.run, facts, one.now, isPauseDue);
    one.messages.push(...progress.messages);
    if (!progress.isPaused) return progress;
  }
}

/** Every provider accepts at once, except for suppressed addresses. */
async function simulateSends(db: Db, sending: SimulatedRun[], hashesOf: AddressHashes): Promise<void> {
  const suppressed = await findSuppressedAddresses(
    db,
    sending.flatMap(({ run, messages }) =>
      messages
        .filter(({ status }) => status === "pending")
        .map((message) => ({ ...message, environment_id: run.environmentId, addresses: listRecipients(message) })),
    ),
    hashesOf,
  );
  for (const { run, messages, now } of sending) {
    const job = run.jobs.find(({ status }) => status === "queued")!;
    job.status = "completed";
    for (const message of messages.filter(({ status }) => status === "pending")) {
      const { own: stop, copies } = findSuppressedRecipients(message, message.providerId!, suppressed.get(message.id));
      message.status = stop ? "error" : "sent";
      if (!stop) {
        job.newDetails.push(...removedCopyDetails(copies, now));
        continue;
      }
      // Only email and SMS addresses can be suppressed, and such a step has one message.
      const reason = suppressionReason(stop);
      job.status = "failed";
      job.newDetails.push(detail("recipient_suppressed", now, { raw: { reason, ...suppressionRaw(stop) } }));
      message.errorId = "provider_rejected";
      message.errorText = `The message was not sent: ${reason}`;
    }
    if (job.status === "failed") continue;
    job.newDetails.push(detail("message_sent", now, { providerId: job.providerId ?? undefined }));
  }
}

/** False when the reply is not known yet. */
function simulateReply(one: SimulatedRun, jobId: string, facts: Facts, bridge: BridgeSimulation): boolean {
  const { run, now } = one;
  const job = run.jobs.find(({ id }) => id === jobId)!;
  if (run.version.definition.isBridged) return simulateAnswer(one, job, facts, bridge);
  simulateRequest(run, job, facts, now);
  return true;
}

/** No HTTP request is sent: the sample response of the step is assumed. */
function simulateRequest(run: Run, job: JobState, facts: Facts, now: Date): void {
  const { controlValues } = job.step;
  const request = requestOf(run, job, facts, now);
  const reply = "fault" in request ? refused(request.fault) : assumedReply(controlValues);
  const { status, output, detail: ended } = endRequest(controlValues, reply, now);
  job.status = status;
  job.output = output;
  job.newDetails.push(ended);
}

/** Returns the bridge's response; false when it was not asked yet. */
function simulateAnswer({ run, now }: SimulatedRun, job: JobState, facts: Facts, bridge: BridgeSimulation): boolean {
  const key = JSON.stringify([run.subscriber!.subscriber_id, job.step.stepId]);
  const answer = bridge.answers.get(key);
  if (!answer) {
    bridge.asks.set(key, { stepId: job.step.stepId, request: stepRequest(run, job, facts) });
    return false;
  }
  if ("fault" in answer) {
    job.status = "failed";
    job.newDetails.push(detail("bridge_failed", now, { raw: { reason: answer.fault } }));
    return true;
  }
  job.status = "pending";
  job.bridge = { ...job.bridge!, tries: 1, answer };
  const raw = { outputs: shownOutputs(answer.outputs), skip: answer.skip };
  job.newDetails.push(detail("bridge_answered", now, { raw }));
  return true;
}

type Waiting = {
  facts: Facts;
  digests: Map<string, DigestResult>;
  arrivals: Map<string, Arrival>;
  assume: DryRunAssumptions;
};

/**
 * Moves the clock to the end of the wait; a digest that the run leads closes with the events of this run, and as many
 * like them as are assumed.
 */
function simulateWait(one: SimulatedRun, { wakeAt }: Progress, waiting: Waiting): boolean {
  const { facts, digests, arrivals, assume } = waiting;
  if (!wakeAt) return false;
  const job = one.run.jobs.find(({ status }) => status === "delayed");
  const arrival = job?.step.type === "wait" && assumedArrival(job.step.controlValues, assume, one.now);
  if (job && arrival) {
    arrivals.set(job.id, arrival);
    return true;
  }
  if (job?.step.type === "digest") {
    digests.set(job.id, filledUp(digestInput(one.run, job.stepIndex, facts), assume.digestedEvents ?? 1));
  }
  if (wakeAt > one.now) one.now = wakeAt;
  return true;
}

/** What is assumed to end the wait before its timeout. */
function assumedArrival({ signal, message }: JsonObject, assume: DryRunAssumptions, at: Date): Arrival | null {
  const name = isObject(signal) ? signal.name : undefined;
  const sent = assume.signals?.find((one) => one.name === name);
  if (sent) return { reason: "signal", data: sent.data ?? null, at };
  if (!isObject(message)) return null;
  const isSeen = assume.isRead && (message.event === "seen" || message.event === "read");
  const isAssumed = assume.messages?.some(({ stepId, event }) => stepId === message.stepId && event === message.event);
  return isSeen || isAssumed ? { reason: "message", data: null, at } : null;
}

function filledUp(digest: DigestResult, count: number): DigestResult {
  const { events, eventCount } = digest;
  const more = Array.from({ length: Math.max(0, count - eventCount) }, (_, index) => events[index % events.length]!);
  return { events: [...events, ...more], eventCount: Math.max(count, eventCount) };
}

/** The in-app messages of the runs, which are not stored, as they are assumed to be. */
function assumedMarks({ clock }: Batch, runs: Run[], { isRead }: DryRunAssumptions): Facts["marks"] {
  if (!isRead) return new Map();
  const marked = ({ environmentId, jobs }: Run) => {
    const at = clock.now(environmentId);
    const marks = { seen: true, read: true, lastSeenAt: at, lastReadAt: at };
    return jobs.filter(({ step }) => step.type === "in_app").map(({ id }) => [id, marks] as const);
  };
  return new Map(runs.flatMap(marked));
}

/** Existing contexts are not changed; a tenant gets the name and data that the event gives. */
function withUpserts(facts: Facts, runs: Run[], { contexts, tenant }: Circumstances): Facts {
  const [first] = runs;
  if (!first) return facts;
  const { environmentId } = first;
  const created = contexts.map(({ type, id, data = {} }): [string, JsonObject] => [`${type}:${id}`, data]);
  const known = facts.contexts.get(environmentId) ?? new Map<string, JsonObject>();
  return {
    ...facts,
    contexts: new Map([[environmentId, new Map([...created, ...known])]]),
    tenants: tenant ? withTenant(facts.tenants, first, tenant) : facts.tenants,
  };
}

function withTenant(tenants: Facts["tenants"], { environmentId, event }: Run, given: TenantEntry): Facts["tenants"] {
  const { identifier, name, data } = given;
  const before = tenants.get(environmentId)?.get(identifier);
  const row: TenantRow = {
    environment_id: environmentId,
    identifier,
    name: name ?? before?.name ?? null,
    data: data ?? before?.data ?? {},
    created_at: before?.created_at ?? event.createdAt,
    updated_at: event.createdAt,
  };
  return new Map([[environmentId, new Map([[identifier, row]])]]);
}
