// Preferences of the subscriber whose token a request has. A session with contexts reads and changes those of its
// contexts.
import {
  type CategoryPreference,
  channels,
  type InboxPreference,
  type Input,
  type Output,
  type PreferenceChannels,
} from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { definedMembers } from "../../lib/json.ts";
import { zoneOf } from "../../pipeline/rules/zones.ts";
import { viewEntries, viewPreferences } from "../subscribers/preference-view.ts";
import * as preferences from "../subscribers/preferences.ts";
import { updatePreferences } from "./inbox-subscriptions.ts";
import { contextOf } from "./session-context.ts";

export async function list(
  ctx: Ctx,
  caller: InboxCaller,
  { query }: Input<"inbox.listPreferences">,
): Promise<Output<"inbox.listPreferences">> {
  const { criticality = "nonCritical", tags, severity } = query;
  const { global, entries } = await viewEntries(ctx, caller.subscriber, caller.contextKeys ?? [], criticality);
  const isWanted = ({ workflow }: (typeof entries)[number]): boolean =>
    (!tags?.length || tags.some((tag) => workflow.tags?.includes(tag))) &&
    (!severity?.length || severity.includes(workflow.severity));
  return { data: [{ level: "global", ...global, timezone: zoneFor(ctx, caller) }, ...entries.filter(isWanted)] };
}

/** The schedule is in this time zone (pipeline/steps/waiting.ts). */
const zoneFor = (ctx: Ctx, { subscriber }: InboxCaller): string =>
  zoneOf(subscriber.timezone, ctx.config.defaultTimezone).name;

const globalOf = async (ctx: Ctx, caller: InboxCaller): Promise<InboxPreference> => {
  const { global } = await viewPreferences(ctx, caller.subscriber, caller.contextKeys ?? [], "nonCritical");
  return { level: "global", ...global, timezone: zoneFor(ctx, caller) };
};

export async function retrieveGlobal(ctx: Ctx, caller: InboxCaller): Promise<Output<"inbox.retrieveGlobalPreference">> {
  return { data: await globalOf(ctx, caller) };
}

async function categoriesOf(ctx: Ctx, caller: InboxCaller): Promise<CategoryPreference[]> {
  const shown = await viewPreferences(ctx, caller.subscriber, caller.contextKeys ?? [], "nonCritical");
  return shown.categories ?? [];
}

export async function listCategories(ctx: Ctx, caller: InboxCaller): Promise<Output<"inbox.listCategoryPreferences">> {
  return { data: await categoriesOf(ctx, caller) };
}

export async function updateCategory(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.updateCategoryPreference">,
): Promise<Output<"inbox.updateCategoryPreference">> {
  const { categoryId } = params;
  const { categories = [] } = await preferences.update(ctx, caller, {
    params: { subscriberId: caller.subscriber.subscriber_id },
    query: {},
    body: { categoryId, channels: readChannels(body), context: contextOf(caller) },
  });
  const found = categories.find((category) => category.categoryId === categoryId);
  if (!found) throw failure("CATEGORY_NOT_FOUND", { categoryId });
  return { data: found };
}

/** A body may have other members than channels. */
const readChannels = (given: PreferenceChannels): PreferenceChannels =>
  definedMembers(Object.fromEntries(channels.map((channel) => [channel, given[channel]])));

export async function updateGlobal(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.updateGlobalPreference">,
): Promise<Output<"inbox.updateGlobalPreference">> {
  const { schedule, ...given } = body;
  const change = { channels: readChannels(given), schedule, context: contextOf(caller) };
  const params = { subscriberId: caller.subscriber.subscriber_id };
  const { global } = await preferences.update(ctx, caller, { params, query: {}, body: change });
  return { data: { level: "global", ...global, timezone: zoneFor(ctx, caller) } };
}

/**
 * The topic subscription that the items are about, if any. Existing clients change those of one subscription at a time.
 */
function readSubscription(items: Input<"inbox.bulkUpdatePreferences">["body"]["preferences"]): string | undefined {
  const [first] = items;
  const index = items.findIndex(
    ({ subscriptionIdentifier }) => subscriptionIdentifier !== first!.subscriptionIdentifier,
  );
  if (index < 0) return first!.subscriptionIdentifier;
  const field = `preferences.${index}.subscriptionIdentifier`;
  const value = items[index]!.subscriptionIdentifier;
  throw invalid({ [field]: { messages: [`${field} must be the same in all items`], value } });
}

export async function bulkUpdate(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.bulkUpdatePreferences">,
): Promise<Output<"inbox.bulkUpdatePreferences">> {
  const identifier = readSubscription(body.preferences);
  if (identifier !== undefined) return { data: await updatePreferences(ctx, caller, identifier, body.preferences) };
  const items = body.preferences.map(({ workflowId, digestFrequency, ...given }) => ({
    workflowId,
    channels: readChannels(given),
    digestFrequency,
  }));
  return { data: await saveItems(ctx, caller, items, (index) => `preferences.${index}.digestFrequency`) };
}

export async function updateWorkflow(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.updateWorkflowPreference">,
): Promise<Output<"inbox.updateWorkflowPreference">> {
  const item = { ...params, channels: readChannels(body), digestFrequency: body.digestFrequency };
  const [entry] = await saveItems(ctx, caller, [item], () => "digestFrequency");
  return { data: entry! };
}

type Items = Input<"subscribers.bulkUpdatePreferences">["body"]["preferences"];

function saveItems(
  ctx: Ctx,
  caller: InboxCaller,
  items: Items,
  fieldOf: (index: number) => string,
): Promise<InboxPreference[]> {
  const body = { preferences: items, context: contextOf(caller) };
  return preferences.saveItems(ctx, caller, { subscriberId: caller.subscriber.subscriber_id, ...body }, fieldOf);
}
