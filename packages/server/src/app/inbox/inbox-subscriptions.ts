// Topic subscriptions of the subscriber whose token a request has. Those of other subscribers, and for a session with
// contexts those with other contexts, do not exist for it.
import type { Input, Output, SubscriptionPreference } from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { definedMembers } from "../../lib/json.ts";
import { type AlternateSuccess, nothingThere } from "../../response.ts";
import {
  deleteSubscriptions,
  findOwnSubscription,
  findSubscription,
  listSubscriptions,
  type StoredRule,
  type SubscriptionRow,
  updateSubscription,
} from "../../store/topics/topic-subscriptions.ts";
import { findTopic } from "../../store/topics/topics.ts";
import { readCursor } from "../paging.ts";
import { requireWorkflows } from "../subscribers/preferences.ts";
import { loadRulesView, readRules, type ShowRules } from "../topics/subscription-rules.ts";
import * as entries from "../topics/topic-subscription-entries.ts";
import { contextOf } from "./session-context.ts";

type Details = Output<"inbox.createSubscription">["data"];

const toDetails = (row: SubscriptionRow, showRules: ShowRules): Details => ({
  id: row.id,
  identifier: row.identifier,
  name: row.name ?? undefined,
  preferences: showRules(row),
  contextKeys: row.context_keys,
});

const showOne = async (ctx: Ctx, caller: InboxCaller, row: SubscriptionRow): Promise<Details> =>
  toDetails(row, await loadRulesView(ctx, caller, [row]));

const isOwn = ({ subscriber, contextKeys }: InboxCaller, row: SubscriptionRow): boolean =>
  row.subscriber_id === subscriber.id && (!contextKeys || contextKeys.join() === row.context_keys.join());

type Path = Input<"inbox.retrieveSubscription">["params"];

async function findOwn(ctx: Ctx, caller: InboxCaller, { topicKey, identifier }: Path) {
  const topic = await findTopic(ctx.db, caller.environmentId, topicKey);
  const row = topic && (await findSubscription(ctx.db, caller.environmentId, topic.id, identifier));
  return row && isOwn(caller, row) ? row : undefined;
}

async function requireOwn(ctx: Ctx, caller: InboxCaller, params: Path): Promise<SubscriptionRow> {
  const row = await findOwn(ctx, caller, params);
  if (!row) throw failure("SUBSCRIPTION_NOT_FOUND", params);
  return row;
}

export async function list(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.listSubscriptions">,
): Promise<Output<"inbox.listSubscriptions">> {
  const topic = await findTopic(ctx.db, caller.environmentId, params.topicKey);
  if (!topic) return { data: [] };
  const filters = { topicId: topic.id, subscriberId: caller.subscriber.id, contextKeys: caller.contextKeys };
  const page = await listSubscriptions(ctx.db, caller.environmentId, {
    filters,
    orderBy: "createdAt",
    request: readCursor({ limit: 100 }),
  });
  const showRules = await loadRulesView(ctx, caller, page.rows);
  return { data: page.rows.map((row) => toDetails(row, showRules)) };
}

export async function create(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.createSubscription">,
): Promise<Output<"inbox.createSubscription">> {
  const { topicKey } = params;
  const { identifier, name, preferences } = body;
  // A subscriber names the topic that it creates, and renames none that exists.
  const isKnown = (await findTopic(ctx.db, caller.environmentId, topicKey)) !== undefined;
  const entry = { subscriberId: caller.subscriber.subscriber_id, identifier, name };
  const { data, errors } = await entries.create(ctx, caller, {
    params,
    query: {},
    body: {
      subscriptions: [entry],
      name: isKnown ? undefined : body.topic?.name,
      context: contextOf(caller),
      preferences,
    },
  });
  const [made] = data;
  if (!made) throw invalid({ identifier: { messages: errors!.map(({ message }) => message), value: identifier } });
  return { data: await showOne(ctx, caller, await requireOwn(ctx, caller, { topicKey, identifier: made._id })) };
}

export async function retrieve(
  ctx: Ctx,
  caller: InboxCaller,
  { params, query }: Input<"inbox.retrieveSubscription">,
): Promise<Output<"inbox.retrieveSubscription"> | AlternateSuccess<never>> {
  const row = await findOwn(ctx, caller, params);
  if (!row) return nothingThere;
  const details = await showOne(ctx, caller, row);
  const { workflowIds = [], tags = [] } = query;
  const isWanted = ({ workflow }: SubscriptionPreference): boolean =>
    workflow !== undefined &&
    (workflowIds.some((id) => id === workflow.id || id === workflow.identifier) ||
      tags.some((tag) => workflow.tags?.includes(tag)));
  const isFiltered = workflowIds.length + tags.length > 0;
  return { data: isFiltered ? { ...details, preferences: details.preferences?.filter(isWanted) } : details };
}

export async function update(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.updateSubscription">,
): Promise<Output<"inbox.updateSubscription">> {
  const row = await requireOwn(ctx, caller, params);
  const changes = { name: body.name, rules: body.preferences && readRules(body.preferences) };
  return { data: await showOne(ctx, caller, await save(ctx, caller, row, changes)) };
}

async function save(
  ctx: Ctx,
  caller: InboxCaller,
  row: SubscriptionRow,
  changes: { name?: string; rules?: StoredRule[] },
) {
  const next = await updateSubscription(ctx.db, caller.environmentId, {
    id: row.id,
    changes,
    now: ctx.now(),
  });
  return next ?? row;
}

export async function remove(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.deleteSubscription">,
): Promise<Output<"inbox.deleteSubscription">> {
  const { topic_id, identifier } = await requireOwn(ctx, caller, params);
  const target = { subscriber_id: caller.subscriber.id, identifier };
  await deleteSubscriptions(ctx.db, caller.environmentId, topic_id, [target]);
}

export async function updatePreference(
  ctx: Ctx,
  caller: InboxCaller,
  { params, body }: Input<"inbox.updateSubscriptionPreference">,
): Promise<Output<"inbox.updateSubscriptionPreference">> {
  const { identifier, workflowId } = params;
  const [shown] = await updatePreferences(ctx, caller, identifier, [{ workflowId, ...body }]);
  return { data: shown! };
}

type Choice = { workflowId: string } & Input<"inbox.updateSubscriptionPreference">["body"];

/** The preferences of one subscription for these workflows, in their order. */
export async function updatePreferences(
  ctx: Ctx,
  caller: InboxCaller,
  identifier: string,
  choices: Choice[],
): Promise<SubscriptionPreference[]> {
  const row = await findOwnSubscription(ctx.db, caller.environmentId, caller.subscriber.id, identifier);
  if (!row || !isOwn(caller, row)) throw failure("SUBSCRIPTION_NOT_FOUND", { identifier, topicKey: "any" });
  const names = choices.map(({ workflowId }) => workflowId);
  const workflows = await requireWorkflows(ctx, caller, names, "Workflow");
  let { rules } = row;
  for (const [index, { enabled, condition }] of choices.entries()) {
    rules = withRule(rules, workflows[index]!, { enabled, condition });
  }
  const { preferences } = await showOne(ctx, caller, await save(ctx, caller, row, { rules }));
  return workflows.map(({ id }, index) => {
    const shown = preferences?.find((preference) => preference.workflow?.id === id);
    if (!shown) throw failure("WORKFLOW_NOT_FOUND", { workflowId: names[index]! });
    return shown;
  });
}

/** The first rule that matches decides: one for the workflow alone is kept in its place, a new one comes first. */
function withRule(
  rules: StoredRule[],
  { id, workflow_id }: { id: string; workflow_id: string },
  choice: Omit<Choice, "workflowId">,
): StoredRule[] {
  const isFor = (rule: StoredRule): boolean =>
    "workflowId" in rule && (rule.workflowId === id || rule.workflowId === workflow_id);
  const [change] = readRules([{ workflowId: workflow_id, ...definedMembers(choice) }]);
  return rules.some(isFor) ? rules.map((rule) => (isFor(rule) ? { ...rule, ...change! } : rule)) : [change!, ...rules];
}
