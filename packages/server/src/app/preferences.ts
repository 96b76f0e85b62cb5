// Subscriber preferences: reading them resolved, and merging choices into the stored ones. Which level decides is
// pipeline/rules/preferences.ts, the same rule that filters steps.
import {
  type Channel,
  channels,
  type Input,
  type Output,
  type PreferenceChannels,
  type Schedule,
  type SubscriberPreferences,
  type SubscriberWorkflowPreference,
  weekDays,
} from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { failure, invalid } from "../failure.ts";
import { idFromSlug, slug } from "../lib/ids.ts";
import {
  decide,
  isCritical,
  isEnabledAsWhole,
  type PreferenceLevels,
  withChoices,
} from "../pipeline/rules/preferences.ts";
import { resolveContexts } from "../store/contexts.ts";
import {
  findPreferences,
  findPreferenceWorkflows,
  listPreferenceWorkflows,
  mergePreferences,
  type PreferenceRow,
  type PreferenceWorkflow,
} from "../store/preferences.ts";
import type { SubscriberRow } from "../store/subscribers.ts";
import { readContextKeys } from "./context-keys.ts";
import { contextKeysOf, readContext } from "./contexts.ts";
import { requireSubscriber } from "./subscribers.ts";
import { toWorkflowRef, workflowLevels } from "./workflow-ref.ts";

type Criticality = "critical" | "nonCritical" | "all";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.retrievePreferences">,
): Promise<Output<"subscribers.retrievePreferences">> {
  const contextKeys = readContextKeys(query.contextKeys) ?? [];
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  return view(ctx, subscriber, contextKeys, query.criticality ?? "nonCritical");
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.updatePreferences">,
): Promise<Output<"subscribers.updatePreferences">> {
  const { workflowId, schedule } = body;
  if (schedule && workflowId !== undefined) {
    throw invalid({ schedule: { messages: ["schedule and workflowId cannot be used together"] } });
  }
  const named = readContext(body.context);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const [workflow] = workflowId === undefined ? [] : await requireWorkflows(ctx, caller, [workflowId], "Workflow");
  const contextKeys = await enterContexts(ctx, caller, named);
  if (body.channels || schedule) {
    const change = {
      workflow_id: workflow?.id ?? null,
      channels: chosen(body.channels ?? {}),
      schedule: schedule && toStored(schedule),
    };
    await mergePreferences(ctx.db, caller.environmentId, subscriber.id, contextKeys, [change], ctx.now());
  }
  return view(ctx, subscriber, contextKeys, "nonCritical");
}

export async function bulkUpdate(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.bulkUpdatePreferences">,
): Promise<Output<"subscribers.bulkUpdatePreferences">> {
  const named = readContext(body.context);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const given = body.preferences.map((item) => item.workflowId);
  const workflows = await requireWorkflows(ctx, caller, given, "Workflows");
  const contextKeys = await enterContexts(ctx, caller, named);
  // A map keeps the place of the first item and the value of the last.
  const items = new Map(workflows.map((workflow, index) => [workflow, chosen(body.preferences[index]!.channels)]));
  const changes = [...items].map(([workflow, channels]) => ({ workflow_id: workflow.id, channels }));
  await mergePreferences(ctx.db, caller.environmentId, subscriber.id, contextKeys, changes, ctx.now());
  const stored = await findPreferences(ctx.db, caller.environmentId, subscriber.id, contextKeys);
  return [...items.keys()].map((workflow) => {
    const levels = levelsOf(workflow, stored, contextKeys);
    return {
      level: "template" as const,
      workflow: toWorkflowRef(workflow),
      enabled: isEnabledAsWhole(levels),
      channels: resolvedChannels(workflow, levels),
    };
  });
}

async function enterContexts(ctx: Ctx, caller: Caller, named: ReturnType<typeof readContext>): Promise<string[]> {
  await resolveContexts(ctx.db, caller.environmentId, named, ctx.now());
  return contextKeysOf(named);
}

/** Only the members we know: a body may carry others, and what is stored is answered again. */
const chosen = (given: PreferenceChannels): PreferenceChannels =>
  Object.fromEntries(channels.flatMap((channel) => (given[channel] === undefined ? [] : [[channel, given[channel]]])));

function toStored({ isEnabled, weeklySchedule }: Schedule): Schedule {
  if (!weeklySchedule) return { isEnabled };
  const days = weekDays.flatMap((day) => {
    const given = weeklySchedule[day];
    if (!given) return [];
    const hours = given.hours?.map(({ start, end }) => ({ start, end }));
    return [[day, { isEnabled: given.isEnabled, ...(hours ? { hours } : {}) }]];
  });
  return { isEnabled, weeklySchedule: Object.fromEntries(days) };
}

/** The workflows named, one for each name, all of them changeable; or the error that lists those that are not. */
async function requireWorkflows(
  ctx: Ctx,
  caller: Caller,
  names: string[],
  noun: "Workflow" | "Workflows",
): Promise<PreferenceWorkflow[]> {
  const fromSlug = new Map(names.map((name) => [name, idFromSlug(name, "wf")]));
  const wanted = [...new Set([...names, ...[...fromSlug.values()].flatMap((id) => id ?? [])])];
  const rows = await findPreferenceWorkflows(ctx.db, caller.environmentId, wanted);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byIdentifier = new Map(rows.map((row) => [row.workflow_id, row]));
  const find = (name: string) => byId.get(name) ?? byIdentifier.get(name) ?? byId.get(fromSlug.get(name) ?? "");

  const listed = (isMeant: (row: PreferenceWorkflow | undefined) => boolean): string =>
    [...new Set(names)].filter((name) => isMeant(find(name))).join(", ");
  const missing = listed((row) => !row);
  if (missing) {
    const message = noun === "Workflows" ? `Workflows not found: ${missing}` : undefined;
    throw failure("WORKFLOW_NOT_FOUND", { workflowId: missing }, { message });
  }
  const critical = listed((row) => isCritical(workflowLevels(row!)));
  if (critical) throw failure("CRITICAL_WORKFLOW", { workflowIds: critical });
  return names.map((name) => find(name)!);
}

const levelsOf = (workflow: PreferenceWorkflow, stored: PreferenceRow[], contextKeys: string[]): PreferenceLevels =>
  withChoices(workflowLevels(workflow), stored, workflow.id, contextKeys);

const channelsOf = (workflow: PreferenceWorkflow): Channel[] =>
  channels.filter((channel) => workflow.step_types.includes(channel));

const resolvedChannels = (workflow: PreferenceWorkflow, levels: PreferenceLevels): PreferenceChannels =>
  Object.fromEntries(channelsOf(workflow).map((channel) => [channel, decide(levels, channel).enabled]));

async function view(
  ctx: Ctx,
  subscriber: SubscriberRow,
  contextKeys: string[],
  criticality: Criticality,
): Promise<SubscriberPreferences> {
  const stored = await findPreferences(ctx.db, subscriber.environment_id, subscriber.id, contextKeys);
  const workflows = await listPreferenceWorkflows(ctx.db, subscriber.environment_id);
  const wanted = workflows.filter(
    (workflow) => criticality === "all" || isCritical(workflowLevels(workflow)) === (criticality === "critical"),
  );
  return {
    global: globalOf(stored, contextKeys),
    workflows: wanted.map((workflow) => toItem(workflow, stored, contextKeys)),
  };
}

/** The row for the contexts, and the one without context: where the first says nothing, the second counts. */
const rowsFor = (stored: PreferenceRow[], workflowId: string | null, contextKeys: string[]): PreferenceRow[] =>
  stored
    .filter((row) => row.workflow_id === workflowId && [contextKeys.join(), ""].includes(row.context_keys.join()))
    .sort((a, b) => b.context_keys.length - a.context_keys.length);

function globalOf(stored: PreferenceRow[], contextKeys: string[]): SubscriberPreferences["global"] {
  const levels = withChoices({ user: null, default: {} }, stored, null, contextKeys);
  return {
    enabled: true,
    channels: Object.fromEntries(channels.map((channel) => [channel, decide(levels, channel).enabled])),
    schedule: rowsFor(stored, null, contextKeys).find((row) => row.schedule)?.schedule ?? undefined,
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
    const { level, isScoped } = decide(levels, channel);
    if (!level) return [];
    const isOwn = level === "subscriber_global" || level === "subscriber_workflow";
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
  };
}
