// Whether a topic subscription lets an event of a workflow through. A subscription has rules in order; the first one
// that matches the workflow decides, and without a matching rule the event passes. Pure.
import { evaluate } from "../../lib/conditions.ts";
import { idFromSlug } from "../../lib/ids.ts";
import type { StoredRule } from "../../store/tables.ts";
import { isEnabledAsWhole, type PreferenceLevels } from "./preferences.ts";

/** What rules know of a workflow. */
export type RuleWorkflow = {
  /** Internal id. */
  id: string;
  workflowId: string;
  tags: readonly string[];
  preferences: PreferenceLevels;
};

/** What conditions see. */
export type RuleScope = {
  payload: Record<string, unknown>;
  subscriber: Record<string, unknown> | null;
  workflow: Record<string, unknown>;
};

const names = (name: string, workflow: RuleWorkflow): boolean =>
  name === workflow.id || name === workflow.workflowId || idFromSlug(name, "wf") === workflow.id;

export function ruleMatches(rule: StoredRule, workflow: RuleWorkflow): boolean {
  if ("workflowId" in rule) return names(rule.workflowId, workflow);
  const { workflowIds = [], tags = [] } = rule.filter;
  // A filter that names nothing means every workflow.
  if (workflowIds.length === 0 && tags.length === 0) return true;
  return workflowIds.some((name) => names(name, workflow)) || tags.some((tag) => workflow.tags.includes(tag));
}

export const firstMatch = (rules: readonly StoredRule[], workflow: RuleWorkflow): StoredRule | undefined =>
  rules.find((rule) => ruleMatches(rule, workflow));

export const ruleEnabled = (rule: StoredRule, workflow: RuleWorkflow): boolean =>
  rule.enabled ?? isEnabledAsWhole(workflow.preferences);

/** The decision for one subscription. Critical workflows obey it too: a subscription is a choice of what to join. */
export function passesRules(rules: readonly StoredRule[], workflow: RuleWorkflow, scope: RuleScope): boolean {
  const rule = firstMatch(rules, workflow);
  if (!rule) return true;
  return rule.condition ? isMet(rule.condition, scope) : ruleEnabled(rule, workflow);
}

/** Exactly true: another value counts as false, and so does an error. */
function isMet(condition: Record<string, unknown>, { payload, subscriber, workflow }: RuleScope): boolean {
  try {
    // A name that is none of the three roots is one of the payload's.
    return evaluate(condition, { ...payload, payload, subscriber, workflow }) === true;
  } catch {
    return false;
  }
}
