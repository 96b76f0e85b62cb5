// What the link in a mail leads to: a page where its reader sees and changes what they get, and the one click that switches
// the mails of one workflow off. The token of the link is the authority; there is no login and no API key.
//
// A choice made here is meant for everything: it is stored without context, and choices for single contexts that say
// something else about the same channel are taken back. Only what the reader changed is written.
import { type Channel, channels, type PreferenceChannels } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { UnsubscribeTarget } from "../../lib/unsubscribe-token.ts";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import {
  deleteScopedPreferences,
  findPreferenceOwner,
  findPreferences,
  findPreferenceWorkflows,
  listPreferenceWorkflows,
  type PreferenceWorkflow,
} from "../../store/subscribers/preferences.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { workflowLevels } from "../workflows/workflow-ref.ts";
import { globalOf, levelsOf, resolvedChannels } from "./preference-view.ts";
import { type Choice, choose } from "./preferences.ts";

/** Workflows that a page shows: that of the mail, then the oldest. */
const maxWorkflows = 200;

export type PageWorkflow = { id: string; name: string; channels: PreferenceChannels };

export type PreferencePage = {
  /** Enough for the readers to know themselves, not enough for others to learn the address. */
  person: string;
  /** What the mail was: undefined when that has been deleted, or cannot be switched off any more. */
  subject?: PageWorkflow;
  global: PreferenceChannels;
  workflows: PageWorkflow[];
  hasMore: boolean;
};

/** Null when the subscriber or its environment is no more. */
export const findOwner = (ctx: Ctx, target: UnsubscribeTarget): Promise<SubscriberRow | null> =>
  findPreferenceOwner(ctx.db, target.environmentId, target.subscriberId);

const mayChoose = (workflow: PreferenceWorkflow): boolean => !isCritical(workflowLevels(workflow));

export async function viewPage(ctx: Ctx, subscriber: SubscriberRow, workflowId: string): Promise<PreferencePage> {
  const { environment_id: environmentId } = subscriber;
  const stored = await findPreferences(ctx.db, environmentId, subscriber.id, []);
  const all = (await listPreferenceWorkflows(ctx.db, environmentId))
    .filter((workflow) => mayChoose(workflow) && (workflow.active || workflow.id === workflowId))
    .map((workflow): PageWorkflow => {
      const resolved = resolvedChannels(workflow, levelsOf(workflow, stored, []));
      return { id: workflow.id, name: workflow.name, channels: resolved };
    })
    .filter((workflow) => Object.keys(workflow.channels).length > 0);
  const subject = all.find(({ id }) => id === workflowId);
  const workflows = [...(subject ? [subject] : []), ...all.filter((one) => one !== subject)].slice(0, maxWorkflows);
  const used = channels.filter((channel) => workflows.some((workflow) => channel in workflow.channels));
  return {
    person: nameOf(subscriber),
    subject,
    global: globalOf(stored, [], used).channels,
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

/** `critical`: it has become one that nobody can switch off. Mails of a workflow that is gone will not come any more. */
export type Unsubscribed = { kind: "done" | "critical"; workflowName?: string };

export async function unsubscribe(ctx: Ctx, subscriber: SubscriberRow, workflowId: string): Promise<Unsubscribed> {
  const { id, environment_id: environmentId } = subscriber;
  const found = await findPreferenceWorkflows(ctx.db, environmentId, [workflowId]);
  // An identifier may look like an id.
  const workflow = found.find((one) => one.id === workflowId);
  if (!workflow) return { kind: "done" };
  if (!mayChoose(workflow)) return { kind: "critical", workflowName: workflow.name };
  const stored = await findPreferences(ctx.db, environmentId, id, []);
  const isOff = stored.some((row) => row.workflow_id === workflow.id && row.channels.email === false);
  const hadScoped = await takeBack(ctx, subscriber, [{ workflow, channels: { email: false } }]);
  // Mailboxes repeat their call when they are not sure: that changes nothing, and nobody is told again.
  if (!isOff || hadScoped) await choose(ctx, subscriber, [], [{ workflow, channels: { email: false } }]);
  return { kind: "done", workflowName: workflow.name };
}

/** A row of the page as its reader left it; without workflow it is the one for everything. */
export type Edit = { workflowId: string | null; shown: Channel[]; wanted: Channel[] };

/** Answers whether anything was changed. What has been deleted or become critical meanwhile is left alone. */
export async function save(ctx: Ctx, subscriber: SubscriberRow, edits: Edit[]): Promise<boolean> {
  const ids = edits.flatMap(({ workflowId }) => workflowId ?? []);
  const found = await findPreferenceWorkflows(ctx.db, subscriber.environment_id, ids);
  const workflows = new Map(found.filter(mayChoose).map((workflow) => [workflow.id, workflow]));
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
  await takeBack(ctx, subscriber, all);
  await choose(ctx, subscriber, [], all);
  return true;
}

const takeBack = (ctx: Ctx, subscriber: SubscriberRow, choices: Choice[]): Promise<boolean> =>
  deleteScopedPreferences(
    ctx.db,
    subscriber.environment_id,
    subscriber.id,
    choices.map(({ workflow, channels: chosen }) => ({
      workflow_id: workflow?.id ?? null,
      names: Object.keys(chosen) as Channel[],
    })),
    ctx.now(),
  );
