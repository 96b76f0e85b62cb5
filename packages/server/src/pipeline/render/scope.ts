// What a template may use: `subscriber`, `payload`, `workflow`, `actor`, `tenant`, `context`, `steps`, `t`.
import { isChannel } from "@tidings/contract";
import { defaultLocale } from "../../lib/locale.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import type { WorkflowDefinition } from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { TranslationEntry } from "../../store/workflows/translations.ts";
import { digestResult } from "../rules/digests.ts";
import { channelResult } from "../rules/step-results.ts";
import type { ContextData, DigestResult, Facts, JobState, Run } from "../run/run.ts";
import { toSentence } from "./filters.ts";
import { render } from "./liquid.ts";
import { type Texts, translator } from "./translate.ts";

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

/** `steps.<stepId>` of a digest. The summaries are made when a template asks for them. */
function digestScope({ events, eventCount }: DigestResult) {
  const countSummary = `${eventCount} ${eventCount === 1 ? "notification" : "notifications"}`;
  let sentence: string | undefined;
  return {
    events,
    eventCount,
    countSummary,
    get sentenceSummary() {
      sentence ??= toSentence(events, "payload.name") || countSummary;
      return sentence;
    },
  };
}

const withNewDetails = (job: JobState) => ({ ...job, details: [...job.details, ...job.newDetails] });

/** `steps`: what the steps before have left, as it stands when this step begins. */
function stepsScope(run: Run, facts: Facts) {
  const steps: Record<string, unknown> = {};
  for (const job of run.jobs) {
    const { step, output } = job;
    const digest = step.type === "digest" ? digestResult(run, job, facts) : undefined;
    const result = isChannel(step.type) ? channelResult(withNewDetails(job), facts.marks.get(job.id)) : null;
    if (digest) steps[step.stepId] = digestScope(digest);
    else if (result) steps[step.stepId] = result;
    else if (output) steps[step.stepId] = output;
  }
  return steps;
}

/** `tenant`; one that the event names and that does not exist any more has only its identifier. */
function tenantScope({ event: { tenant }, environmentId }: Run, { tenants }: Facts) {
  if (!tenant) return null;
  const row = tenants.get(environmentId)?.get(tenant);
  return { identifier: tenant, name: row?.name ?? null, data: row?.data ?? {} };
}

export function templateScope(run: Run, facts: Facts) {
  const roots = {
    subscriber: personScope(run.subscriber),
    actor: personScope(run.actor),
    tenant: tenantScope(run, facts),
    payload: run.event.payload,
    workflow: workflowScope(run.version.definition),
    context: contextScope(run, facts.contexts),
    steps: stepsScope(run, facts),
  };
  const isTranslated = run.version.definition.isTranslationEnabled ?? false;
  return { ...roots, t: isTranslated ? textsOf(run.version.workflowId, run, facts, roots) : undefined };
}

/** What the templates of a layout may use around a mail of this run: the same, with texts of its own. */
export const layoutScope = (
  layout: Pick<LayoutRow, "id" | "is_translation_enabled">,
  run: Run,
  facts: Facts,
  scope: object,
) => ({ ...scope, t: layout.is_translation_enabled ? textsOf(layout.id, run, facts, scope) : undefined });

const textsOf = (ownerId: string, run: Run, facts: Facts, scope: object): Texts =>
  textsFor(facts.translations.get(ownerId) ?? [], run.subscriber?.locale, scope);

/** The texts of one workflow or layout in one locale. */
type OwnTexts = Pick<TranslationEntry, "locale" | "content">;

/** The root `t` over these texts, for templates with these other roots. */
export function textsFor(translations: readonly OwnTexts[], locale: string | null | undefined, scope: object): Texts {
  // Inside a text there are no texts: they could call each other without end.
  const roots = { ...scope, t: undefined };
  const renderText = (template: string, values: object) => render(template, { ...roots, ...values }, "text");
  return translator({ translations, locale, defaultLocale, render: renderText });
}
