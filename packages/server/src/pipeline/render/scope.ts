// What a template may use: `subscriber`, `payload`, `workflow`, `actor`, `context`, `steps`.
import type { SubscriberRow } from "../../store/subscribers.ts";
import type { WorkflowDefinition } from "../../store/tables.ts";
import type { ContextData, Facts, Run } from "../run.ts";

/** A person as templates and conditions see it. */
export const personScope = (row: SubscriberRow | null) =>
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

/** A workflow as templates and conditions see it. */
export const workflowScope = ({ workflowId, name, description, tags, severity }: WorkflowDefinition) => ({
  workflowId,
  name,
  description,
  tags,
  severity,
});

/** `context.<type>` with id and data; of a context that was deleted, the id is left. */
const contextScope = ({ environmentId, contextKeys }: Run, contexts: ContextData) =>
  Object.fromEntries(
    contextKeys.map((key) => {
      const [type = "", id = ""] = key.split(":");
      return [type, { id, data: contexts.get(environmentId)?.get(key) ?? {} }];
    }),
  );

export function templateScope(run: Run, facts: Facts) {
  const steps: Record<string, unknown> = {};
  for (const job of run.jobs) {
    const digest = job.step.type === "digest" ? facts.digests.get(job.id) : undefined;
    if (digest) steps[job.step.stepId] = digest;
    else if (job.output) steps[job.step.stepId] = job.output;
  }
  return {
    subscriber: personScope(run.subscriber),
    actor: personScope(run.actor),
    payload: run.event.payload,
    workflow: workflowScope(run.version.definition),
    context: contextScope(run, facts.contexts),
    steps,
  };
}
