// Preferences of subscribers: choices of a request are merged into the stored ones. How they are shown is
// preference-view.ts.
import {
  type DigestFrequency,
  type Input,
  type Output,
  type PreferenceChannels,
  type Schedule,
  weekDays,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { idFromSlug } from "../../lib/ids.ts";
import { definedMembers } from "../../lib/json.ts";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import { contextKeysOf } from "../../pipeline/trigger/contexts.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import type { CategoryRow } from "../../store/subscribers/categories.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import {
  findPreferences,
  findPreferenceWorkflows,
  listPreferenceWorkflows,
  mergePreferences,
  type PreferenceWorkflow,
} from "../../store/subscribers/preferences.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { requireCategory } from "./categories.ts";
import { readContext, readContextKeys } from "./contexts.ts";
import { checkFrequency } from "./digest-frequency.ts";
import { channelsInUse, ownLevels, viewCategories, viewEntry, viewGlobal, viewPreferences } from "./preference-view.ts";
import { requireSubscriber } from "./subscribers.ts";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.retrievePreferences">,
): Promise<Output<"subscribers.retrievePreferences">> {
  const contextKeys = readContextKeys(query.contextKeys) ?? [];
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  return viewPreferences(ctx, subscriber, contextKeys, query.criticality ?? "nonCritical");
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.updatePreferences">,
): Promise<Output<"subscribers.updatePreferences">> {
  const { workflowId, categoryId, schedule, digestFrequency } = body;
  const given = definedMembers({ schedule, workflowId, categoryId });
  if (Object.keys(given).length > 1) {
    const [field = "", other = ""] = Object.keys(given);
    throw invalid({ [field]: { messages: [`${field} and ${other} cannot be used together`] } });
  }
  const named = readContext(body.context);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const [workflow] = workflowId === undefined ? [] : await requireWorkflows(ctx, caller, [workflowId], "Workflow");
  checkFrequency(workflow, digestFrequency, "digestFrequency");
  const category = categoryId === undefined ? undefined : await requireOptional(ctx, caller, categoryId);
  const contextKeys = await createContexts(ctx, caller, named);
  if (body.channels || schedule || digestFrequency !== undefined) {
    const choice = { channels: body.channels ?? {}, schedule: schedule && readSchedule(schedule), digestFrequency };
    await saveChoices(ctx, subscriber, contextKeys, [{ workflow: workflow ?? null, category, ...choice }]);
  }
  return viewPreferences(ctx, subscriber, contextKeys, "nonCritical");
}

export async function bulkUpdate(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.bulkUpdatePreferences">,
): Promise<Output<"subscribers.bulkUpdatePreferences">> {
  return saveItems(ctx, caller, { ...params, ...body }, (index) => `preferences.${index}.digestFrequency`);
}

type BulkInput = Input<"subscribers.bulkUpdatePreferences">;

/** `fieldOf`: what the request calls the frequency of an item. */
export async function saveItems(
  ctx: Ctx,
  caller: Caller,
  { subscriberId, ...body }: BulkInput["params"] & BulkInput["body"],
  fieldOf: (index: number) => string,
): Promise<Output<"subscribers.bulkUpdatePreferences">> {
  const named = readContext(body.context);
  const subscriber = await requireSubscriber(ctx, caller, subscriberId);
  const given = body.preferences.map((item) => item.workflowId);
  const workflows = await requireWorkflows(ctx, caller, given, "Workflows");
  for (const [index, workflow] of workflows.entries()) {
    checkFrequency(workflow, body.preferences[index]!.digestFrequency, fieldOf(index));
  }
  const contextKeys = await createContexts(ctx, caller, named);
  // When there are several items for one workflow, the map keeps the position of the first and the value of the last.
  const items = new Map(workflows.map((workflow, index) => [workflow, body.preferences[index]!]));
  const choices = [...items].map(([workflow, { channels, digestFrequency }]) => ({
    workflow,
    channels,
    digestFrequency,
  }));
  await saveChoices(ctx, subscriber, contextKeys, choices);
  const stored = await findPreferences(ctx.db, caller.environmentId, subscriber.id, contextKeys);
  return choices.map(({ workflow }) => viewEntry(workflow, stored, contextKeys));
}

/** A category that subscribers may switch off. */
async function requireOptional(ctx: Ctx, caller: Caller, categoryId: string): Promise<CategoryRow> {
  const category = await requireCategory(ctx, caller.environmentId, categoryId);
  if (category.is_required) throw failure("REQUIRED_CATEGORY", { categoryId: category.category_id });
  return category;
}

/** For one workflow or one category; with null and none, for all workflows without a choice. */
export type Choice = {
  workflow: PreferenceWorkflow | null;
  category?: CategoryRow;
  channels: PreferenceChannels;
  schedule?: Schedule;
  /** Only of a workflow; null removes the choice. */
  digestFrequency?: DigestFrequency | null;
};

/** The id under which the choice is stored. */
export const choiceId = ({ workflow, category }: Choice): string | null => (category ?? workflow)?.id ?? null;

/** Merges choices into the stored ones, one per workflow or category, and sends the results to webhooks. */
export async function saveChoices(
  ctx: Ctx,
  subscriber: RecipientRow,
  contextKeys: string[],
  choices: Choice[],
): Promise<void> {
  const { id, environment_id: environmentId, subscriber_id: subscriberId } = subscriber;
  const now = ctx.now();
  const changes = choices.map((choice) => ({
    workflow_id: choiceId(choice),
    channels: choice.channels,
    schedule: choice.schedule,
    digest_frequency: choice.digestFrequency,
  }));
  await mergePreferences(ctx.db, environmentId, { subscriberId: id, contextKeys, changes, now });
  await emit(ctx, { environmentId, type: "preference.updated", at: now }, async () => {
    const stored = await findPreferences(ctx.db, environmentId, id, contextKeys);
    const needsAll = choices.some(({ workflow }) => workflow === null);
    const workflows = needsAll ? await listPreferenceWorkflows(ctx.db, environmentId) : [];
    return choices.map(({ workflow, category }) => {
      const entry = workflow
        ? viewEntry(workflow, stored, contextKeys)
        : category
          ? { level: "category", ...viewCategories([category], workflows, stored, contextKeys)[0] }
          : { level: "global", ...viewGlobal(stored, contextKeys, channelsInUse(workflows)) };
      return { object: { ...entry, contextKeys }, subscriberId };
    });
  });
}

async function createContexts(ctx: Ctx, caller: Caller, named: ReturnType<typeof readContext>): Promise<string[]> {
  await resolveContexts(ctx.db, caller.environmentId, named, ctx.now());
  return contextKeysOf(named);
}

/** Only members of the schema are stored. */
export function readSchedule({ isEnabled, weeklySchedule }: Schedule): Schedule {
  if (!weeklySchedule) return { isEnabled };
  const days = weekDays.flatMap((day) => {
    const given = weeklySchedule[day];
    if (!given) return [];
    const hours = given.hours?.map(({ start, end }) => ({ start, end }));
    return [[day, { isEnabled: given.isEnabled, ...(hours ? { hours } : {}) }]];
  });
  return { isEnabled, weeklySchedule: Object.fromEntries(days) };
}

/** One workflow for each name; 404 or 400 with a list of those that do not exist, or are critical. */
export async function requireWorkflows(
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

  const listed = (isMatch: (row: PreferenceWorkflow | undefined) => boolean): string =>
    [...new Set(names)].filter((name) => isMatch(find(name))).join(", ");
  const missing = listed((row) => !row);
  if (missing) {
    const message = noun === "Workflows" ? `Workflows not found: ${missing}` : undefined;
    throw failure("WORKFLOW_NOT_FOUND", { workflowId: missing }, { message });
  }
  const critical = listed((row) => isCritical(ownLevels(row!)));
  if (critical) throw failure("CRITICAL_WORKFLOW", { workflowIds: critical });
  return names.map((name) => find(name)!);
}
