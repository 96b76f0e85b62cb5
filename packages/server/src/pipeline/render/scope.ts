// What a template may use: `subscriber`, `payload`, `workflow`, `actor`, `steps`.
import type { SubscriberRow } from "../../store/subscribers.ts";
import type { Facts, Run } from "../run.ts";

const person = (row: SubscriberRow | null) =>
  row && {
    subscriberId: row.subscriber_id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: row.phone,
    avatar: row.avatar,
    locale: row.locale,
    timezone: row.timezone,
    data: row.data ?? {},
    isOnline: row.is_online ?? false,
    lastOnlineAt: row.last_online_at?.toISOString() ?? null,
  };

export function templateScope(run: Run, facts: Facts) {
  const { definition } = run.version;
  const steps: Record<string, unknown> = {};
  for (const job of run.jobs) {
    const digest = job.step.type === "digest" ? facts.digests.get(job.id) : undefined;
    if (digest) steps[job.step.stepId] = digest;
    else if (job.output) steps[job.step.stepId] = job.output;
  }
  return {
    subscriber: person(run.subscriber),
    actor: person(run.actor),
    payload: run.event.payload,
    workflow: {
      workflowId: definition.workflowId,
      name: definition.name,
      description: definition.description,
      tags: definition.tags,
      severity: definition.severity,
    },
    steps,
  };
}
