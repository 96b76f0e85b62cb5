// Converts a subscription's rules between the API and a form. A rule with a filter that the form cannot show is kept
// unchanged. Pure.
import type { SubscriptionRulesIn } from "@tidings/contract";

export type Rule = Exclude<SubscriptionRulesIn[number], string>;

/** What a rule is about: all workflows, one of them, or those with a tag. `other`: more than the form can show. */
export type Target = { kind: "all" | "other" } | { kind: "workflow" | "tag"; name: string };

export type Effect = "on" | "off" | "default" | "condition";

export function targetOf({ workflowId, filter }: Rule): Target {
  if (workflowId !== undefined) return { kind: "workflow", name: workflowId };
  const { workflowIds = [], tags = [] } = filter ?? {};
  const [workflow, tag] = [workflowIds[0], tags[0]];
  if (workflow === undefined && tag === undefined) return { kind: "all" };
  if (workflowIds.length === 1 && tags.length === 0) return { kind: "workflow", name: workflow! };
  return tags.length === 1 && workflowIds.length === 0 ? { kind: "tag", name: tag! } : { kind: "other" };
}

export function withTarget({ enabled, condition }: Rule, target: Target): Rule {
  const terms = { ...(enabled !== undefined && { enabled }), ...(condition && { condition }) };
  if (target.kind === "workflow") return { workflowId: target.name, ...terms };
  return { filter: target.kind === "tag" ? { tags: [target.name] } : {}, ...terms };
}

export function effectOf({ enabled, condition }: Rule): Effect {
  if (condition && Object.keys(condition).length > 0) return "condition";
  return enabled === undefined ? "default" : enabled ? "on" : "off";
}

export function withEffect({ enabled: _enabled, condition, ...rule }: Rule, effect: Effect): Rule {
  if (effect === "condition") return { ...rule, condition: condition ?? { "==": [{ var: "payload." }, ""] } };
  return effect === "default" ? rule : { ...rule, enabled: effect === "on" };
}

export const newRule = (): Rule => ({ filter: {}, enabled: false });

export const keyOf = (target: Target): string => ("name" in target ? `${target.kind} ${target.name}` : target.kind);

export function targetFrom(key: string): Target {
  const [kind, ...name] = key.split(" ");
  return kind === "workflow" || kind === "tag" ? { kind, name: name.join(" ") } : { kind: "all" };
}
