// Conditions of Novu, rewritten with the operators of Tidings so that they decide the same. Novu writes JSON Logic as
// well, but gives some operators another meaning: `==` and `!=` compare numbers, truth values and their texts, and take
// a missing value for 0; operators on texts are false for anything but texts, also the negated ones; `between` is false
// for anything but numbers. Each rule below is exact, missing values included, except where a note says otherwise.
import { isJsonObject } from "@tidings/contract";

/** `notes`: what the rule does not decide exactly as it did. */
export type TranslatedRule = { rule: unknown; notes: string[] };

/** Operators on dates relative to the current time. Tidings has none. */
const relativeDates = new Set(["moreThanXAgo", "lessThanXAgo", "withinLast", "notWithinLast", "exactlyXAgo"]);

/** A rule that cannot be expressed here. */
export class UnknownOperatorError extends Error {}

export function translateRule(rule: unknown): TranslatedRule {
  const notes = new Set<string>();
  return { rule: translate(rule, notes), notes: [...notes] };
}

type Notes = Set<string>;
type Translator = (args: unknown[], notes: Notes) => unknown;

function translate(part: unknown, notes: Notes): unknown {
  if (Array.isArray(part)) return part.map((item) => translate(item, notes));
  if (!isJsonObject(part)) return part;
  const [operator, ...others] = Object.keys(part);
  if (operator === undefined || others.length > 0) return part;
  if (relativeDates.has(operator)) throw new UnknownOperatorError(`the condition uses ${operator}`);
  if (operator === "var") {
    noteMissing(part.var, notes);
    return part;
  }
  const args = [part[operator]].flat().map((item) => translate(item, notes));
  return translators.get(operator)?.(args, notes) ?? { [operator]: Array.isArray(part[operator]) ? args : args[0] };
}

const and = (...parts: unknown[]) => ({ and: parts });
const or = (...parts: unknown[]) => ({ or: parts });
const not = (part: unknown) => ({ "!": [part] });
const never = { "!!": [false] };

/** `cat` turns every value into a text, so only a text stays the same. */
const isText = (value: unknown) => ({ "===": [{ cat: [value] }, value] });
const isNumber = (value: unknown) => ({ "===": [{ "+": [value] }, value] });
const isMissing = (value: unknown) => ({ null: [value] });
/**
 * `reduce` returns its start for anything but a list, and for an empty one, which is the only other value that writes
 * nothing.
 */
const isList = (value: unknown) =>
  or(
    { reduce: [value, true, false] },
    and(not(isText(value)), { notNull: [value] }, { "===": [{ cat: [value, "|"] }, "|"] }),
  );

const ofTexts =
  (operator: string, isNegated = false): Translator =>
  ([value, part]) => {
    const guards = typeof part === "string" ? [isText(value)] : [isText(value), isText(part)];
    return and(...guards, isNegated ? not({ [operator]: [value, part] }) : { [operator]: [value, part] });
  };

const within =
  (isNegated: boolean): Translator =>
  ([value, range]) => {
    if (!Array.isArray(range) || range.length !== 2 || range.some((end) => typeof end !== "number")) return never;
    const inside = { "<=": [range[0], value, range[1]] };
    return and(isNumber(value), isNegated ? not(inside) : inside);
  };

const shareItems = (value: unknown, list: unknown) => ({ some: [value, { in: [{ var: "" }, list] }] });

const translators = new Map<string, Translator>([
  ["=", equal],
  ["==", equal],
  ["!=", (args, notes) => not(equal(args, notes))],
  ...["<", ">", "<=", ">="].map((operator): [string, Translator] => [
    operator,
    (args, notes) => order(operator, args, notes),
  ]),
  ["startsWith", ofTexts("beginsWith")],
  ["endsWith", ofTexts("endsWith")],
  ["contains", ofTexts("contains")],
  ["doesNotBeginWith", ofTexts("beginsWith", true)],
  ["doesNotEndWith", ofTexts("endsWith", true)],
  ["doesNotContain", ofTexts("contains", true)],
  ["between", within(false)],
  ["notBetween", within(true)],
  [
    "notIn",
    ([value, list]) => (Array.isArray(list) ? { notIn: [value, list] } : and(isList(list), { notIn: [value, list] })),
  ],
  ["containsAny", ([value, list]) => and(isList(value), isListOrKnown(list), shareItems(value, list))],
  ["doesNotContainAny", ([value, list]) => and(isList(value), isListOrKnown(list), not(shareItems(value, list)))],
]);

const isListOrKnown = (list: unknown): unknown => (Array.isArray(list) ? true : isList(list));

const isConstant = (value: unknown): boolean =>
  value === null ||
  ["boolean", "number"].includes(typeof value) ||
  (typeof value === "string" && !value.includes("{{"));

function equal([first, second]: unknown[], notes: Notes): unknown {
  if (isConstant(second)) return equalTo(first, second, notes);
  if (isConstant(first)) return equalTo(second, first, notes);
  notes.add(
    "two values are compared as JSON Logic does; Novu compares numbers, dates and truth values by their meaning",
  );
  return { "==": [first, second] };
}

function equalTo(value: unknown, constant: unknown, notes: Notes): unknown {
  if (typeof constant === "boolean") {
    const same = [{ "==": [value, constant] }, { "===": [value, String(constant)] }];
    return or(...same, ...(constant ? [] : [isMissing(value)]));
  }
  if (constant === "true" || constant === "false")
    return or({ "===": [value, constant === "true"] }, { "===": [value, constant] });
  const number = Number(constant);
  if (Number.isNaN(number)) {
    noteDate(constant, notes);
    return { "===": [value, constant] };
  }
  return number === 0 ? or({ "==": [value, 0] }, isMissing(value)) : { "==": [value, number] };
}

function order(operator: string, args: unknown[], notes: Notes): unknown {
  for (const constant of args.filter((one) => typeof one === "string" && Number.isNaN(Number(one))))
    noteDate(constant, notes);
  return { [operator]: args };
}

function noteDate(constant: unknown, notes: Notes): void {
  if (typeof constant === "string" && /\d/.test(constant) && !Number.isNaN(Date.parse(constant)))
    notes.add(`${constant} is compared as a text, not as a date: send dates in the same ISO 8601 format`);
}

const knownMembers: Readonly<Record<string, ReadonlySet<string>>> = {
  subscriber: new Set(
    "subscriberId firstName lastName email phone avatar locale timezone data isOnline lastOnlineAt".split(" "),
  ),
  workflow: new Set("workflowId name description tags severity".split(" ")),
};

/** A rule may read a member that Novu has and Tidings does not: it is missing here. */
function noteMissing(path: unknown, notes: Notes): void {
  const [root = "", member] = String([path].flat()[0] ?? "").split(".");
  const known = Object.hasOwn(knownMembers, root) ? knownMembers[root] : undefined;
  if (member !== undefined && known && !known.has(member)) notes.add(`${root}.${member} is always missing here`);
}
