// Which variants of experiments a run has come into in this advance, as rows. Tests of drafts do not count.
import type { ExposureRow } from "../../store/experiments/exposures.ts";
import type { Progress } from "./run.ts";

export function exposuresOf({ run, now }: Progress): ExposureRow[] {
  if (run.version.definition.isTest || !run.subscriber) return [];
  const subscriberId = run.subscriber.id;
  return run.jobs.flatMap(({ step, stepIndex, newDetails, output }): ExposureRow[] => {
    if (step.type !== "experiment" || newDetails.length === 0 || typeof output?.variant !== "string") return [];
    return [
      {
        environment_id: run.environmentId,
        notification_id: run.notificationId,
        step_id: step.id,
        step_index: stepIndex,
        subscriber_id: subscriberId,
        variant: output.variant,
        exposed_at: now,
      },
    ];
  });
}
