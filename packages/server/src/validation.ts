// Checks values against the schemas of the contract and words the faults the way the interface promises: a map from
// dotted field path to messages, all faults at once.
import { emailPattern } from "@tidings/contract";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FieldFaults } from "./failure.ts";
import { conditionFault } from "./lib/conditions.ts";
import { jsonBytes } from "./lib/json.ts";

/** Values of these members never travel back in an error. */
const secretMember = /key|secret|password|token|credential|pfx|passphrase|\bauth\b/i;
const secretNames = new RegExp(`"[^"]*(?:${secretMember.source})[^"]*":`, "i");

const isTimezone = (text: string): boolean => {
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
};

export const formats = {
  "email-address": (text: string) => emailPattern.test(text),
  locale: (text: string) => /^[a-zA-Z]{2,3}([_-][a-zA-Z0-9]{2,8})*$/.test(text),
  timezone: isTimezone,
  "iso-time": (text: string) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
};

function createAjv(options: { coerce: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    verbose: true,
    useDefaults: options.coerce,
    coerceTypes: options.coerce ? "array" : false,
  });
  for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check);
  ajv.addKeyword({
    keyword: "maxJsonBytes",
    validate: (limit: number, value: unknown) => value === null || jsonBytes(value) <= limit,
  });
  ajv.addKeyword({ keyword: "jsonLogic", validate: (_: boolean, value: unknown) => conditionFault(value) === null });
  return ajv;
}

const bodies = createAjv({ coerce: false });
// Queries are text: numbers and booleans are read out of it, and one value of a repeated parameter is a list of one.
const queries = createAjv({ coerce: true });

/** Answers whether a value fits; if not, `errors` says why. */
export type Check = { (value: unknown): boolean; errors?: ErrorObject[] | null };

/** Compiled when it is first asked: a process that starts has over a hundred operations, and needs few of them soon. */
function lazily(compile: () => ValidateFunction): Check {
  let compiled: ValidateFunction | undefined;
  const check: Check = (value) => {
    compiled ??= compile();
    const fits = compiled(value);
    check.errors = compiled.errors;
    return fits;
  };
  return check;
}

export const compileBody = (schema: object): Check => lazily(() => bodies.compile(schema));
export const compileQuery = (schema: object): Check => lazily(() => queries.compile(schema));

const fieldOf = (error: ErrorObject, prefix: string): string => {
  const parts = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") parts.push(String(error.params.missingProperty));
  if (error.keyword === "additionalProperties") parts.push(String(error.params.additionalProperty));
  // A fault of a member's name: the member is the field.
  if (error.propertyName !== undefined) parts.push(error.propertyName);
  const decoded = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return [prefix, ...decoded].filter((part) => part !== "").join(".") || "general";
};

const typeWords: Record<string, string> = { integer: "number" };

function typeMessage(error: ErrorObject): string {
  if ((error.parentSchema as { isUpload?: boolean } | undefined)?.isUpload) return "must be a file";
  const types = (Array.isArray(error.params.type) ? error.params.type : [error.params.type]) as string[];
  // A query has numbers as text: `1.5` is one, only not a whole one.
  const number = typeof error.data === "string" && error.data !== "" ? Number(error.data) : error.data;
  if (types.includes("integer") && Number.isFinite(number) && !Number.isInteger(number))
    return "must be a whole number";
  const words = types.filter((type) => type !== "null").map((type) => typeWords[type] ?? type);
  const named = words.map((word) => (/^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`));
  const last = named.pop();
  return `must be ${named.length > 0 ? `${named.join(", ")} or ${last}` : last}`;
}

function messageOf(error: ErrorObject): string {
  const { params } = error;
  switch (error.keyword) {
    case "required":
      return "is required";
    case "type":
      return typeMessage(error);
    case "enum":
      return `must be one of: ${(params.allowedValues as unknown[]).filter((value) => value !== null).join(", ")}`;
    case "minLength":
    case "minItems":
      return params.limit === 1 ? "must not be empty" : `must not be shorter than ${params.limit}`;
    case "maxLength":
      return `must not be longer than ${params.limit} characters`;
    case "maxItems":
    case "maxProperties":
      return `must contain no more than ${params.limit} elements`;
    case "minimum":
      return `must not be less than ${params.limit}`;
    case "maximum":
      return `must not be greater than ${params.limit}`;
    case "format":
      return params.format === "iso-time" ? "must be a date" : "has an invalid format";
    case "additionalProperties":
      return "is not a known member";
    case "jsonLogic":
      return conditionFault(error.data)!;
    case "maxJsonBytes":
      return `must not be larger than ${error.schema} bytes of JSON`;
    default:
      return "has an invalid format";
  }
}

/**
 * A union fails once per branch. Only the branch meant by the value's own type is worth reporting; when none is, the
 * union itself is (`to must be a string, an object or an array`).
 */
function withoutUnionNoise(errors: ErrorObject[]): ErrorObject[] {
  let kept = errors;
  for (const union of errors.filter((error) => error.keyword === "anyOf")) {
    // The same union stands in the schema once for every item of a list: the place in the value tells them apart.
    const inside = (error: ErrorObject) =>
      error !== union &&
      error.schemaPath.startsWith(`${union.schemaPath}/`) &&
      (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`));
    const branches = kept.filter(inside);
    const meant = withoutIncomplete(
      union,
      branches.filter((error) => error.keyword !== "type" || error.instancePath !== union.instancePath),
    );
    if (meant.length > 0) {
      kept = kept.filter((error) => error !== union && (!inside(error) || meant.includes(error)));
    } else {
      const types = [...new Set(branches.flatMap((error) => error.params.type as string | string[]))];
      kept = kept
        .filter((error) => !inside(error))
        .map((error) => (error === union ? { ...error, keyword: "type", params: { type: types } } : error));
    }
  }
  return kept;
}

/** A branch that lacks members it requires is not meant when another one has all of its own. */
function withoutIncomplete(union: ErrorObject, errors: ErrorObject[]): ErrorObject[] {
  const branchOf = (error: ErrorObject) => error.schemaPath.slice(union.schemaPath.length + 1).split("/")[0];
  const lacking = errors.filter((error) => error.keyword === "required" && error.instancePath === union.instancePath);
  const incomplete = new Set(lacking.map(branchOf));
  const complete = errors.filter((error) => !incomplete.has(branchOf(error)));
  return complete.length > 0 ? complete : errors;
}

/** These only say that something inside them failed, which is reported by itself. */
const wrappers = new Set(["propertyNames", "if"]);

export function faultsOf(errors: ErrorObject[], prefix = ""): FieldFaults {
  const faults: FieldFaults = {};
  for (const error of withoutUnionNoise(errors.filter(({ keyword }) => !wrappers.has(keyword)))) {
    const field = fieldOf(error, prefix);
    const text = `${field === "general" ? "Request body" : field} ${messageOf(error)}`;
    // Fields are named by callers: `toString` must not find what every object inherits.
    if (!Object.hasOwn(faults, field)) faults[field] = { messages: [] };
    const fault = faults[field]!;
    if (!fault.messages.includes(text)) fault.messages.push(text);
    const isAbout = error.keyword !== "required" && error.keyword !== "additionalProperties";
    if (isAbout && isShowable(field, error.data)) fault.value = error.data;
  }
  return faults;
}

/** A rejected value travels back unless it is long, secret, or holds something secret. */
function isShowable(field: string, value: unknown): boolean {
  if (value === undefined || secretMember.test(field)) return false;
  const text = JSON.stringify(value);
  return text.length <= 1000 && !secretNames.test(text);
}

/** Adds the faults of `more` to `into`. */
export function mergeFaults(into: FieldFaults, ...more: FieldFaults[]): void {
  for (const [field, fault] of more.flatMap((faults) => Object.entries(faults))) {
    const before = Object.hasOwn(into, field) ? into[field]! : undefined;
    into[field] = before ? { ...before, messages: [...before.messages, ...fault.messages] } : fault;
  }
}

/** Whole numbers of a query beyond what a number can hold exactly: no list is that long. */
export function unreadableNumbers(query: Record<string, unknown>): FieldFaults {
  const faults: FieldFaults = {};
  for (const [field, value] of Object.entries(query)) {
    if (typeof value === "number" && value > Number.MAX_SAFE_INTEGER) {
      faults[field] = { messages: [`${field} must not be greater than ${Number.MAX_SAFE_INTEGER}`], value };
    }
  }
  return faults;
}

const maxReported = 100;

/** Texts that PostgreSQL does not store: with U+0000, or with half a surrogate pair. */
export function unstorableTexts(root: unknown): FieldFaults {
  const faults: FieldFaults = {};
  const isBad = (text: string) => text.includes("\0") || !text.isWellFormed();
  const add = (path: string[]) => {
    const field = path.join(".") || "general";
    const message = `${field} must not contain U+0000 or half a surrogate pair`;
    if (Object.keys(faults).length < maxReported) faults[field] = { messages: [message] };
  };
  const visit = (value: unknown, path: string[]) => {
    if (typeof value === "string") {
      if (isBad(value)) add(path);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const at = [...path, name];
        if (isBad(name)) add(path.length > 0 ? path : ["general"]);
        else visit(member, at);
      }
    }
  };
  visit(root, []);
  return faults;
}

/** The faults of one value, each as a sentence: for entries that are judged one by one. */
export function checkShape(schema: object): (value: unknown) => string[] {
  const check = compileBody(schema);
  return (value) =>
    check(value) ? [] : Object.values(faultsOf(check.errors ?? [])).flatMap((fault) => fault.messages);
}
