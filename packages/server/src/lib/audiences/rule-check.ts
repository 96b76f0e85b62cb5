// Checks the rule of an audience when it is saved, and finds what it reads. What SQL cannot repeat exactly is refused,
// with the name of the operator. Pure; accepts any JSON value.
import { audienceRuleLimits, type Channel, operationOf } from "@tidings/contract";
import { conditionFault } from "../conditions.ts";
import { isWithinBytes } from "../json.ts";
import { isIndex, type RuleField, readField } from "./fields.ts";

/** The kinds of facts that a rule reads. `parts`: its size. */
export type RuleNeeds = {
  parts: number;
  topics: boolean;
  /** Topics that are asked for by name. */
  topicKeys: Set<string>;
  activity: boolean;
  /** How often each is read. */
  audiences: Map<string, number>;
  preferences: { workflowId: string | null; channel: Channel }[];
};

/** How many arguments an operator takes. */
const arities: Readonly<Record<string, readonly [number, number]>> = {
  "==": [2, 2],
  "!=": [2, 2],
  "===": [2, 2],
  "!==": [2, 2],
  "<": [2, 3],
  "<=": [2, 3],
  ">": [2, 2],
  ">=": [2, 2],
  "!": [1, 1],
  "!!": [1, 1],
  and: [1, 200],
  or: [1, 200],
  if: [1, 200],
  "?:": [1, 200],
  in: [2, 2],
  notIn: [2, 2],
  contains: [2, 2],
  notContains: [2, 2],
  beginsWith: [2, 2],
  notBeginsWith: [2, 2],
  endsWith: [2, 2],
  notEndsWith: [2, 2],
  null: [1, 1],
  notNull: [1, 1],
  between: [2, 3],
  notBetween: [2, 3],
  some: [2, 2],
  all: [2, 2],
  none: [2, 2],
  missing: [1, 200],
  missing_some: [2, 2],
  var: [1, 2],
};

const allowed = Object.keys(arities).filter((name) => name !== "var");

/** Comparisons by identity: a list or an object equals itself alone. */
const byIdentity = new Set(["==", "!=", "===", "!==", "in", "notIn", "contains", "notContains"]);

const maxItems = 1_000;
const maxBytes = 65_536;
const maxFaults = 5;

/** `item`: inside an iteration, whose paths are relative to its item. */
type Scope = { kind: "root" } | { kind: "item"; id: number };

/** The texts are worded to follow the name of the rule. */
export function checkRule(rule: unknown): { faults: string[]; needs: RuleNeeds } {
  const needs: RuleNeeds = {
    parts: 0,
    topics: false,
    topicKeys: new Set(),
    activity: false,
    audiences: new Map(),
    preferences: [],
  };
  const found: string[] = [];
  const fault = conditionFault(rule);
  if (fault !== null) found.push(fault);
  else if (Object.keys(rule as object).length === 0) found.push("must have an operator");
  else if (!isWithinBytes(rule, maxBytes)) found.push("must not be larger than 64 KB");
  else new Checker(needs, found).visit(rule, { kind: "root" });
  if (needs.parts > audienceRuleLimits.nodes)
    found.unshift(`must not have more than ${audienceRuleLimits.nodes} parts, but has ${needs.parts}`);
  return { faults: [...new Set(found)].slice(0, maxFaults), needs };
}

class Checker {
  readonly #needs: RuleNeeds;
  readonly #faults: string[];
  #items = 0;

  constructor(needs: RuleNeeds, faults: string[]) {
    this.#needs = needs;
    this.#faults = faults;
  }

  /** Returns what the value may be by reference: the paths of lists and objects. */
  visit(part: unknown, scope: Scope): Set<string> {
    this.#needs.parts++;
    if (typeof part === "number" && !Number.isFinite(part)) this.#faults.push("has a number that is too large");
    if (typeof part !== "object" || part === null) return new Set();
    if (Array.isArray(part)) return this.#visitList(part, scope);
    const operation = operationOf(part);
    if (!operation) return new Set();
    const { operator, args } = operation;
    const arity = Object.hasOwn(arities, operator) ? arities[operator] : undefined;
    if (!arity) {
      this.#faults.push(`uses the operator ${operator}, which audiences do not have; use ${allowed.join(", ")}`);
      return new Set();
    }
    const [least, most] = arity;
    if (args.length < least || args.length > most) {
      const count = least === most ? `${least}` : most === 200 ? `at least ${least}` : `${least} to ${most}`;
      this.#faults.push(`gives ${operator} ${args.length} arguments: it needs ${count}`);
      return new Set();
    }
    return this.#visitOperation(operator, args, scope);
  }

  #visitList(part: unknown[], scope: Scope): Set<string> {
    if (part.length > maxItems) this.#faults.push(`has a list of ${part.length} items, the limit is ${maxItems}`);
    // A list of constants is one part.
    if (part.every((item) => typeof item !== "object" || item === null)) {
      if (part.some((item) => typeof item === "number" && !Number.isFinite(item)))
        this.#faults.push("has a number that is too large");
      return new Set();
    }
    return union(part.map((item) => this.visit(item, scope)));
  }

  #visitOperation(operator: string, args: readonly unknown[], scope: Scope): Set<string> {
    if (operator === "var") return this.#visitVariable(args, scope);
    if (operator === "missing" || operator === "missing_some") return this.#visitMissing(operator, args, scope);
    if (operator === "some" || operator === "all" || operator === "none") {
      this.visit(args[0], scope);
      this.visit(args[1], { kind: "item", id: ++this.#items });
      return new Set();
    }
    const member = scope.kind === "root" ? membershipOf(operator, args) : null;
    if (member?.root === "audiences") {
      this.#needs.parts += 2;
      const { audiences } = this.#needs;
      audiences.set(member.key, (audiences.get(member.key) ?? 0) + 1);
      return new Set();
    }
    if (member) this.#needs.topicKeys.add(member.key);
    if ((operator === "in" || operator === "notIn") && scope.kind === "root" && isList(args[0]))
      this.#faults.push(`asks whether a list is in a list: write {"in": ["…", {"var": "${isList(args[0])}"}]}`);
    const sources = args.map((arg) => this.visit(arg, scope));
    if (byIdentity.has(operator)) {
      const shared = [...sources[0]!].find((source) => sources[1]!.has(source));
      if (shared !== undefined) this.#faults.push(`compares ${shared.replace(/^\d+:/, "")} with itself`);
    }
    return operator === "and" || operator === "or" || operator === "if" || operator === "?:"
      ? union(sources)
      : new Set();
  }

  #visitVariable([path, otherwise]: readonly unknown[], scope: Scope): Set<string> {
    const sources = otherwise === undefined ? new Set<string>() : this.visit(otherwise, scope);
    const source = this.#visitPath(path, scope);
    return source === null ? sources : sources.add(source);
  }

  /** Returns the path where it may have a list or an object. */
  #visitPath(path: unknown, scope: Scope): string | null {
    if (typeof path !== "string" || (path === "" && scope.kind === "root")) {
      this.#faults.push('reads a field without a name: write {"var": "subscriber.data.plan"}');
      return null;
    }
    if (scope.kind === "item") {
      if (path.split(".").some(isIndex)) this.#faults.push(`reads ${path}: items are not read by number`);
      return `${scope.id}:${path}`;
    }
    const field = readField(path);
    if ("fault" in field) {
      this.#faults.push(field.fault);
      return null;
    }
    this.#note(field);
    return field.kind === "data" || field.kind === "topics" ? path : null;
  }

  #note(field: RuleField): void {
    const needs = this.#needs;
    if (field.kind === "topics") needs.topics = true;
    else if (field.kind === "activityTime" || field.kind === "activityDays")
      needs.activity ||= field.activity !== "online";
    else if (field.kind === "preference") needs.preferences.push(field);
    else if (field.kind === "audiences")
      this.#faults.push('reads audiences as a list: write {"in": ["audience-id", {"var": "audiences"}]}');
  }

  #visitMissing(operator: string, args: readonly unknown[], scope: Scope): Set<string> {
    const isSome = operator === "missing_some";
    const names: unknown = isSome ? args[1] : Array.isArray(args[0]) ? args[0] : args;
    if (!Array.isArray(names) || names.some((name) => typeof name !== "string")) {
      this.#faults.push(`needs a list of field names in ${operator}`);
      return new Set();
    }
    if (isSome && typeof args[0] !== "number") this.#faults.push("needs a number as first argument of missing_some");
    for (const name of names) {
      this.#needs.parts++;
      this.#visitPath(name, scope);
    }
    return new Set();
  }
}

const union = (sets: Set<string>[]): Set<string> => new Set(sets.flatMap((set) => [...set]));

const variablePath = (part: unknown): unknown => {
  const operation = operationOf(part);
  return operation?.operator === "var" && operation.args.length === 1 ? operation.args[0] : undefined;
};

const isList = (part: unknown): "topics" | "audiences" | null => {
  const path = variablePath(part);
  return path === "topics" || path === "audiences" ? path : null;
};

export type MembershipTest = { root: "topics" | "audiences"; key: string; isNot: boolean };

/** The parts that ask for one topic or audience: `{"in": ["vip", {"var": "audiences"}]}` and the like. */
export function membershipOf(operator: string, args: readonly unknown[]): MembershipTest | null {
  const isIn = operator === "in" || operator === "notIn";
  if (!isIn && operator !== "contains" && operator !== "notContains") return null;
  const [key, list] = isIn ? args : [args[1], args[0]];
  const root = isList(list);
  if (root === null || typeof key !== "string" || args.length !== 2) return null;
  return { root, key, isNot: operator === "notIn" || operator === "notContains" };
}
