// The unsubscribe link of an email: a page that shows the preferences of the subscriber and changes them, and one-click
// unsubscribe, which switches the emails of one workflow off. The signed token in the link authorizes; there is no
// login and no API key.
//
// A choice made here applies to all contexts: it is stored without context, and stored choices for single contexts are
// removed for the same channel, and so is a digest frequency. Only what the reader changed is written.
import {
  type Brand,
  type Channel,
  type ChannelAttention,
  channels,
  type PageTexts,
  type PreferenceChannels,
} from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { hasLook, resolveBrand, resolvePageTexts } from "../../lib/brand/brand.ts";
import type { UnsubscribeTarget } from "../../lib/tokens/unsubscribe-token.ts";
import { choiceFor, isCritical } from "../../pipeline/rules/preferences.ts";
import { findBrand, findContextBrand } from "../../store/environments/brand.ts";
import { listCategories } from "../../store/subscribers/categories.ts";
import {
  deleteScopedPreferences,
  findPreferenceOwner,
  findPreferences,
  findPreferenceWorkflows,
  listPreferenceWorkflows,
  type PreferenceRow,
  type PreferenceWorkflow,
  removeChoices,
} from "../../store/subscribers/preferences.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { readFrequency, type ShownFrequency, viewFrequency } from "./digest-frequency.ts";
import { channelsInUse, levelsOf, ownLevels, resolvedChannels, viewCategories, viewGlobal } from "./preference-view.ts";
import { type Choice, choiceId, saveChoices } from "./preferences.ts";
import { viewAttention } from "./subscriber-attention.ts";

/** Workflows on one page: that of the email first, then the oldest ones. */
const maxWorkflows = 200;

export type PageWorkflow = { id: string; name: string; channels: PreferenceChannels } & ShownFrequency;

/** `isRequired`: it is shown, and cannot be changed. */
type PageCategory = PageWorkflow & { description: string; isRequired: boolean };

/** A category with its workflows; without a category, the workflows that have none. */
export type PageGroup = { category?: PageCategory; workflows: PageWorkflow[] };

export type PreferencePage = {
  /** Name and masked address: readers recognise themselves, others do not learn the address. */
  subscriberName: string;
  /** The workflow of the email; undefined when it was deleted, or became critical and cannot be switched off. */
  subject?: PageWorkflow;
  global: PreferenceChannels;
  groups: PageGroup[];
  /** Workflows on the page. */
  count: number;
  hasMore: boolean;
  /** How many messages the reader wants at most, for the channels on the page where there is a choice. */
  limits: ChannelAttention[];
};

/** Null when the subscriber or its environment was deleted. */
export const findOwner = (ctx: Ctx, target: UnsubscribeTarget): Promise<SubscriberRow | null> =>
  findPreferenceOwner(ctx.db, target.environmentId, target.subscriberId);

/** `brand`: null without one. `texts`: own texts of the pages, by locale. */
export type PageLook = { brand: Brand | null; texts: Record<string, PageTexts> };

/** The look of the context that the mail was about, else of the environment. */
export async function findPageLook(ctx: Ctx, { environmentId, contextKey }: UnsubscribeTarget): Promise<PageLook> {
  const stored = await findBrand(ctx.db, environmentId);
  const own = contextKey === undefined ? null : await findContextBrand(ctx.db, environmentId, [contextKey]);
  const brand = hasLook(stored) || hasLook(own) ? resolveBrand(stored, own) : null;
  return { brand, texts: resolvePageTexts(stored, own) };
}

const isChangeable = (workflow: PreferenceWorkflow): boolean => !isCritical(ownLevels(workflow));

export async function viewPage(ctx: Ctx, subscriber: SubscriberRow, workflowId: string): Promise<PreferencePage> {
  const { environment_id: environmentId } = subscriber;
  const stored = await findPreferences(ctx.db, environmentId, subscriber.id, []);
  const active = (await listPreferenceWorkflows(ctx.db, environmentId)).filter(
    (workflow) => workflow.active || workflow.id === workflowId,
  );
  const offered = active.filter((one) => isChangeable(one) && channelsInUse([one]).length > 0);
  const subject = offered.find(({ id }) => id === workflowId);
  const listed = [...(subject ? [subject] : []), ...offered.filter((one) => one !== subject)].slice(0, maxWorkflows);
  const hasCategories = active.some(({ category }) => category !== null);
  const rows = hasCategories ? await listCategories(ctx.db, environmentId) : [];
  const toRow = (workflow: PreferenceWorkflow): PageWorkflow => ({
    id: workflow.id,
    name: workflow.name,
    channels: resolvedChannels(workflow, levelsOf(workflow, stored, [])),
    ...viewFrequency(workflow, stored, []),
  });
  const members = Map.groupBy(listed, ({ category }) => category?.id ?? null);
  const without = members.get(null) ?? [];
  const byIdentifier = new Map(rows.map((row) => [row.category_id, row.id]));
  const groups = [
    ...viewCategories(rows, active, stored, []).map(({ categoryId, required: isRequired, ...category }): PageGroup => {
      const id = byIdentifier.get(categoryId)!;
      return { category: { ...category, id, isRequired }, workflows: (members.get(id) ?? []).map(toRow) };
    }),
    ...(without.length > 0 ? [{ workflows: without.map(toRow) }] : []),
  ];
  const global = viewGlobal(stored, [], channelsInUse(listed)).channels;
  const attention = await viewAttention(ctx, subscriber);
  return {
    subscriberName: nameOf(subscriber),
    subject: subject && toRow(subject),
    global,
    groups,
    count: listed.length,
    hasMore: offered.length > listed.length,
    limits: attention.filter(
      ({ channel, offered: isOffered, choices }) => isOffered && choices.length > 0 && channel in global,
    ),
  };
}

function nameOf({ first_name, last_name, email }: SubscriberRow): string {
  const name = [first_name, last_name].filter(Boolean).join(" ").slice(0, 200);
  const at = email?.lastIndexOf("@") ?? -1;
  const address = email && at > 0 ? `${[...email][0]}•••${email.slice(at)}` : "";
  return name && address ? `${name} (${address})` : name || address;
}

/** What a person had chosen before for a channel of a workflow, a category or everything; null: nothing. */
export type EarlierChoice = { id: string | null; channel: Channel; enabled: boolean | null };

/**
 * `critical`: the workflow can no longer be switched off. A deleted workflow sends no emails, so it counts as done.
 * `was`: what an undo brings back.
 */
export type Unsubscribed = { kind: "done" | "critical"; workflowName?: string; was: EarlierChoice[] };

export async function unsubscribe(
  ctx: Ctx,
  subscriber: SubscriberRow,
  { workflowId, isBroadcast }: UnsubscribeTarget,
): Promise<Unsubscribed> {
  const { id, environment_id: environmentId } = subscriber;
  const found = await findPreferenceWorkflows(ctx.db, environmentId, [workflowId]);
  // The lookup also finds identifiers, and one may have the form of an id.
  const workflow = found.find((one) => one.id === workflowId);
  if (!workflow) return { kind: "done", was: [] };
  const workflowName = workflow.name;
  // Critical messages ignore the choice, and broadcasts of the workflow follow it.
  if (!isChangeable(workflow) && !isBroadcast) return { kind: "critical", workflowName, was: [] };
  const stored = await findPreferences(ctx.db, environmentId, id, []);
  const choices: Choice[] = [{ workflow, channels: { email: false } }];
  const was = earlierChoices(stored, choices);
  const hadScoped = await dropContextChoices(ctx, subscriber, choices);
  // Mail clients may repeat the one-click request: a repetition writes nothing and sends no webhook.
  if (was.length > 0 || hadScoped) await saveChoices(ctx, subscriber, [], choices);
  return { kind: "done", workflowName, was };
}

/** What these choices would change. */
const earlierChoices = (stored: PreferenceRow[], choices: Choice[]): EarlierChoice[] =>
  choices.flatMap((choice) => {
    const id = choiceId(choice);
    const before = choiceFor(stored, id, [])?.channels ?? {};
    return (Object.keys(choice.channels) as Channel[])
      .filter((channel) => before[channel] !== choice.channels[channel])
      .map((channel) => ({ id, channel, enabled: before[channel] ?? null }));
  });

/**
 * Switches off every channel of everything, and what was switched on for single workflows and categories. Critical
 * workflows and required categories are not affected. Returns what an undo brings back.
 */
export async function unsubscribeFromAll(ctx: Ctx, subscriber: SubscriberRow): Promise<EarlierChoice[]> {
  const { environment_id: environmentId } = subscriber;
  const stored = await findPreferences(ctx.db, environmentId, subscriber.id, []);
  const workflows = await listPreferenceWorkflows(ctx.db, environmentId);
  const off = (names: Channel[]) => Object.fromEntries(names.map((name) => [name, false]));
  const chosen = await namedChoices(
    ctx,
    environmentId,
    stored.flatMap((row) => {
      const on = channels.filter((channel) => row.channels[channel] === true);
      return row.workflow_id === null || on.length === 0 ? [] : [{ id: row.workflow_id, channels: off(on) }];
    }),
  );
  const all: Choice[] = [{ workflow: null, channels: off(channelsInUse(workflows)) }, ...chosen];
  const was = earlierChoices(stored, all);
  const hadScoped = await dropContextChoices(ctx, subscriber, all);
  if (was.length > 0 || hadScoped) await saveChoices(ctx, subscriber, [], all);
  return was;
}

/** Brings earlier choices back; those for single contexts stay removed. */
export async function restore(ctx: Ctx, subscriber: SubscriberRow, was: EarlierChoice[]): Promise<void> {
  const { environment_id: environmentId } = subscriber;
  const byId = [...Map.groupBy(was, ({ id }) => id)];
  const chosen = byId.map(([id, own]) => ({
    id,
    channels: Object.fromEntries(own.flatMap(({ channel, enabled }) => (enabled === null ? [] : [[channel, enabled]]))),
  }));
  await removeChoices(ctx.db, environmentId, {
    subscriberId: subscriber.id,
    chosen: byId.map(([id, own]) => ({
      workflow_id: id,
      names: own.filter(({ enabled }) => enabled === null).map(({ channel }) => channel),
    })),
    now: ctx.now(),
  });
  const choices = await namedChoices(ctx, environmentId, chosen);
  if (choices.length > 0) await saveChoices(ctx, subscriber, [], choices);
}

/**
 * One row of the submitted form: channels it showed, and those that are checked. Without an id: the global row.
 * `frequency`: another one than the row showed, as it was submitted; empty for none.
 */
export type Edit = { id: string | null; shown: Channel[]; wanted: Channel[]; frequency?: string };

/** Returns whether anything was changed. What was deleted or became critical meanwhile is ignored. */
export async function save(ctx: Ctx, subscriber: SubscriberRow, edits: Edit[]): Promise<boolean> {
  const changes = new Map<string | null, GivenChoice>();
  for (const { id, shown, wanted, frequency } of edits) {
    const changed = channels.filter((channel) => shown.includes(channel) !== wanted.includes(channel));
    if (changed.length === 0 && frequency === undefined) continue;
    const chosen = Object.fromEntries(changed.map((channel) => [channel, wanted.includes(channel)]));
    changes.set(id, { id, channels: chosen, frequency });
  }
  const choices = await namedChoices(ctx, subscriber.environment_id, [...changes.values()]);
  if (choices.length === 0) return false;
  await dropContextChoices(ctx, subscriber, choices);
  await saveChoices(ctx, subscriber, [], choices);
  return true;
}

type GivenChoice = { id: string | null; channels: PreferenceChannels; frequency?: string };

/** Choices with the workflow or category that they are for; what cannot be changed is left out. */
async function namedChoices(ctx: Ctx, environmentId: string, given: GivenChoice[]): Promise<Choice[]> {
  const ids = given.flatMap(({ id }) => id ?? []);
  if (given.length === 0) return [];
  const found = await findPreferenceWorkflows(ctx.db, environmentId, ids);
  const workflows = new Map(found.filter(isChangeable).map((workflow) => [workflow.id, workflow]));
  const rest = ids.some((id) => !workflows.has(id)) ? await listCategories(ctx.db, environmentId) : [];
  const categories = new Map(rest.filter((row) => !row.is_required).map((row) => [row.id, row]));
  return given.flatMap(({ id, channels: chosen, frequency }): Choice[] => {
    if (id === null) return [{ workflow: null, channels: chosen }];
    const workflow = workflows.get(id) ?? null;
    const category = categories.get(id);
    const digestFrequency = workflow ? readFrequency(workflow, frequency) : undefined;
    const isEmpty = Object.keys(chosen).length === 0 && digestFrequency === undefined;
    return isEmpty || !(workflow || category) ? [] : [{ workflow, category, channels: chosen, digestFrequency }];
  });
}

/** Removes choices for single contexts that would override these. */
const dropContextChoices = (ctx: Ctx, subscriber: SubscriberRow, choices: Choice[]): Promise<boolean> =>
  deleteScopedPreferences(ctx.db, subscriber.environment_id, {
    subscriberId: subscriber.id,
    chosen: choices.map((choice) => ({
      workflow_id: choiceId(choice),
      names: Object.keys(choice.channels) as Channel[],
      has_frequency: choice.digestFrequency !== undefined,
    })),
    now: ctx.now(),
  });
