// The `skip` rule of a step: JSON Logic whose texts may be templates. A truthy answer skips the step; no rule, or an
// empty one, lets it run. What the rule looked at is kept with the answer, so that a person can see why.
import { isTruthy } from "../../lib/condition-operators.ts";
import { evaluate } from "../../lib/conditions.ts";
import { isObject } from "../../lib/json.ts";
import { RenderFault, renderDeep } from "../render/liquid.ts";
import { keptRule, pathsRead, valuesAt } from "./condition-values.ts";

type Scope = Record<string, unknown>;

/** `rule` as it was evaluated, unless it is too long to keep. */
/** `values`: what it read; when it lets the step run, only results of earlier steps, which change with time. */
export type SkipVerdict = { isSkipped: boolean; rule: unknown; values: Scope } | { fault: string; rule: unknown };

/** `scope` is a function, because a rule that says nothing need not look. */
export function evaluateSkip(skip: unknown, scope: () => Scope): SkipVerdict {
  if (!isObject(skip) || Object.keys(skip).length === 0) return { isSkipped: false, rule: {}, values: {} };
  const data = scope();
  try {
    const rule = renderDeep(skip, data);
    const isSkipped = isTruthy(evaluate(rule, data));
    const paths = [...pathsRead(rule)].filter((path) => isSkipped || path.startsWith("steps."));
    return { isSkipped, rule: keptRule(rule), values: valuesAt(paths, data) };
  } catch (error) {
    return { fault: wordsOf(error), rule: keptRule(skip) };
  }
}

/** Every fault of a rule is the caller's: the interpreter throws plain errors and sometimes bare values. */
function wordsOf(error: unknown): string {
  if (error instanceof RenderFault) return [error.message, error.position].filter(Boolean).join(", ");
  const words = error instanceof Error ? error.message : "";
  return (words || "the rule cannot be evaluated").slice(0, 200).toWellFormed();
}
