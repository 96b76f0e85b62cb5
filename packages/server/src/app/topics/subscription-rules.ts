// The rules of a topic subscription: read from a request, and shown as `preferences`, one entry per matching workflow.
import type { SubscriptionPreference, SubscriptionRulesIn, WorkflowRef } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { firstMatch, type RuleWorkflow, ruleEnabled, ruleMatches } from "../../pipeline/rules/topic-rules.ts";
import type { StoredRule, SubscriptionRow } from "../../store/topics/topic-subscriptions.ts";
import { listWorkflowRefs } from "../../store/workflows/workflow-refs.ts";
import { toWorkflowRef, workflowLevels } from "../workflows/workflow-view.ts";

/** Only members of the schema are stored, and an empty condition is dropped. */
export const readRules = (given: SubscriptionRulesIn | undefined): StoredRule[] =>
  (given ?? []).map((item) => {
    if (typeof item === "string") return { workflowId: item };
    const { enabled, condition, filter, workflowId } = item;
    const terms = {
      ...(enabled !== undefined && { enabled }),
      ...(condition !== undefined && Object.keys(condition).length > 0 && { condition }),
    };
    if (!filter) return { workflowId: workflowId!, ...terms };
    const { workflowIds, tags } = filter;
    return { filter: { ...(workflowIds && { workflowIds }), ...(tags && { tags }) }, ...terms };
  });

type KnownWorkflow = { ref: WorkflowRef; forRules: RuleWorkflow };

/** Shows the rules of a subscription; undefined when it has none. */
export type ShowRules = (row: SubscriptionRow) => SubscriptionPreference[] | undefined;

/** Reads the workflows once for all these subscriptions, or not at all when none of them has rules. */
export async function loadRulesView(ctx: Ctx, caller: Caller, rows: SubscriptionRow[]): Promise<ShowRules> {
  if (rows.every((row) => row.rules.length === 0)) return () => undefined;
  const workflows = (await listWorkflowRefs(ctx.db, caller.environmentId)).map((row) => ({
    ref: toWorkflowRef(row),
    forRules: { id: row.id, workflowId: row.workflow_id, tags: row.tags, preferences: workflowLevels(row) },
  }));
  return (row) => (row.rules.length === 0 ? undefined : preferencesOf(row, workflows));
}

function preferencesOf({ id: subscriptionId, rules }: SubscriptionRow, workflows: KnownWorkflow[]) {
  const byRule = Map.groupBy(workflows, ({ forRules }) => firstMatch(rules, forRules));
  return rules.flatMap((rule): SubscriptionPreference[] => {
    const { condition } = rule;
    const decided = byRule.get(rule) ?? [];
    if (decided.length > 0) {
      return decided.map(({ ref, forRules }) => ({
        subscriptionId,
        workflow: ref,
        enabled: ruleEnabled(rule, forRules),
        condition,
      }));
    }
    // For each workflow the first matching rule decides: a rule that matches but never comes first is not shown.
    const isShadowed = workflows.some(({ forRules }) => ruleMatches(rule, forRules));
    return isShadowed ? [] : [{ subscriptionId, enabled: rule.enabled ?? true, condition }];
  });
}
