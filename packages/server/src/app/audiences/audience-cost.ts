// What a rule costs, from the plan of PostgreSQL. Pure.
import type { AudiencePreview } from "@tidings/contract";
import type { PlanNode } from "../../store/audiences/people.ts";

type Cost = AudiencePreview["cost"];

/** Below this number of subscribers every rule is cheap. */
const fewPeople = 10_000;

export function costOf(plan: PlanNode, everyone: number): Cost {
  const nodes = [...nodesOf(plan)];
  const narrow = nodes.filter(isNarrow);
  const isLookup = (node: PlanNode) => node["Parent Relationship"] === "SubPlan";
  if (everyone <= fewPeople)
    return { level: "low", rows: everyone, reason: "There are few subscribers, so every rule is cheap." };
  if (narrow.length > 0) {
    const rows = Math.round(Math.max(...nodes.map((node) => node["Plan Rows"])));
    return { level: "low", rows, reason: "An index finds the people." };
  }
  const pass = "Every subscriber is read once";
  if (nodes.some(isLookup))
    return {
      level: "high",
      rows: everyone,
      reason: `${pass}, and for each of them topics, audiences, preferences or activity are looked up.`,
    };
  return { level: "medium", rows: everyone, reason: `${pass}: no index finds the people.` };
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const inner of node.Plans ?? []) yield* nodesOf(inner);
}

/** An index of subscribers that finds fewer than all of an environment. */
function isNarrow(node: PlanNode): boolean {
  const condition = node["Index Cond"];
  if (condition === undefined || !node["Index Name"]?.startsWith("subscribers")) return false;
  return condition.replaceAll(/\(?environment_id = '[^']*'::uuid\)?|[()\s]|AND/g, "") !== "";
}
