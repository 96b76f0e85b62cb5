// The parts of a JSON Logic rule: its operator with its arguments, the variables it reads, and the comparisons that
// decided its result. Pure; accepts any value, and never throws.

/** An object with one member is an operation; a single argument may appear without a list around it. */
export function operationOf(part: unknown): { operator: string; args: readonly unknown[] } | undefined {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return undefined;
  const [entry, ...others] = Object.entries(part);
  if (!entry || others.length > 0) return undefined;
  return { operator: entry[0], args: Array.isArray(entry[1]) ? entry[1] : [entry[1]] };
}

/** The constant path of `{ "var": path }`; undefined for a path with a default value, or a computed one. */
export function variableOf(part: unknown): string | undefined {
  const operation = operationOf(part);
  if (operation?.operator !== "var" || operation.args.length !== 1) return undefined;
  const [path] = operation.args;
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** Deeper parts are not read: a saved rule has at most 32 levels. */
const maxDepth = 40;
const iterations = new Set(["map", "filter", "all", "some", "none", "reduce"]);

/**
 * Paths of the scope that a rule reads with `var`, `missing` and `missing_some`, without computed names. Inside an
 * iteration a name is relative to the current item, so only the list that is iterated over is included.
 */
export function* variablePaths(rule: unknown, depth = 0): Generator<string> {
  if (typeof rule !== "object" || rule === null || depth > maxDepth) return;
  if (Array.isArray(rule)) {
    for (const part of rule) yield* variablePaths(part, depth + 1);
    return;
  }
  for (const [operator, given] of Object.entries(rule)) {
    const args: unknown[] = Array.isArray(given) ? given : [given];
    if (operator === "var") yield* constantNames(args.slice(0, 1));
    else if (operator === "missing") yield* constantNames(args.flat());
    else if (operator === "missing_some") yield* constantNames([args[1]].flat());
    const read = iterations.has(operator) ? [args[0], operator === "reduce" ? args[2] : undefined] : args;
    yield* variablePaths(read, depth + 1);
  }
}

const constantNames = (names: unknown[]): string[] =>
  names.filter((name): name is string => typeof name === "string" && name !== "");

/** Whether a part of the rule is true; undefined where that is not known. */
export type TruthOf = (part: unknown) => boolean | undefined;

/**
 * The comparisons that decided: of an `and` that is false its first false part, of an `or` that is true its first true
 * part, else all parts. null where the truth of a part is not known.
 */
export function decidingParts(rule: unknown, truthOf: TruthOf, depth = 0): unknown[] | null {
  const operation = operationOf(rule);
  if (!operation || depth > maxDepth) return [rule];
  const { operator, args } = operation;
  if ((operator === "!" || operator === "!!") && args.length > 0 && isRule(args[0]))
    return decidingParts(args[0], truthOf, depth + 1);
  if ((operator !== "and" && operator !== "or") || args.length === 0) return [rule];
  const deciding: unknown[] = [];
  for (const part of args) {
    const truth = truthOf(part);
    const parts = truth === undefined ? null : decidingParts(part, truthOf, depth + 1);
    if (!parts) return null;
    if (truth === (operator === "or")) return parts;
    deciding.push(...parts);
  }
  return deciding;
}

/** An operation other than `var`: a variable alone is the last thing that can be said about it. */
const isRule = (part: unknown): boolean => {
  const operation = operationOf(part);
  return operation !== undefined && operation.operator !== "var";
};
