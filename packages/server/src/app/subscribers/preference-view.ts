// The preferences of a subscriber for one set of contexts, resolved over all levels, as the API, webhooks and the
// preference page show them. Which level decides is pipeline/rules/preferences.ts.
import {
  type CategoryPreference,
  type Channel,
  channels,
  type PreferenceChannels,
  type SubscriberPreferences,
  type SubscriberWorkflowPreference,
} from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { slug } from "../../lib/ids.ts";
import {
  decidePreference,
  isCritical,
  isEnabledAsWhole,
  type PreferenceLevels,
  withChoices,
} from "../../pipeline/rules/preferences.ts";
import { type CategoryRow, listCategories, toCategoryRule } from "../../store/subscribers/categories.ts";
import {
  findPreferences,
  listPreferenceWorkflows,
  type PreferenceRow,
  type PreferenceWorkflow,
} from "../../store/subscribers/preferences.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { toWorkflowRef, workflowLevels } from "../workflows/workflow-view.ts";
import { viewFrequency } from "./digest-frequency.ts";

type Criticality = "critical" | "nonCritical" | "all";

/** The levels of a workflow without the subscriber. */
export const ownLevels = (workflow: PreferenceWorkflow) => ({
  ...workflowLevels(workflow),
  category: workflow.category,
});

export const levelsOf = (
  workflow: PreferenceWorkflow,
  stored: PreferenceRow[],
  contextKeys: string[],
): PreferenceLevels => withChoices(ownLevels(workflow), stored, workflow.id, contextKeys);

const channelsOf = (workflow: PreferenceWorkflow): Channel[] =>
  channels.filter((channel) => workflow.step_types.includes(channel));

export const resolvedChannels = (workflow: PreferenceWorkflow, levels: PreferenceLevels): PreferenceChannels =>
  Object.fromEntries(channelsOf(workflow).map((channel) => [channel, decidePreference(levels, channel).enabled]));

export async function viewPreferences(
  ctx: Ctx,
  subscriber: RecipientRow,
  contextKeys: string[],
  criticality: Criticality,
): Promise<SubscriberPreferences> {
  const { global, stored, wanted, categories } = await loadPreferences(ctx, subscriber, contextKeys, criticality);
  return {
    global,
    workflows: wanted.map((workflow) => toItem(workflow, stored, contextKeys)),
    ...(categories.length > 0 && { categories }),
  };
}

/** The categories with workflows, in their order, with the channels that these have steps for. */
export function viewCategories(
  categories: CategoryRow[],
  workflows: PreferenceWorkflow[],
  stored: PreferenceRow[],
  contextKeys: string[],
): CategoryPreference[] {
  const members = Map.groupBy(workflows, (workflow) => workflow.category?.id);
  return categories.flatMap((row): CategoryPreference[] => {
    const own = members.get(row.id);
    if (!own) return [];
    const levels = withChoices({ user: null, default: {}, category: toCategoryRule(row) }, stored, null, contextKeys);
    const shown = channelsInUse(own);
    return [
      {
        categoryId: row.category_id,
        name: row.name,
        description: row.description,
        required: row.is_required,
        channels: Object.fromEntries(shown.map((channel) => [channel, decidePreference(levels, channel).enabled])),
        updatedAt: rowsFor(stored, row.id, contextKeys)[0]?.updated_at.toISOString(),
      },
    ];
  });
}

/** The same with the entries of a bulk update, as an inbox shows them. */
export async function viewEntries(ctx: Ctx, subscriber: RecipientRow, contextKeys: string[], criticality: Criticality) {
  const { global, stored, wanted } = await loadPreferences(ctx, subscriber, contextKeys, criticality);
  return { global, entries: wanted.map((workflow) => viewEntry(workflow, stored, contextKeys)) };
}

async function loadPreferences(ctx: Ctx, subscriber: RecipientRow, contextKeys: string[], criticality: Criticality) {
  const stored = await findPreferences(ctx.db, subscriber.environment_id, subscriber.id, contextKeys);
  const workflows = await listPreferenceWorkflows(ctx.db, subscriber.environment_id);
  const wanted = workflows.filter(
    (workflow) => criticality === "all" || isCritical(ownLevels(workflow)) === (criticality === "critical"),
  );
  const hasCategories = workflows.some(({ category }) => category !== null);
  const rows = hasCategories ? await listCategories(ctx.db, subscriber.environment_id) : [];
  return {
    global: viewGlobal(stored, contextKeys, channelsInUse(workflows)),
    stored,
    wanted,
    categories: viewCategories(rows, workflows, stored, contextKeys),
  };
}

/** The row for these contexts, then the one without context: the second counts where the first has no value. */
const rowsFor = (stored: PreferenceRow[], id: string | null, contextKeys: string[]): PreferenceRow[] =>
  stored
    .filter((row) => row.workflow_id === id && [contextKeys.join(), ""].includes(row.context_keys.join()))
    .sort((a, b) => b.context_keys.length - a.context_keys.length);

/**
 * The channels that at least one workflow has an active step for; a choice for another channel would have no effect.
 */
export const channelsInUse = (workflows: PreferenceWorkflow[]): Channel[] =>
  channels.filter((channel) => workflows.some((workflow) => workflow.step_types.includes(channel)));

export function viewGlobal(
  stored: PreferenceRow[],
  contextKeys: string[],
  shown: Channel[],
): SubscriberPreferences["global"] {
  const levels = withChoices({ user: null, default: {} }, stored, null, contextKeys);
  return {
    enabled: true,
    channels: Object.fromEntries(shown.map((channel) => [channel, decidePreference(levels, channel).enabled])),
    schedule: rowsFor(stored, null, contextKeys).find((row) => row.schedule)?.schedule ?? undefined,
  };
}

/** The preference for one workflow, for the response to a bulk update and for webhooks. */
export function viewEntry(workflow: PreferenceWorkflow, stored: PreferenceRow[], contextKeys: string[]) {
  const levels = levelsOf(workflow, stored, contextKeys);
  return {
    level: "template" as const,
    workflow: { ...toWorkflowRef(workflow), critical: isCritical(levels) },
    enabled: isEnabledAsWhole(levels),
    channels: resolvedChannels(workflow, levels),
    ...(workflow.category && { categoryId: workflow.category.categoryId }),
    ...viewFrequency(workflow, stored, contextKeys),
  };
}

type Override = SubscriberWorkflowPreference["overrides"][number];

function toItem(
  workflow: PreferenceWorkflow,
  stored: PreferenceRow[],
  contextKeys: string[],
): SubscriberWorkflowPreference {
  const levels = levelsOf(workflow, stored, contextKeys);
  const overrides = channelsOf(workflow).flatMap((channel): Override[] => {
    const { level, isScoped } = decidePreference(levels, channel);
    if (!level) return [];
    const isOwn = level.startsWith("subscriber_");
    return [{ channel, source: isScoped ? "workflowOverride" : isOwn ? "subscriber" : "template" }];
  });
  return {
    enabled: isEnabledAsWhole(levels),
    channels: resolvedChannels(workflow, levels),
    overrides,
    workflow: {
      slug: slug(workflow.name, "wf", workflow.id),
      identifier: workflow.workflow_id,
      name: workflow.name,
      updatedAt: workflow.updated_at.toISOString(),
    },
    updatedAt: rowsFor(stored, workflow.id, contextKeys)[0]?.updated_at.toISOString(),
    ...(workflow.category && { categoryId: workflow.category.categoryId }),
    ...viewFrequency(workflow, stored, contextKeys),
  };
}
