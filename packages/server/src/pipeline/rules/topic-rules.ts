// Whether a topic subscription lets an event of a workflow through. A subscription has rules in order; the first one
// that matches the workflow decides, and without a matching rule the event passes. Pure.
import { evaluate } from "../../lib/conditions.ts";
import { idFromSlug } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { PassedSubscription, StoredRule } from "../../store/tables.ts";
import type { AudienceSubscription } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { isEnabledAsWhole, type PreferenceLevels } from "./preferences.ts";
import { subscriberScope, workflowScope } from "./scope.ts";

/** A workflow as the rules of subscriptions see it. */
export type RuleWorkflow = {
  /** Internal id. */
  id: string;
  workflowId: string;
  tags: readonly string[];
  preferences: PreferenceLevels;
};

/** The data that conditions can read. */
export type RuleScope = {
  payload: JsonObject;
  subscriber: JsonObject | null;
  workflow: JsonObject;
};

const isNameOf = (name: string, workflow: RuleWorkflow): boolean =>
  name === workflow.id || name === workflow.workflowId || idFromSlug(name, "wf") === workflow.id;

export function ruleMatches(rule: StoredRule, workflow: RuleWorkflow): boolean {
  if ("workflowId" in rule) return isNameOf(rule.workflowId, workflow);
  const { workflowIds = [], tags = [] } = rule.filter;
  // A filter that names nothing means every workflow.
  if (workflowIds.length === 0 && tags.length === 0) return true;
  return workflowIds.some((name) => isNameOf(name, workflow)) || tags.some((tag) => workflow.tags.includes(tag));
}

export const firstMatch = (rules: readonly StoredRule[], workflow: RuleWorkflow): StoredRule | undefined =>
  rules.find((rule) => ruleMatches(rule, workflow));

export const ruleEnabled = (rule: StoredRule, workflow: RuleWorkflow): boolean =>
  rule.enabled ?? isEnabledAsWhole(workflow.preferences);

/**
 * The decision for one subscription. It applies to critical workflows too: joining a topic is the subscriber's choice.
 */
export function passesRules(rules: readonly StoredRule[], workflow: RuleWorkflow, scope: RuleScope): boolean {
  const rule = firstMatch(rules, workflow);
  if (!rule) return true;
  return rule.condition ? isMet(rule.condition, scope) : ruleEnabled(rule, workflow);
}

/** True only for the value `true`: any other value counts as false, and so does an error. */
function isMet(condition: JsonObject, { payload, subscriber, workflow }: RuleScope): boolean {
  try {
    // A name outside the three roots is looked up in the payload.
    return evaluate(condition, { ...payload, payload, subscriber, workflow }) === true;
  } catch {
    return false;
  }
}

export function ruleWorkflow({ workflowId: id, definition }: WorkflowVersion): RuleWorkflow {
  const { workflowId, tags, preferences } = definition;
  return { id, workflowId, tags, preferences };
}

/** The subscriptions that let the event through, in the order in which the event names their topics. */
export function passingSubscriptions(
  subscriptions: readonly AudienceSubscription[],
  event: { topicKeys: readonly string[]; version: WorkflowVersion; payload: JsonObject; subscriber: RecipientRow },
): PassedSubscription[] {
  const { topicKeys, version, payload, subscriber } = event;
  const workflow = ruleWorkflow(version);
  // Most subscriptions have no rules, so the scope is built only for those that have some.
  const scope = () => ({
    payload,
    subscriber: subscriberScope(subscriber),
    workflow: workflowScope(version.definition),
  });
  return subscriptions
    .filter(({ rules }) => rules.length === 0 || passesRules(rules, workflow, scope()))
    .map(({ id, identifier, topicId, topicKey }) => ({ id, identifier, topicId, topicKey }))
    .sort((a, b) => topicKeys.indexOf(a.topicKey) - topicKeys.indexOf(b.topicKey));
}
