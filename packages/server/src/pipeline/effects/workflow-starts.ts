// The events that steps start, for a whole batch: accepted or refused by the rules of a request, and stored with their
// tasks in the transaction of the run. So the event exists exactly when the step has ended.
import type { TriggerEvent } from "@tidings/contract";
import { Failure } from "../../failure.ts";
import { runInserts } from "../../store/bulk.ts";
import { eventInsert, type NewEvent } from "../../store/events/events.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import type { Claim, Run } from "../run/run.ts";
import { acceptEvents, type RequestOutcome, refuseLargePayloads } from "../trigger/accept.ts";
import { tasksOfRequests } from "../trigger/batch-plan.ts";
import { type EventPlace, evaluateEvents, type RequestedEvent } from "../trigger/evaluation.ts";

export type StartClaim = { run: Run; claim: Extract<Claim, { kind: "start" }> };

export type Started = { transactionId: string; rejected: string[] } | { fault: string };

/** Derived from the job, which can start one event only. */
const transactionIdOf = (jobId: string): string => `start_${jobId.replaceAll("-", "")}`;

/** By job id. Test versions start nothing. */
export async function startWorkflows(batch: Batch, starts: StartClaim[]): Promise<Map<string, Started>> {
  const { tests = [], real = [] } = Object.groupBy(starts, ({ run }) =>
    run.version.definition.isTest ? "tests" : "real",
  );
  const results = await previewStarts(batch, tests);
  for (const [environmentId, own] of Map.groupBy(real, ({ run }) => run.environmentId)) {
    const events = own.map(toEvent);
    const outcomes = await acceptEvents(batch, placeOf(environmentId), events, { store: enqueueEvents });
    addResults(results, own, events, outcomes);
  }
  return results;
}

/** For a dry run, and for test versions: the outcome that the events would have. */
export async function previewStarts(batch: Batch, starts: StartClaim[]): Promise<Map<string, Started>> {
  const results = new Map<string, Started>();
  for (const [environmentId, own] of Map.groupBy(starts, ({ run }) => run.environmentId)) {
    const events = own.map(toEvent);
    const outcomes = refuseLargePayloads(events);
    const open = events.filter(({ request }) => !outcomes.has(request));
    const now = batch.clock.now(environmentId);
    for (const one of await evaluateEvents(batch, placeOf(environmentId), open, { audience: null, now })) {
      outcomes.set(one.request, [one]);
    }
    addResults(results, own, events, outcomes);
  }
  return results;
}

/** A started event names no bridge, the only thing that the type of the environment decides about. */
const placeOf = (environmentId: string): EventPlace => ({ environmentId, environmentType: "prod" });

/** Never started at once: the transaction of the run would grow with every workflow behind it. */
export async function enqueueEvents(batch: Batch, environmentId: string, requests: NewEvent[][]): Promise<void> {
  await runInserts(batch.db, [eventInsert(requests.flat())]);
  await enqueueTimed(batch, "trigger", await tasksOfRequests(batch, environmentId, requests));
}

/** Contexts, tenant and actor are those of the run. Overrides stay behind: they are about its steps. */
function toEvent({ run, claim }: StartClaim): RequestedEvent {
  const { event, version, actor, contextKeys, notificationId } = run;
  const { workflowId } = version.definition;
  const { to, payload } = claim.start;
  const started: TriggerEvent = {
    name: claim.start.workflowId,
    to,
    // The schema of the workflow may add defaults to it.
    payload: structuredClone(payload),
    transactionId: transactionIdOf(claim.jobId),
    ...(actor && { actor: actor.subscriber_id }),
    ...(event.tenant !== null && { tenant: event.tenant }),
  };
  const stepId = run.jobs.find((job) => job.id === claim.jobId)!.step.stepId;
  const path = [...(event.startedBy?.path ?? []), workflowId];
  const startedBy = { eventId: event.id, notificationId, workflowId, stepId, path };
  return {
    request: event.trace === null ? {} : { trace: event.trace },
    event: started,
    carried: { startedBy, contextKeys, tenantFields: event.tenantFields },
  };
}

function addResults(
  results: Map<string, Started>,
  starts: StartClaim[],
  events: RequestedEvent[],
  outcomes: Map<object, RequestOutcome>,
): void {
  for (const [index, { claim }] of starts.entries()) {
    results.set(claim.jobId, toStarted(claim.start.workflowId, outcomes.get(events[index]!.request)!));
  }
}

function toStarted(workflowId: string, outcome: RequestOutcome): Started {
  if (outcome instanceof Failure) return { fault: outcome.message };
  const { status, error = [], transactionId } = outcome[0]!.result;
  if (status === "processed") return { transactionId: transactionId!, rejected: error };
  if (error[0] === "workflow_not_found") return { fault: `there is no workflow ${workflowId}` };
  return { fault: error.join("; ") };
}
