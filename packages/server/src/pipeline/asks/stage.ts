// A stage that asks other programs for steps. Like a delivery it is divided into a transaction that prepares the calls,
// the calls themselves, and a transaction that settles them, which wakes the run.
import type { Ctx, NetworkCtx } from "../../context.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { NewTask, Task } from "../../store/queue/queue.ts";
import { claimProbes } from "../../store/workflows/call-breakers.batch.ts";
import { type Batch, openBatch, transactWithRetry } from "../batch.ts";
import { inFlightGroup } from "../clock/clock.ts";
import { checkBreaker, expectedProbeEnd, type Health, healthy } from "../deliver/breaker.ts";
import { createCallStage } from "../deliver/calls.ts";
import type { Admission, Slot } from "../deliver/pacing.ts";
import type { Run } from "../run/run.ts";
import { loadRuns } from "../run/wake.ts";
import { type AskTask, costOf, keysIn, rankIn } from "../tasks.ts";
import { type Asking, type AskSource, type Finished, jobKeyOf, type Planned, type Prepared } from "./ask.ts";
import { reopenJobs } from "./replay.ts";
import { settleAsks, wakeRuns } from "./settle.ts";

/** Tasks taken at once. */
export const askBatch = 20;
/** Calls in flight at once in this process; one environment has at most half of them, one target a quarter. */
const window = 100;
/** How long a result may wait for others, to share a transaction with them. */
const gatherMs = 20;

export function createAskStage<Call, Reply>(ctx: NetworkCtx, source: AskSource<Call, Reply>) {
  return createCallStage<AskTask, Prepared<Call, Reply>, Finished<Call, Reply>>(ctx, {
    kind: source.kind,
    window,
    batch: askBatch,
    gatherMs,
    // A result that cannot be written repeats the call, which its receiver can tell by the id of the step.
    settleTries: 3,
    settlePauseMs: 500,
    prepare: (tx, tasks, admission) => prepare(tx, source, tasks, admission),
    slotOf: ({ task, run, target }) => slotOfAsk(task, run, target?.url ?? ""),
    call: (one) => ("reply" in one ? one : source.call(ctx, one, one.call).then((reply) => ({ ...one, reply }))),
    settle: (tx, group) => settleAsks(tx, source, group),
    transact: transactWithRetry,
  });
}

/** Returns the calls to make now. Steps whose target is paused or has no free slot are enqueued for later. */
async function prepare<Call, Reply>(
  tx: Ctx,
  source: AskSource<Call, Reply>,
  tasks: Task<AskTask>[],
  admission: Admission,
): Promise<Prepared<Call, Reply>[]> {
  const claimed = await tx.queue.keep(tx.db, source.kind, tasks);
  const runs = await loadRuns(
    tx,
    keysIn(claimed, ({ notificationId }) => [notificationId]),
  );
  const batch = await openBatch(tx, new Set(runs.map((run) => run.environmentId)));
  await reopenJobs(batch, runs, claimed, source.asked);
  const { asking, ended, done } = findAsking(runs, claimed);
  const planned = await source.plan(batch, runs, asking);
  const probes = await claimDueProbes(batch, source, planned);

  const prepared: Prepared<Call, Reply>[] = [];
  const waits: Wait[] = [];
  for (const { task, run, job, ...plan } of planned) {
    const one = { task, run, job };
    if ("reply" in plan) {
      prepared.push({ ...one, target: null, isProbe: false, call: null, reply: plan.reply });
      continue;
    }
    const { target } = plan;
    const isProbe = probes.has(task.id);
    const wait = admit(batch, { task, run, ...target, isProbe }, admission);
    if (!wait) prepared.push({ ...one, target, isProbe, call: plan.call() });
    else waits.push({ ...one, url: target.url, ...wait });
  }
  await writeWaits(batch, source, waits);
  await letEnd(batch, ended);
  const finished = [...done, ...ended.map(({ task }) => task), ...waits.map(({ task }) => task)];
  if (finished.length > 0) await batch.queue.finish(batch.db, source.kind, finished);
  return prepared;
}

/**
 * Steps that still wait for a response; the tasks of all others are done. `ended`: the workflow or the subscriber was
 * deleted meanwhile, and nothing is asked.
 */
function findAsking(runs: Run[], tasks: Task<AskTask>[]) {
  const byId = new Map(runs.map((run) => [run.notificationId, run]));
  const asking: Asking[] = [];
  const ended: Asking[] = [];
  const done: Task<AskTask>[] = [];
  for (const task of tasks) {
    const run = byId.get(task.data.notificationId);
    const job = run?.jobs.find(({ id }) => id === task.data.jobId);
    const isWaiting = job?.status === "queued" && job.bridge !== null && !job.bridge.answer;
    if (!run || !job || !isWaiting) done.push(task);
    else if (run.isWorkflowDeleted || !run.subscriber) ended.push({ task, run, job });
    else asking.push({ task, run, job });
  }
  return { asking, ended, done };
}

/** Wakes runs that cannot continue: their next advance cancels them with its reason. */
async function letEnd(batch: Batch, ended: Asking[]): Promise<void> {
  const updates = ended.map((one): JobUpdate => {
    const now = batch.clock.now(one.run.environmentId);
    return { ...emptyJobUpdate(jobKeyOf(one), now), status: "pending" };
  });
  await updateJobs(batch.db, updates);
  await wakeRuns(batch, updates);
}

const slotOfAsk = (task: Task<AskTask>, { environmentId }: Run, lane: string): Slot => ({
  environmentId,
  lane,
  ...rankIn(task.data),
});

type Called = { task: Task<AskTask>; run: Run; url: string; health: Health };

/** In an environment on a test clock no target is paused: the breaker counts in real time. */
const healthIn = (batch: Batch, { run, health }: Pick<Called, "run" | "health">): Health =>
  batch.clock.isStopped(run.environmentId) ? healthy : health;

/** Returns the tasks of the steps that probe: one for each target whose circuit is open and due for a probe. */
async function claimDueProbes<Call, Reply>(
  batch: Batch,
  { breakers }: AskSource<Call, Reply>,
  planned: Planned<Call, Reply>[],
): Promise<Set<string>> {
  const now = batch.now();
  const due = planned.flatMap((one) =>
    "target" in one && checkBreaker(healthIn(batch, { run: one.run, ...one.target }), now).kind === "probe"
      ? [{ taskId: one.task.id, environment_id: one.run.environmentId, url: one.target.url }]
      : [],
  );
  const firsts = new Map(due.map((one) => [`${one.environment_id} ${one.url}`, one]));
  const until = new Date(now.getTime() + batch.config.delivery.breaker.probeLimitMs);
  const claimed = await claimProbes(batch.db, breakers, [...firsts.values()], { now, until });
  return new Set(claimed.map(({ environment_id, url }) => firsts.get(`${environment_id} ${url}`)!.taskId));
}

type Wait = Asking & { url: string; until: Date; isPaused: boolean };

/** Takes a slot; undefined when the step may call now. */
function admit(
  batch: Batch,
  called: Called & { isProbe: boolean },
  admission: Admission,
): Pick<Wait, "until" | "isPaused"> | undefined {
  const { task, run, url, isProbe } = called;
  const now = batch.now();
  const breaker = checkBreaker(healthIn(batch, called), now);
  if (breaker.kind !== "pass" && !isProbe) {
    return { until: breaker.kind === "wait" ? breaker.until : expectedProbeEnd(now), isPaused: true };
  }
  const admitted = admission.admit(slotOfAsk(task, run, url), { isProbe, now: now.getTime() });
  return admitted.kind === "go" ? undefined : { until: new Date(admitted.until), isPaused: false };
}

/** A wait is not an attempt: the first one for a target that is paused adds a detail. Waits are in real time. */
async function writeWaits<Call, Reply>(batch: Batch, source: AskSource<Call, Reply>, waits: Wait[]): Promise<void> {
  const updates = waits.flatMap((wait): JobUpdate[] => {
    const { run, job, until, isPaused } = wait;
    if (!isPaused || job.details.some(source.isRetry)) return [];
    const now = batch.clock.now(run.environmentId);
    const details = [source.retry(now, { reason: source.pausedReason, next: until.toISOString() })];
    return [{ ...emptyJobUpdate(jobKeyOf(wait), now), status: "queued", details, wake_at: until }];
  });
  await updateJobs(batch.db, updates);
  const tasks = waits.map(
    ({ task, run, url, until }): NewTask => ({
      data: task.data,
      environmentId: run.environmentId,
      lane: url,
      cost: costOf(source.kind, task.data),
      ...rankIn(task.data),
      startAfter: until,
      group: batch.clock.isStopped(run.environmentId) ? inFlightGroup(run.environmentId) : undefined,
    }),
  );
  await batch.queue.enqueue(batch.db, source.kind, tasks);
}
