// The unsubscribe link of an email: a page that shows the preferences of the subscriber and changes them, and one-click
// unsubscribe, which switches the emails of one workflow off. The signed token in the link authorizes; there is no
// login and no API key.
//
// A choice made here applies to all contexts: it is stored without context, and stored choices for single contexts are
// removed for the same channel. Only channels that the reader changed are written.
import { type Brand, type Channel, channels, type PreferenceChannels } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { resolveBrand } from "../../lib/brand/brand.ts";
import type { UnsubscribeTarget } from "../../lib/tokens/unsubscribe-token.ts";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import { findBrand } from "../../store/environments/brand.ts";
import {
  deleteScopedPreferences,
  findPreferenceOwner,
  findPreferences,
  findPreferenceWorkflows,
  listPreferenceWorkflows,
  type PreferenceWorkflow,
} from "../../store/subscribers/preferences.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { workflowLevels } from "../workflows/workflow-view.ts";
import { levelsOf, resolvedChannels, viewGlobal } from "./preference-view.ts";
import { type Choice, saveChoices } from "./preferences.ts";

/** Workflows on one page: that of the email first, then the oldest ones. */
const maxWorkflows = 200;

type PageWorkflow = { id: string; name: string; channels: PreferenceChannels };

export type PreferencePage = {
  /** Name and masked address: readers recognise themselves, others do not learn the address. */
  subscriberName: string;
  /** The workflow of the email; undefined when it was deleted, or became critical and cannot be switched off. */
  subject?: PageWorkflow;
  global: PreferenceChannels;
  workflows: PageWorkflow[];
  hasMore: boolean;
};

/** Null when the subscriber or its environment was deleted. */
export const findOwner = (ctx: Ctx, target: UnsubscribeTarget): Promise<SubscriberRow | null> =>
  findPreferenceOwner(ctx.db, target.environmentId, target.subscriberId);

/** The brand that the pages of the environment show; null without one. */
export async function findPageBrand(ctx: Ctx, target: UnsubscribeTarget): Promise<Brand | null> {
  const stored = await findBrand(ctx.db, target.environmentId);
  return stored && resolveBrand(stored);
}

const isChangeable = (workflow: PreferenceWorkflow): boolean => !isCritical(workflowLevels(workflow));

export async function viewPage(ctx: Ctx, subscriber: SubscriberRow, workflowId: string): Promise<PreferencePage> {
  const { environment_id: environmentId } = subscriber;
  const stored = await findPreferences(ctx.db, environmentId, subscriber.id, []);
  const all = (await listPreferenceWorkflows(ctx.db, environmentId))
    .filter((workflow) => isChangeable(workflow) && (workflow.active || workflow.id === workflowId))
    .map((workflow): PageWorkflow => {
      const resolved = resolvedChannels(workflow, levelsOf(workflow, stored, []));
      return { id: workflow.id, name: workflow.name, channels: resolved };
    })
    .filter((workflow) => Object.keys(workflow.channels).length > 0);
  const subject = all.find(({ id }) => id === workflowId);
  const workflows = [...(subject ? [subject] : []), ...all.filter((one) => one !== subject)].slice(0, maxWorkflows);
  const used = channels.filter((channel) => workflows.some((workflow) => channel in workflow.channels));
  return {
    subscriberName: nameOf(subscriber),
    subject,
    global: viewGlobal(stored, [], used).channels,
    workflows,
    hasMore: all.length > workflows.length,
  };
}

function nameOf({ first_name, last_name, email }: SubscriberRow): string {
  const name = [first_name, last_name].filter(Boolean).join(" ").slice(0, 200);
  const at = email?.lastIndexOf("@") ?? -1;
  const address = email && at > 0 ? `${[...email][0]}•••${email.slice(at)}` : "";
  return name && address ? `${name} (${address})` : name || address;
}

/**
 * `critical`: the workflow can no longer be switched off. A deleted workflow sends no emails, so it counts as done.
 */
type Unsubscribed = { kind: "done" | "critical"; workflowName?: string };

export async function unsubscribe(ctx: Ctx, subscriber: SubscriberRow, workflowId: string): Promise<Unsubscribed> {
  const { id, environment_id: environmentId } = subscriber;
  const found = await findPreferenceWorkflows(ctx.db, environmentId, [workflowId]);
  // The lookup also finds identifiers, and one may have the form of an id.
  const workflow = found.find((one) => one.id === workflowId);
  if (!workflow) return { kind: "done" };
  if (!isChangeable(workflow)) return { kind: "critical", workflowName: workflow.name };
  const stored = await findPreferences(ctx.db, environmentId, id, []);
  const isOff = stored.some((row) => row.workflow_id === workflow.id && row.channels.email === false);
  const hadScoped = await dropContextChoices(ctx, subscriber, [{ workflow, channels: { email: false } }]);
  // Mail clients may repeat the one-click request: a repetition writes nothing and sends no webhook.
  if (!isOff || hadScoped) await saveChoices(ctx, subscriber, [], [{ workflow, channels: { email: false } }]);
  return { kind: "done", workflowName: workflow.name };
}

/** One row of the submitted form: channels it showed, and those that are checked. Without workflow: the global row. */
export type Edit = { workflowId: string | null; shown: Channel[]; wanted: Channel[] };

/** Returns whether anything was changed. Workflows that were deleted or became critical meanwhile are ignored. */
export async function save(ctx: Ctx, subscriber: SubscriberRow, edits: Edit[]): Promise<boolean> {
  const ids = edits.flatMap(({ workflowId }) => workflowId ?? []);
  const found = await findPreferenceWorkflows(ctx.db, subscriber.environment_id, ids);
  const workflows = new Map(found.filter(isChangeable).map((workflow) => [workflow.id, workflow]));
  const choices = new Map<string | null, Choice>();
  for (const { workflowId, shown, wanted } of edits) {
    const workflow = workflowId === null ? null : workflows.get(workflowId);
    const changed = channels.filter((channel) => shown.includes(channel) !== wanted.includes(channel));
    if (workflow === undefined || changed.length === 0) continue;
    const chosen = Object.fromEntries(changed.map((channel) => [channel, wanted.includes(channel)]));
    choices.set(workflowId, { workflow, channels: chosen });
  }
  const all = [...choices.values()];
  if (all.length === 0) return false;
  await dropContextChoices(ctx, subscriber, all);
  await saveChoices(ctx, subscriber, [], all);
  return true;
}

/** Removes choices for single contexts that would override these. */
const dropContextChoices = (ctx: Ctx, subscriber: SubscriberRow, choices: Choice[]): Promise<boolean> =>
  deleteScopedPreferences(ctx.db, subscriber.environment_id, {
    subscriberId: subscriber.id,
    chosen: choices.map(({ workflow, channels: chosen }) => ({
      workflow_id: workflow?.id ?? null,
      names: Object.keys(chosen) as Channel[],
    })),
    now: ctx.now(),
  });
