// Events for one person, in the words of their steps: "Email was not sent: subscriber has no email address." says more
// than a count of one.
import { type ActivityEvent, isChannel, type StepType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { KnownIntegrations } from "../../pipeline/rules/delivery-text.ts";
import { findSoleRecipients, type SoleRecipientRow } from "../../store/events/activity-recipients.ts";
import { findJobs, type JobRow } from "../../store/events/jobs.ts";
import { explainSteps } from "./explain-view.ts";
import { findKnownIntegrations } from "./known-integrations.ts";

/** Two statements for a page of events, and a third where deliveries wait or failed. */
export async function describeSoleRecipients(
  ctx: Ctx,
  environmentId: string,
  events: ActivityEvent[],
): Promise<ActivityEvent[]> {
  const alone = events.filter(({ recipients, status }) => recipients === 1 && status !== "expanding");
  const ids = alone.map(({ id }) => id);
  const rows = await findSoleRecipients(ctx.db, environmentId, ids);
  const notifications = rows.map((row) => row.notification);
  const all = await findJobs(ctx.db, notifications);
  const integrations = await findKnownIntegrations(ctx, environmentId, all);
  const jobs = Map.groupBy(all, (job) => job.notification_id);
  const byEvent = new Map(rows.map((row) => [row.event_id, row]));
  return events.map((event) => {
    const row = byEvent.get(event.id);
    return row ? { ...event, ...describe(row, jobs.get(row.notification.id) ?? [], integrations) } : event;
  });
}

/**
 * Lower numbers come first: what failed, what waits, channels that sent nothing. The rest keeps the order of its steps.
 */
function urgencyOf({ status, step }: { status: JobRow["status"]; step: { type: StepType } }): number {
  if (status === "failed") return 0;
  if (status === "delayed" || status === "queued" || status === "running") return 1;
  return status === "skipped" && isChannel(step.type) ? 2 : 3;
}

function describe(row: SoleRecipientRow, jobs: JobRow[], integrations: KnownIntegrations): Partial<ActivityEvent> {
  const { definition, subscriber_id: subscriberId, first_name: firstName, last_name: lastName } = row;
  const steps = definition.steps.filter((step) => step.active);
  const described = jobs.map((job) => ({
    step: steps[job.step_index]!,
    status: job.status,
    details: job.details,
    providerId: job.provider_id,
    wakeAt: job.wake_at,
    messages: [],
  }));
  // What needs attention comes first: a list has room for the beginning of the sentence.
  described.sort((a, b) => urgencyOf(a) - urgencyOf(b));
  const settings = { tense: "past", workflow: definition.workflowId, integrations } as const;
  const { verdict } = explainSteps(described, settings, { workflow: definition });
  const recipient =
    subscriberId === null
      ? undefined
      : { subscriberId, ...(firstName && { firstName }), ...(lastName && { lastName }) };
  return { verdict, recipient };
}
