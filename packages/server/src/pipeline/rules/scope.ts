// The data that templates and conditions can read: `subscriber`, `payload`, `workflow`, `actor`, `tenant`, `context`,
// `brand`, `env`, `steps`, `t`; in emails also `unsubscribeUrl`, `preferencesUrl` and their texts; in conditions also
// `audiences`.
import { isChannel } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { defaultLocale } from "../../lib/locale.ts";
import { preferencesUrl, signUnsubscribeToken, unsubscribeUrl } from "../../lib/tokens/unsubscribe-token.ts";
import { type Language, languageOf } from "../../lib/words/languages.ts";
import { countText, messageWords } from "../../lib/words/message-words.ts";
import type { CategoryRule } from "../../store/subscribers/categories.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { WorkflowDefinition } from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { TranslationEntry } from "../../store/workflows/translations.ts";
import { type RenderClock, renderClock } from "../render/dates.ts";
import { sentenceOf } from "../render/filters.ts";
import { literalScope, RenderError, render } from "../render/liquid.ts";
import { type Texts, translator } from "../render/translate.ts";
import { brandKeyOf, brandOf } from "../run/brands.ts";
import type { ContextData, DigestResult, Facts, JobState, Run, StepInput } from "../run/run.ts";
import { noVariables } from "../run/variables.ts";
import { digestResult } from "./grouping.ts";
import { isCritical } from "./preferences.ts";
import { channelResult } from "./step-results.ts";
import { zoneOf } from "./zones.ts";

/** A subscriber as templates and conditions see it. */
export function subscriberScope(row: RecipientRow | null) {
  return (
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
    }
  );
}

/** A workflow as templates and conditions see it. */
export function workflowScope({ workflowId, name, description, tags, severity }: WorkflowDefinition) {
  return {
    workflowId,
    name,
    description,
    tags,
    severity,
  };
}

/** `context.<type>` with id and data; a deleted context has only its id. */
const contextScope = ({ environmentId, contextKeys }: Run, contexts: ContextData) =>
  Object.fromEntries(
    contextKeys.map((key) => {
      const [type = "", id = ""] = key.split(":");
      return [type, { id, data: contexts.get(environmentId)?.get(key) ?? {} }];
    }),
  );

/** `steps.<stepId>` of a digest. The sentence is built only when a template reads it. */
function digestScope({ events, eventCount }: DigestResult, language: Language = "en") {
  const countSummary = countText(language, "notifications", eventCount);
  let sentence: string | undefined;
  return {
    events,
    eventCount,
    countSummary,
    get sentenceSummary() {
      sentence ??= sentenceOf(events, { path: "payload.name", language }) || countSummary;
      return sentence;
    },
  };
}

const withNewDetails = (job: JobState) => ({ ...job, details: [...job.details, ...job.newDetails] });

/** `steps`: the results of earlier steps, as of the start of this step. */
function stepsScope(run: Run, facts: Facts) {
  const steps: JsonObject = {};
  for (const job of run.jobs) {
    const { step, output } = job;
    const digest = step.type === "digest" ? digestResult(run, job, facts) : undefined;
    const result = isChannel(step.type) ? channelResult(withNewDetails(job), facts.marks.get(job.id)) : null;
    if (digest) steps[step.stepId] = digestScope(digest, ownLanguage(run));
    else if (result) steps[step.stepId] = result;
    else if (output) steps[step.stepId] = output;
  }
  return steps;
}

/**
 * `tenant`; a deleted tenant has only its identifier. A run that starts sees what its event says about the tenant, even
 * when another event has changed it meanwhile; a run that waited sees the stored tenant.
 */
function tenantScope({ event: { tenant, tenantFields }, environmentId, isNew }: Run, { tenants }: Facts) {
  if (!tenant) return null;
  const row = tenants.get(environmentId)?.get(tenant);
  const own = isNew ? tenantFields : null;
  return { identifier: tenant, name: own?.name ?? row?.name ?? null, data: own?.data ?? row?.data ?? {} };
}

/**
 * The language of words that this service adds to the text of an author: a workflow without translations is in one
 * language for everyone, and its words stay English.
 */
const ownLanguage = ({ version, subscriber }: Run): Language | undefined =>
  version.definition.isTranslationEnabled ? languageOf(subscriber?.locale) : undefined;

/** The time zone of the subscriber and the time of the environment, for dates in templates. */
export const clockScope = (
  timezone: string | null | undefined,
  defaultTimezone: string,
  now: Date,
  language?: Language,
) => ({
  [renderClock]: { zone: zoneOf(timezone, defaultTimezone).name, now, language } satisfies RenderClock,
});

/**
 * The category of the workflow; undefined without one, and where it was deleted. People can do without a broadcast even
 * if its workflow was moved to a required category after the send.
 */
export function categoryOf({ environmentId, rules, version }: Run, { categories }: Facts): CategoryRule | undefined {
  const category = rules.categoryId === undefined ? undefined : categories.get(environmentId)?.get(rules.categoryId);
  return category?.required && version.definition.isBroadcast ? { ...category, required: false } : category;
}

/** Whether the subscriber may switch the workflow of this run off. */
const canUnsubscribe = (run: Run, facts: Facts): boolean =>
  !isCritical({ ...run.rules.preferences, category: categoryOf(run, facts) });

/** The data of a run, without translations and time. */
export const rootsOf = (run: Run, facts: Facts) => ({
  subscriber: subscriberScope(run.subscriber),
  actor: subscriberScope(run.actor),
  tenant: tenantScope(run, facts),
  payload: run.event.payload,
  workflow: workflowScope(run.version.definition),
  context: contextScope(run, facts.contexts),
  brand: brandOf(run, facts.brands),
  env: facts.variables.get(run.environmentId)?.plain ?? noVariables.plain,
  steps: stepsScope(run, facts),
});

export function templateScope({ run, job, facts, now }: Pick<StepInput, "run" | "facts" | "now"> & Partial<StepInput>) {
  const roots = {
    ...rootsOf(run, facts),
    ...(job?.step.type === "email" && linkScope(run, facts)),
    ...clockScope(run.subscriber?.timezone, facts.defaultTimezone, now, ownLanguage(run)),
  };
  const isTranslated = run.version.definition.isTranslationEnabled ?? false;
  return { ...roots, t: isTranslated ? textsOf(run.version.workflowId, run, facts, roots) : undefined };
}

/** For conditions: they can test for audiences, templates cannot. */
export const conditionScope = (input: StepInput) => ({
  ...templateScope(input),
  audiences: input.facts.audiences.get(input.run.subscriber?.id ?? "") ?? [],
});

/**
 * The links of a mail. Functions, which the engine calls when a template reads them: a mail without links signs none.
 * Empty without a public URL or an own domain. `unsubscribeUrl` is also empty where the subscriber cannot unsubscribe.
 */
function linkScope(run: Run, facts: Facts) {
  const { environmentId, subscriber, version } = run;
  const { secrets } = facts;
  const publicUrl = facts.pagesUrls.get(environmentId) ?? facts.publicUrl;
  const link = (toUrl: (base: string, token: string) => string) => (): string => {
    if (publicUrl === "" || !subscriber) return "";
    const { workflowId } = version;
    const contextKey = brandKeyOf(run, facts.brands);
    const { isBroadcast } = version.definition;
    const target = { environmentId, subscriberId: subscriber.id, workflowId, contextKey, isBroadcast };
    return toUrl(publicUrl, signUnsubscribeToken(secrets, target));
  };
  return {
    unsubscribeUrl: () => (canUnsubscribe(run, facts) ? link(unsubscribeUrl)() : ""),
    preferencesUrl: link(preferencesUrl),
    ...linkWords(subscriber?.locale),
  };
}

/** The words of the links, in the language of the page behind them. */
function linkWords(locale: string | null | undefined) {
  const words = () => messageWords[languageOf(locale) ?? "en"];
  return { unsubscribeText: () => words().unsubscribe, preferencesText: () => words().preferences };
}

/** The links of a preview, which leads to nobody's preferences. */
export const previewLinks = (publicUrl: string, locale?: string | null) => ({
  unsubscribeUrl: publicUrl && unsubscribeUrl(publicUrl, "preview"),
  preferencesUrl: publicUrl && preferencesUrl(publicUrl, "preview"),
  ...linkWords(locale),
});

/** The scope for the content of a step: what a bridge returned is not a template. */
export const contentScope = (input: StepInput): object =>
  input.job.bridge?.answer ? literalScope : templateScope(input);

/** The scope for the layout of an email of this run: the same, with the layout's own translations. */
export function layoutScope(
  layout: Pick<LayoutRow, "id" | "is_translation_enabled">,
  run: Run,
  facts: Facts,
  scope: object,
) {
  return { ...scope, t: layout.is_translation_enabled ? textsOf(layout.id, run, facts, scope) : undefined };
}

const textsOf = (ownerId: string, run: Run, facts: Facts, scope: object): Texts =>
  textsFor(facts.translations.get(ownerId) ?? [], run.subscriber?.locale, scope);

/** The translations of one workflow or layout in one locale. */
type OwnTexts = Pick<TranslationEntry, "locale" | "content">;

/** The root `t` for templates with this scope. */
export function textsFor(translations: readonly OwnTexts[], locale: string | null | undefined, scope: object): Texts {
  // `t` is not available inside a translation: translations could include each other without end.
  const roots = { ...scope, t: undefined };
  const renderText = (template: string, values: object, { key, locale }: { key: string; locale: string }) => {
    try {
      return render(template, { ...roots, ...values }, "text");
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      // The place is that in the text, and not in the template that uses it.
      const at = [error.message, error.position].filter(Boolean).join(", ");
      throw new RenderError(`translation ${key}, ${locale}: ${at}`);
    }
  };
  return translator({ translations, locale, defaultLocale, render: renderText });
}
