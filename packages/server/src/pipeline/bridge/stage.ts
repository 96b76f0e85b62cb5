// The stage `bridge`: asks the customer's code for the content of a step. Like a delivery it is divided into a
// transaction that prepares the calls, the calls themselves, and a transaction that settles them, which wakes the run.
// The files of this folder: request.ts (what is sent), call.ts (one signed call), response.ts (what a response means),
// retry.ts (when the bridge is asked again), settle.ts (what follows from the replies).
import type { Ctx, NetworkCtx } from "../../context.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { NewTask, Task } from "../../store/queue/queue.ts";
import { type AskedBridge, claimBridgeProbes, findBridgesOfRuns } from "../../store/workflows/bridges.batch.ts";
import { type Batch, openBatch, transactWithRetry } from "../batch.ts";
import { inFlightGroup } from "../clock/clock.ts";
import { checkBreaker, expectedProbeEnd, type Health, healthy } from "../deliver/breaker.ts";
import { createCallStage } from "../deliver/calls.ts";
import type { Admission } from "../deliver/pacing.ts";
import { detail } from "../rules/details.ts";
import { loadDigests } from "../run/digests.ts";
import { loadFacts } from "../run/facts.ts";
import type { Run } from "../run/run.ts";
import { loadRuns } from "../run/wake.ts";
import { type BridgeTask, costOf, keysIn } from "../tasks.ts";
import { beginCallSpan } from "../trace/calls.ts";
import type { Asking, FinishedAsk, PreparedAsk } from "./ask.ts";
import { callBridge } from "./call.ts";
import { reopenJobs } from "./replay.ts";
import { stepRequest } from "./request.ts";
import { isTooLate } from "./retry.ts";
import { settle } from "./settle.ts";

/** Tasks taken at once. */
export const bridgeBatch = 20;
/** Calls in flight at once in this process; one environment has at most half of them, one bridge a quarter. */
const window = 100;
/** How long a result may wait for others, to share a transaction with them. */
const gatherMs = 20;

export function createBridgeStage(ctx: NetworkCtx) {
  return createCallStage<BridgeTask, PreparedAsk, FinishedAsk>(ctx, {
    kind: "bridge",
    window,
    batch: bridgeBatch,
    gatherMs,
    // A result that cannot be written repeats the call: it has no effect except in the customer's own code.
    settleTries: 3,
    settlePauseMs: 500,
    prepare,
    slotOf: ({ run, bridge }) => ({ environmentId: run.environmentId, lane: bridge.url ?? "" }),
    call: (one) => finishAsk(ctx, one),
    settle,
    transact: transactWithRetry,
  });
}

function finishAsk(ctx: NetworkCtx, one: PreparedAsk): FinishedAsk | Promise<FinishedAsk> {
  const { call, job, reply } = one;
  if (!call) return { ...one, reply: reply ?? { kind: "refused", reason: "the bridge cannot be asked" } };
  const { url, key, workflowId, request } = call;
  const query = { action: "execute", workflowId, stepId: job.step.stepId } as const;
  const { traced, end } = beginCallSpan(ctx, one.run.event.trace, { name: "POST bridge", url });
  return callBridge(ctx.webhookHttp, { url, key, query, body: request, now: ctx.now(), traced }).then((answer) => {
    end(null, answer.kind === "answered" ? undefined : answer.kind);
    ctx.metrics.attempts.inc({ provider: "bridge", outcome: answer.kind });
    return { ...one, reply: answer };
  });
}

/** Returns the calls to make now. Steps whose bridge is paused or has no free slot are enqueued for later. */
async function prepare(tx: Ctx, tasks: Task<BridgeTask>[], admission: Admission): Promise<PreparedAsk[]> {
  const claimed = await tx.queue.keep(tx.db, "bridge", tasks);
  const runs = await loadRuns(
    tx,
    keysIn(claimed, ({ notificationId }) => [notificationId]),
  );
  const batch = await openBatch(tx, new Set(runs.map((run) => run.environmentId)));
  await reopenJobs(batch, runs, claimed);
  const { asking, done } = await findAsking(batch, runs, claimed);
  const probes = await claimProbes(batch, asking);
  const facts = await loadFacts(batch, runs, new Map(), { digests: await loadDigests(batch, runs) });

  const prepared: PreparedAsk[] = [];
  const waits: Wait[] = [];
  for (const one of asking) {
    const { run, job, bridge } = one;
    const now = batch.clock.now(run.environmentId);
    const given = (reason: string): PreparedAsk => ({
      ...one,
      isProbe: false,
      call: null,
      reply: { kind: "refused", reason },
    });
    const { url, secret } = bridge;
    if (url === null) prepared.push(given("the workflow no longer has a bridge"));
    else if (secret === null) prepared.push(given("the environment has no key to sign with"));
    else if (job.bridge && isTooLate(job.bridge.askedAt, now.getTime())) {
      prepared.push(given(`it did not respond in time${job.bridge.error ? `; ${job.bridge.error}` : ""}`));
    } else {
      const decision = admit(batch, one, probes, admission);
      if (decision.kind === "wait") waits.push({ ...one, ...decision });
      else {
        const key = batch.secrets.decrypt(secret);
        const { workflowId } = run.version.definition;
        prepared.push({ ...one, ...decision, call: { url, key, workflowId, request: stepRequest(run, job, facts) } });
      }
    }
  }
  await writeWaits(batch, waits);
  const finished = [...done, ...waits.map(({ task }) => task)];
  if (finished.length > 0) await batch.queue.finish(batch.db, "bridge", finished);
  return prepared;
}

/** Steps that still wait for their bridge; the tasks of all others are done. */
async function findAsking(batch: Batch, runs: Run[], tasks: Task<BridgeTask>[]) {
  const byId = new Map(runs.map((run) => [run.notificationId, run]));
  const bridges = await findBridgesOfRuns(
    batch.db,
    runs.map(({ environmentId, notificationId, version, event }) => ({
      environment_id: environmentId,
      id: notificationId,
      workflow_id: version.workflowId,
      event_url: event.bridgeUrl,
    })),
  );
  const bridgeOf = new Map(bridges.map((bridge) => [bridge.id, bridge]));
  const asking: Asking[] = [];
  const done: Task<BridgeTask>[] = [];
  for (const task of tasks) {
    const run = byId.get(task.data.notificationId);
    const job = run?.jobs.find(({ id }) => id === task.data.jobId);
    const bridge = bridgeOf.get(task.data.notificationId);
    const isWaiting = job?.status === "queued" && job.bridge !== null && !job.bridge.answer;
    if (run?.subscriber && job && bridge && isWaiting) asking.push({ task, run, job, bridge });
    else done.push(task);
  }
  return { asking, done };
}

/** In an environment on a test clock the bridge is never paused: the breaker counts in real time. */
const healthIn = (batch: Batch, { run, bridge }: Asking): Health =>
  batch.clock.isStopped(run.environmentId) ? healthy : healthOf(bridge);

const healthOf = ({ state, failures = 0, probes = 0, opened_at, next_probe_at }: AskedBridge): Health =>
  state ? { state, failures, probes, openedAt: opened_at ?? null, nextProbeAt: next_probe_at ?? null } : healthy;

const nameOf = ({ run, bridge }: Pick<Asking, "run" | "bridge">): string => `${run.environmentId} ${bridge.url}`;

/** Returns the tasks of the steps that probe: one for each bridge whose circuit is open and due for a probe. */
async function claimProbes(batch: Batch, asking: Asking[]): Promise<Set<string>> {
  const now = batch.now();
  const due = asking.filter(
    (one) => one.bridge.url !== null && checkBreaker(healthIn(batch, one), now).kind === "probe",
  );
  const firsts = new Map(due.map((one) => [nameOf(one), one]));
  const until = new Date(now.getTime() + batch.config.delivery.breaker.probeLimitMs);
  const keys = [...firsts.values()].map(({ run, bridge }) => ({ environment_id: run.environmentId, url: bridge.url! }));
  const claimed = await claimBridgeProbes(batch.db, keys, now, until);
  return new Set(claimed.map(({ environment_id, url }) => firsts.get(`${environment_id} ${url}`)!.task.id));
}

type Wait = Asking & { until: Date; reason?: string };

function admit(
  batch: Batch,
  one: Asking,
  probes: ReadonlySet<string>,
  admission: Admission,
): { kind: "go"; isProbe: boolean } | { kind: "wait"; until: Date; reason?: string } {
  const { task, run, bridge } = one;
  const now = batch.now();
  const breaker = checkBreaker(healthIn(batch, one), now);
  const isProbe = probes.has(task.id);
  if (breaker.kind !== "pass" && !isProbe) {
    const until = breaker.kind === "wait" ? breaker.until : expectedProbeEnd(now);
    return { kind: "wait", until, reason: "the bridge is paused after failures in a row" };
  }
  const slot = { environmentId: run.environmentId, lane: bridge.url! };
  const admitted = admission.admit(slot, { isProbe, now: now.getTime() });
  return admitted.kind === "go" ? { kind: "go", isProbe } : { kind: "wait", until: new Date(admitted.until) };
}

/** A wait is not an attempt: the first one for a bridge that is paused adds a detail. Waits are in real time. */
async function writeWaits(batch: Batch, waits: Wait[]): Promise<void> {
  const updates = waits.flatMap(({ run, job, until, reason }): JobUpdate[] => {
    if (reason === undefined || job.details.some(({ d }) => d === "bridge_retry")) return [];
    const now = batch.clock.now(run.environmentId);
    const key = { environment_id: run.environmentId, notification_id: run.notificationId, job_id: job.id };
    const details = [detail("bridge_retry", now, { raw: { reason, next: until.toISOString() } })];
    return [{ ...emptyJobUpdate(key, now), status: "queued", details, wake_at: until }];
  });
  await updateJobs(batch.db, updates);
  const tasks = waits.map(
    ({ task, run, bridge, until }): NewTask => ({
      data: task.data,
      environmentId: run.environmentId,
      lane: bridge.url ?? undefined,
      cost: costOf("bridge", task.data),
      startAfter: until,
      group: batch.clock.isStopped(run.environmentId) ? inFlightGroup(run.environmentId) : undefined,
    }),
  );
  await batch.queue.enqueue(batch.db, "bridge", tasks);
}
