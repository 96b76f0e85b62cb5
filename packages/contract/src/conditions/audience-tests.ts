// Which audiences a rule tests people for: `{ "in": ["vip", { "var": "audiences" }] }`. Pure; accepts any value, and
// never throws.
import { operationOf, variableOf } from "./rule-parts.ts";

const maxDepth = 40;

export const audiencesVariable = "audiences";

/** The audience that this part of a rule tests for; undefined where it tests for something else. */
export function testedAudience(part: unknown): string | undefined {
  const operation = operationOf(part);
  if (operation?.args.length !== 2) return undefined;
  const { operator, args } = operation;
  const isListFirst = operator === "contains" || operator === "notContains";
  if (!isListFirst && operator !== "in" && operator !== "notIn") return undefined;
  const [list, id] = isListFirst ? args : args.toReversed();
  if (variableOf(list) !== audiencesVariable || typeof id !== "string" || id === "") return undefined;
  // The value of a template is known only when the rule is evaluated.
  return /\{[{%]/.test(id) ? undefined : id;
}

/** `hasOther`: the rule also reads the list of audiences in a way that names none. */
export type AudienceTests = { audienceIds: string[]; hasOther: boolean };

export function audienceTestsIn(rule: unknown): AudienceTests {
  const ids = new Set<string>();
  let hasOther = false;
  const read = (part: unknown, depth: number): void => {
    if (typeof part !== "object" || part === null || depth > maxDepth) return;
    const tested = testedAudience(part);
    if (tested !== undefined) {
      ids.add(tested);
      return;
    }
    const path = variableOf(part);
    if (path === audiencesVariable || path?.startsWith(`${audiencesVariable}.`)) hasOther = true;
    for (const inner of Object.values(part)) read(inner, depth + 1);
  };
  read(rule, 0);
  return { audienceIds: [...ids], hasOther };
}
