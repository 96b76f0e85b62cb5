// The rules of a topic subscription: read from a request, and shown as preferences, one entry per workflow they match.
import type { SubscriptionPreference, SubscriptionRulesIn, WorkflowRef } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { firstMatch, type RuleWorkflow, ruleEnabled, ruleMatches } from "../../pipeline/rules/topic-rules.ts";
import type { StoredRule, SubscriptionRow } from "../../store/topics/topic-subscriptions.ts";
import { listWorkflowRefs } from "../../store/workflows/workflow-refs.ts";
import { toWorkflowRef, workflowLevels } from "../workflows/workflow-ref.ts";

/** As stored: only what we know of, and an empty condition is none. */
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

/** Reads the workflows once for all the subscriptions that are about to be shown, and not at all without rules. */
export async function rulesViewer(ctx: Ctx, caller: Caller, rows: SubscriptionRow[]): Promise<ShowRules> {
  if (rows.every((row) => row.rules.length === 0)) return () => undefined;
  const workflows = (await listWorkflowRefs(ctx.db, caller.environmentId)).map((row) => ({
    ref: toWorkflowRef(row),
    forRules: { id: row.id, workflowId: row.workflow_id, tags: row.tags, preferences: workflowLevels(row) },
  }));
  return (row) => (row.rules.length === 0 ? undefined : preferencesOf(row, workflows));
}

function preferencesOf({ id: subscriptionId, rules }: SubscriptionRow, workflows: KnownWorkflow[]) {
  const decided = Map.groupBy(workflows, ({ forRules }) => firstMatch(rules, forRules));
  return rules.flatMap((rule): SubscriptionPreference[] => {
    const { condition } = rule;
    const deciding = decided.get(rule) ?? [];
    if (deciding.length > 0) {
      return deciding.map(({ ref, forRules }) => ({
        subscriptionId,
        workflow: ref,
        enabled: ruleEnabled(rule, forRules),
        condition,
      }));
    }
    // A rule that matches workflows and decides for none stands behind a stronger one and has nothing to show.
    const isShadowed = workflows.some(({ forRules }) => ruleMatches(rule, forRules));
    return isShadowed ? [] : [{ subscriptionId, enabled: rule.enabled ?? true, condition }];
  });
}
