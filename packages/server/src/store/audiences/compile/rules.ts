// Rules of audiences as conditions over `subscribers s`. The meaning is that of lib/conditions.ts: functions of the
// database compare jsonb as JavaScript does (migrations/0063_audience_functions.sql). Rules have been checked
// (lib/audiences/rule-check.ts). No condition is ever SQL's null, so that `not` is the opposite.
import { audienceRuleLimits, operationOf } from "@tidings/contract";
import { sql } from "kysely";
import { readField } from "../../../lib/audiences/fields.ts";
import { membershipOf } from "../../../lib/audiences/rule-check.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { isFixedMember } from "../audience-members.ts";
import { compareKnown } from "./comparisons.ts";
import { constant, type FieldContext, fieldValue, isInTopic, itemValue, type Sql, type Value } from "./fields.ts";

/**
 * `audiences`: those that the rule reads, with what they read in turn. Unknown ones have no people. `level`: how many
 * audiences lead to this one; a cycle cannot be saved, and ends here if it was all the same.
 */
export type RuleContext = FieldContext & { audiences: ReadonlyMap<string, CompiledAudience>; level?: number };
type CompiledAudience = { id: string; rule: JsonObject | null };

/** `item`: the current one of an iteration, which paths are relative to. */
type Scope = RuleContext & { item: Sql | null; depth: number };

const no = sql<boolean>`false`;

/** Whether `s` is in the audience. */
export function audienceCondition(audience: CompiledAudience, context: RuleContext): Sql<boolean> {
  if (audience.rule === null) return isFixedMember(context.environmentId, [audience.id]);
  const level = (context.level ?? 0) + 1;
  return level > audienceRuleLimits.depth + 1 ? no : ruleCondition(audience.rule, { ...context, level });
}

export const ruleCondition = (rule: unknown, context: RuleContext): Sql<boolean> =>
  truthOf(rule, { ...context, item: null, depth: 0 });

/** Whether the part is true. */
function truthOf(part: unknown, scope: Scope): Sql<boolean> {
  const operation = operationOf(part);
  if (operation) {
    const { operator, args } = operation;
    const test = Object.hasOwn(tests, operator) ? tests[operator] : undefined;
    if (test) return test(args, scope, operator);
    if (operator === "and" || operator === "or") return group(args, operator, scope);
    if (operator === "if" || operator === "?:") return choose(args, (arg) => truthOf(arg, scope), no, scope);
  }
  return isTrue(compileValue(part, scope));
}

function isTrue(value: Value): Sql<boolean> {
  if (value.constant) {
    const { value: given } = value.constant;
    return sql.lit(Array.isArray(given) ? given.length > 0 : Boolean(given));
  }
  if (value.boolean) return value.boolean;
  if (value.text) return sql<boolean>`(${value.text.sql} is not null and ${value.text.sql} <> '')`;
  return sql<boolean>`audience_truth(${value.json})`;
}

const group = (args: readonly unknown[], operator: "and" | "or", scope: Scope): Sql<boolean> =>
  sql<boolean>`(${sql.join(
    args.map((arg) => truthOf(arg, scope)),
    operator === "and" ? sql` and ` : sql` or `,
  )})`;

/** `[condition, value, condition, value, …, otherwise]`. */
function choose<T>(args: readonly unknown[], write: (part: unknown) => Sql<T>, none: Sql<T>, scope: Scope): Sql<T> {
  const otherwise = args.length % 2 === 1 ? write(args.at(-1)) : none;
  if (args.length < 2) return otherwise;
  const branches: Sql[] = [];
  for (let index = 0; index + 1 < args.length; index += 2)
    branches.push(sql`when ${truthOf(args[index], scope)} then ${write(args[index + 1])}`);
  return sql<T>`(case ${sql.join(branches, sql` `)} else ${otherwise} end)`;
}

function compileValue(part: unknown, scope: Scope): Value {
  if (Array.isArray(part)) return listValue(part, scope);
  const operation = operationOf(part);
  if (!operation) return constant(part);
  const { operator, args } = operation;
  if (operator === "var") return variable(args, scope);
  if (operator === "missing") return { json: missingNames(Array.isArray(args[0]) ? args[0] : args, scope) };
  if (operator === "missing_some") return { json: missingSome(args, scope) };
  if (operator === "if" || operator === "?:")
    return { json: choose(args, (arg) => compileValue(arg, scope).json, sql`'null'::jsonb`, scope) };
  if (operator === "and" || operator === "or") {
    const values = args.map((arg) => compileValue(arg, scope).json);
    return { json: sql`audience_first(${sql.lit(operator === "or")}, variadic array[${sql.join(values)}]::jsonb[])` };
  }
  const boolean = truthOf(part, scope);
  return { json: sql`to_jsonb(${boolean})`, boolean };
}

function listValue(part: unknown[], scope: Scope): Value {
  const values = part.map((item) => compileValue(item, scope));
  if (values.every((value) => value.constant)) return constant(part);
  return { json: sql`to_jsonb(array[${sql.join(values.map(({ json }) => json))}]::jsonb[])` };
}

function variable([path, otherwise]: readonly unknown[], scope: Scope): Value {
  const value = pathValue(path as string, scope);
  if (otherwise === undefined || !value.optional) return value;
  return { json: sql`coalesce(${value.optional}, ${compileValue(otherwise, scope).json})` };
}

function pathValue(path: string, scope: Scope): Value {
  if (scope.item) return itemValue(scope.item, path);
  const field = readField(path);
  if ("fault" in field || field.kind === "audiences") throw new Error(`a rule that was not checked reads ${path}`);
  return fieldValue(field, scope);
}

const isMissing = (name: unknown, scope: Scope): Sql<boolean> => {
  const value = pathValue(name as string, scope);
  if (value.text) return sql<boolean>`coalesce(${value.text.sql} = '', true)`;
  return sql<boolean>`${value.json} in ('null', '""')`;
};

const missingNames = (names: readonly unknown[], scope: Scope): Sql =>
  names.length === 0
    ? sql`'[]'::jsonb`
    : sql`to_jsonb(array_remove(array[${sql.join(
        names.map((name) => sql`case when ${isMissing(name, scope)} then ${name}::text end`),
      )}], null))`;

function missingSome([needed, names]: readonly unknown[], scope: Scope): Sql {
  const list = names as unknown[];
  const allowed = list.length - (needed as number);
  return sql`(select case when jsonb_array_length(absent) <= ${allowed}::float8 then '[]'::jsonb else absent end
    from (select ${missingNames(list, scope)} as absent) as found)`;
}

type Test = (args: readonly unknown[], scope: Scope, operator: string) => Sql<boolean>;

const not = (condition: Sql<boolean>): Sql<boolean> => sql<boolean>`(not ${condition})`;
const opposite =
  (test: Test, operator: string): Test =>
  (args, scope) =>
    not(test(args, scope, operator));

/** A comparison of two values: as cheap as what is known of them allows, else with a function. */
const compare =
  (write: (a: Sql, b: Sql) => Sql<boolean>): Test =>
  ([a, b], scope, operator) => {
    const [left, right] = [compileValue(a, scope), compileValue(b, scope)];
    return compareKnown(operator, left, right, scope) ?? write(left.json, right.json);
  };

const equals = compare((a, b) => sql<boolean>`audience_equals(${a}, ${b})`);
const same = compare((a, b) => sql<boolean>`audience_same(${a}, ${b})`);
const before = (orEqual: boolean) => compare((a, b) => sql<boolean>`audience_before(${a}, ${b}, ${sql.lit(orEqual)})`);
const after = (orEqual: boolean) => compare((a, b) => sql<boolean>`audience_before(${b}, ${a}, ${sql.lit(orEqual)})`);

/** With three arguments, the second is between the others. */
const inOrder =
  (test: Test): Test =>
  ([a, b, c], scope, operator) => {
    const first = test([a, b], scope, operator);
    return c === undefined ? first : sql<boolean>`(${first} and ${test([b, c], scope, operator)})`;
  };

/** Topics and audiences are asked for one of them. */
const member =
  (test: Test): Test =>
  (args, scope, operator) => {
    const asked = scope.item ? null : membershipOf(operator, args);
    if (!asked) return test(args, scope, operator);
    if (asked.root === "topics") return isInTopic(asked.key, scope);
    const audience = scope.audiences.get(asked.key);
    return audience ? audienceCondition(audience, scope) : no;
  };

const isIn = member(compare((part, whole) => sql<boolean>`audience_in(${part}, ${whole})`));
const contains = member(compare((whole, part) => sql<boolean>`audience_contains(${whole}, ${part})`));
const begins = compare((value, start) => sql<boolean>`audience_begins(${value}, ${start})`);
const ends = compare((value, end) => sql<boolean>`audience_ends(${value}, ${end})`);

const isNull: Test = ([part], scope) => {
  const value = compileValue(part, scope);
  return value.text ? sql<boolean>`${value.text.sql} is null` : sql<boolean>`${value.json} = 'null'`;
};

const isBetween: Test = ([value, low, high], scope) => {
  const bounds = [compileValue(low, scope).json, high === undefined ? sql`null` : compileValue(high, scope).json];
  return sql<boolean>`audience_between(${compileValue(value, scope).json}, ${sql.join(bounds)})`;
};

/** A query over the items of a list. `write` gets whether the rule holds for the item. */
function items(
  [list, rule]: readonly unknown[],
  scope: Scope,
  write: (from: Sql, holds: Sql<boolean>) => Sql<boolean>,
) {
  const item = sql.ref(`i${scope.depth}.item`);
  const holds = truthOf(rule, { ...scope, item, depth: scope.depth + 1 });
  const alias = sql.raw(`i${scope.depth}`);
  return write(sql`jsonb_array_elements(audience_items(${compileValue(list, scope).json})) as ${alias}(item)`, holds);
}

const some: Test = (args, scope) =>
  items(args, scope, (from, holds) => sql<boolean>`exists (select 1 from ${from} where ${holds})`);

const tests: Readonly<Record<string, Test>> = {
  "==": equals,
  "!=": opposite(equals, "=="),
  "===": same,
  "!==": opposite(same, "==="),
  "<": inOrder(before(false)),
  "<=": inOrder(before(true)),
  ">": after(false),
  ">=": after(true),
  "!": ([part], scope) => not(truthOf(part, scope)),
  "!!": ([part], scope) => truthOf(part, scope),
  in: isIn,
  // The opposite of `contains` with the list as second argument, in which null is in no text.
  notIn: ([part, whole], scope) => not(contains([whole, part], scope, "contains")),
  contains,
  notContains: opposite(contains, "contains"),
  beginsWith: begins,
  notBeginsWith: opposite(begins, "beginsWith"),
  endsWith: ends,
  notEndsWith: opposite(ends, "endsWith"),
  null: isNull,
  notNull: opposite(isNull, "null"),
  between: isBetween,
  notBetween: opposite(isBetween, "between"),
  some,
  none: opposite(some, "some"),
  all: (args, scope) =>
    items(args, scope, (from, holds) => sql<boolean>`coalesce((select bool_and(${holds}) from ${from}), false)`),
};
