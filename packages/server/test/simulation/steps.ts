// What has to hold for every step of a run that nobody canceled: it is done, or left out for a reason that the workflow
// has, and nothing that waits is done before its time.
import { transactionOf } from "./client.ts";
import type { Records } from "./promises.ts";
import { digests, type WorkflowName } from "./workflows.ts";

/** Seconds until the step after the first one may begin, counted from the event. */
const waits: Partial<Record<WorkflowName, number>> = { later: 20, digest: 30, keyed: 20 };
const waitSeconds = 20;

export function* brokenSteps({
  scenario,
  events,
  runs,
  jobs,
  messages,
  attempts,
  canceled,
}: Records): Generator<string> {
  const byRun = Map.groupBy(jobs, (job) => job.notification_id);
  const planned = scenario.requests.flatMap((request) => request.events);
  for (const { n, workflow } of planned) {
    const event = events.get(transactionOf(n));
    if (!event || canceled.has(transactionOf(n))) continue;
    for (const run of runs.filter(({ event_id }) => event_id === event.id)) {
      const own = byRun.get(run.id) ?? [];
      const isThrottled = own.some(({ type, status }) => type === "throttle" && status === "skipped");
      const isMerged = own.some(({ status }) => status === "merged");
      if (own.length === 0) yield `the run of event ${n} has no steps`;
      for (const { id, type, status } of own) {
        const isFailed = status === "failed" && messages.some((one) => one.job_id === id && one.status === "error");
        const refused = attempts.filter(({ message_id, outcome }) => {
          return messages.some((one) => one.id === message_id && one.job_id === id) && outcome !== "accepted";
        });
        const isDone =
          status === "completed" ||
          (status === "merged" && isMerged) ||
          (status === "skipped" && (isThrottled || (type === "digest" && workflow === "quiet"))) ||
          (isFailed && type !== "in_app" && refused.length > 0);
        if (!isDone) yield `${type} of event ${n} is ${status}, and nobody canceled it`;
      }
      const wait = own.find(({ type }) => type === "wait");
      // A digest that was handed over by a canceled run keeps its time.
      const isKnown = canceled.size === 0 || !digests.has(workflow);
      const seconds = wait?.output?.reason === "timeout" ? waitSeconds : isKnown ? waits[workflow] : 0;
      const dueAt = run.created_at.getTime() + (seconds ?? 0) * 1_000;
      for (const { id, notification_id, created_at } of messages) {
        if (notification_id === run.id && created_at.getTime() < dueAt)
          yield `message ${id} of event ${n} came too early`;
      }
    }
  }
}
