// Checks values against the schemas of the contract and words the faults the way the interface promises: a map from
// dotted field path to messages, all faults at once.
import { emailPattern } from "@tidings/contract";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FieldFaults } from "./failure.ts";
import { jsonBytes } from "./lib/json.ts";

/** Values of these members never travel back in an error. */
const secretMember = /key|secret|password|token|credential|pfx|passphrase/i;

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
  return ajv;
}

const bodies = createAjv({ coerce: false });
// Queries are text: numbers and booleans are read out of it, and one value of a repeated parameter is a list of one.
const queries = createAjv({ coerce: true });

export const compileBody = (schema: object): ValidateFunction => bodies.compile(schema);
export const compileQuery = (schema: object): ValidateFunction => queries.compile(schema);

const fieldOf = (error: ErrorObject, prefix: string): string => {
  const parts = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") parts.push(String(error.params.missingProperty));
  if (error.keyword === "additionalProperties") parts.push(String(error.params.additionalProperty));
  const decoded = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return [prefix, ...decoded].filter((part) => part !== "").join(".") || "general";
};

const typeWords: Record<string, string> = { integer: "number" };

function typeMessage(error: ErrorObject): string {
  const types = (Array.isArray(error.params.type) ? error.params.type : [error.params.type]) as string[];
  if (types.includes("integer") && typeof error.data === "number") return "must be a whole number";
  const words = types.filter((type) => type !== "null").map((type) => typeWords[type] ?? type);
  return `must be ${words.map((word) => (/^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`)).join(" or ")}`;
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
      return `must contain no more than ${params.limit} elements`;
    case "minimum":
      return `must not be less than ${params.limit}`;
    case "maximum":
      return `must not be greater than ${params.limit}`;
    case "format":
      return params.format === "iso-time" ? "must be a date" : "has an invalid format";
    case "additionalProperties":
      return "is not a known member";
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
    const inside = (error: ErrorObject) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`);
    const branches = kept.filter(inside);
    const meant = branches.filter((error) => error.keyword !== "type" || error.instancePath !== union.instancePath);
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

export function faultsOf(errors: ErrorObject[], prefix = ""): FieldFaults {
  const faults: FieldFaults = {};
  for (const error of withoutUnionNoise(errors)) {
    const field = fieldOf(error, prefix);
    const text = `${field} ${messageOf(error)}`;
    faults[field] ??= { messages: [] };
    if (!faults[field].messages.includes(text)) faults[field].messages.push(text);
    const value = error.keyword === "required" ? undefined : error.data;
    const isShowable = value !== undefined && !secretMember.test(field) && jsonBytes(value) <= 1000;
    if (isShowable && error.keyword !== "additionalProperties") faults[field].value = value;
  }
  return faults;
}

/** The faults of one value, each as a sentence: for entries that are judged one by one. */
export function checkShape(schema: object): (value: unknown) => string[] {
  const check = compileBody(schema);
  return (value) =>
    check(value) ? [] : Object.values(faultsOf(check.errors ?? [])).flatMap((fault) => fault.messages);
}
