// The topics that the rule of an audience names. Pure.
import { operationOf } from "@tidings/contract";
import { membershipOf } from "./rule-check.ts";

/** Each once. The rule has been checked, which bounds its depth. */
export const topicsNamedIn = (rule: unknown): string[] => [...new Set(find(rule))];

function* find(part: unknown): Generator<string> {
  if (typeof part !== "object" || part === null) return;
  const operation = operationOf(part);
  const member = operation ? membershipOf(operation.operator, operation.args) : null;
  if (member?.root === "topics") yield member.key;
  for (const inner of Object.values(part)) yield* find(inner);
}
