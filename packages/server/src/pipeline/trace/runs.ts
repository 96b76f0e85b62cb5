// Spans of runs and their steps. They are created when the runs have been advanced and written: a run whose changes
// cannot be written leaves none.
import { isSampled, spanTime } from "../../lib/trace-context.ts";
import type { Tracing } from "../../tracing.ts";
import type { JobState, Progress, Run } from "../run/run.ts";

/** Runs with spans in one transaction and trace. A broadcast to a million people would be a trace that nobody opens. */
const maxTraced = 100;
/** Other events that the span of a batch names. */
const maxLinks = 32;

/** Marks the runs that get spans: those of recorded traces, as many of each as fit. */
export function chooseTraced(runs: Run[]): void {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const { trace } = run.event;
    if (trace === null || !isSampled(trace)) continue;
    const count = (counts.get(trace) ?? 0) + 1;
    if (count > maxTraced) continue;
    counts.set(trace, count);
    run.trace = { startedAt: spanTime(), steps: [] };
  }
}

/**
 * What the runs of one transaction did; those without a step that was due are left out. The span of a batch is that of
 * its first event, linked with the others.
 */
export function traceRuns(tracing: Tracing, progressed: Progress[]): void {
  const traced = progressed.flatMap(({ run }) => (run.trace?.steps.length ? { run, trace: run.trace } : []));
  const [first] = traced;
  if (!first) return;
  const endedAt = spanTime();
  const parents = [...new Set(traced.map(({ run }) => run.event.trace!))];
  const batch =
    progressed.length > 1
      ? tracing.continue(first.run.event.trace, {
          name: "workflow batch",
          kind: "consumer",
          attributes: { ...messaging, "messaging.batch.message_count": progressed.length },
          links: parents.slice(1, maxLinks + 1),
          startedAt: first.trace.startedAt,
        })
      : null;
  for (const { run, trace } of traced) {
    const span = tracing.continue(run.event.trace, {
      name: "workflow run",
      kind: "consumer",
      attributes: { ...messaging, ...runAttributes(run) },
      links: batch ? [batch.context] : [],
      startedAt: trace.startedAt,
    });
    let startedAt = trace.startedAt;
    for (const step of trace.steps) {
      if (span) traceStep(tracing, span.context, { ...step, startedAt });
      startedAt = step.endedAt;
    }
    span?.end({ endedAt });
  }
  batch?.end({ endedAt });
}

const messaging = { "messaging.system": "tidings", "messaging.operation.type": "process" };

/** Ids of this service, and the transaction id that the caller knows. */
const runAttributes = ({ environmentId, notificationId, version, event }: Run) => ({
  "tidings.environment.id": environmentId,
  "tidings.workflow.id": version.workflowId,
  "tidings.notification.id": notificationId,
  "messaging.message.conversation_id": event.transactionId,
});

type Step = { job: JobState; startedAt: number; endedAt: number };

function traceStep(tracing: Tracing, parent: string, { job, startedAt, endedAt }: Step): void {
  const span = tracing.continue(parent, {
    name: `step ${job.step.type}`,
    kind: "internal",
    attributes: {
      "tidings.job.id": job.id,
      "tidings.step.id": job.step.stepId,
      "tidings.step.type": job.step.type,
      "tidings.step.status": job.status,
    },
    startedAt,
  });
  span?.end({ endedAt, error: job.status === "failed" ? (job.newDetails.at(-1)?.d ?? "failed") : undefined });
}
