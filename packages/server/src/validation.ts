// Validation of values against the schemas of the contract. Errors are a map from dotted field path to messages, all at
// once. The time grows only with the size of the value, whatever the number of its errors.
import { emailPattern, secretPlacesOf } from "@tidings/contract";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type FieldFaults, maxFaults } from "./failure.ts";
import { conditionFault } from "./lib/conditions.ts";
import { hideSecrets } from "./lib/hidden-secrets.ts";
import { isObject, isWithinCharacters, jsonBytes } from "./lib/json.ts";
import { boundFaults } from "./validation-bounds.ts";

/** Values of these members are never part of an error. */
const secretMember = /key|secret|password|token|credential|pfx|passphrase|\bauth\b/i;

/** An IANA name. Intl also takes offsets such as `+02:00`, which know no daylight saving time. */
function isTimezone(text: string): boolean {
  try {
    return /^[a-z]/i.test(text) && Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

export const formats = {
  "email-address": (text: string) => emailPattern.test(text),
  locale: (text: string) => /^[a-zA-Z]{2,3}([_-][a-zA-Z0-9]{2,8})*$/.test(text),
  timezone: isTimezone,
  // Control characters and marks of direction, which change how a terminal or a page shows what is around them.
  "plain-text": (text: string) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text),
  "iso-time": (text: string) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
};

const formatFaults: Record<string, string> = {
  "iso-time": "must be a date",
  "plain-text": "must not contain control characters",
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
  boundFaults(ajv);
  ajv.addKeyword({
    keyword: "maxJsonBytes",
    validate: (limit: number, value: unknown) => value === null || jsonBytes(value) <= limit,
  });
  ajv.addKeyword({ keyword: "jsonLogic", validate: (_: boolean, value: unknown) => conditionFault(value) === null });
  return ajv;
}

const bodies = createAjv({ coerce: false });
// Queries are text: numbers and booleans are parsed, and a single value of a list parameter becomes a list.
const queries = createAjv({ coerce: true });

/** Whether a value is valid; if not, `errors` says why. */
export type Check = { (value: unknown): boolean; errors?: ErrorObject[] | null };

/** Compiles on the first check: compiling all of over a hundred operations would slow down the start. */
function compileLazily(compile: () => ValidateFunction): Check {
  let compiled: ValidateFunction | undefined;
  const check: Check = (value) => {
    compiled ??= compile();
    const fits = compiled(value);
    check.errors = compiled.errors;
    return fits;
  };
  return check;
}

export const compileBody = (schema: object): Check => compileLazily(() => bodies.compile(schema));
export const compileQuery = (schema: object): Check => compileLazily(() => queries.compile(schema));

function fieldOf(error: ErrorObject, prefix: string): string {
  const parts = error.instancePath.split("/").slice(1);
  if (error.keyword === "required") parts.push(String(error.params.missingProperty));
  if (error.keyword === "additionalProperties") parts.push(String(error.params.additionalProperty));
  // An error of a member's name is reported for the member.
  if (error.propertyName !== undefined) parts.push(error.propertyName);
  const decoded = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return [prefix, ...decoded].filter((part) => part !== "").join(".") || "general";
}

const typeWords: Record<string, string> = { integer: "number" };

function typeMessage(error: ErrorObject): string {
  if ((error.parentSchema as { isUpload?: boolean } | undefined)?.isUpload) return "must be a file";
  const types = (Array.isArray(error.params.type) ? error.params.type : [error.params.type]) as string[];
  // Numbers in queries are text: `1.5` is a number, but not a whole one.
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
    case "uniqueItems":
      return "must not contain the same element twice";
    case "minimum":
      return `must not be less than ${params.limit}`;
    case "maximum":
      return `must not be greater than ${params.limit}`;
    case "format":
      return formatFaults[params.format as string] ?? "has an invalid format";
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
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
 * A union fails once per branch. Only the errors of the branch with the type of the value are reported; when there is
 * none, the union itself is (`to must be a string, an object or an array`). ajv reports the errors of the branches
 * right before that of their union, so one pass is enough.
 */
function withoutUnionNoise(errors: ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      kept.push(error);
      continue;
    }
    let start = kept.length;
    while (start > 0 && isInside(error, kept[start - 1]!)) start--;
    const branches = kept.splice(start);
    const meant = withoutIncomplete(
      error,
      branches.filter(({ keyword, instancePath }) => keyword !== "type" || instancePath !== error.instancePath),
    );
    if (meant.length > 0) for (const one of meant) kept.push(one);
    else {
      const types = [...new Set(branches.flatMap(({ params }) => params.type as string | string[]))];
      kept.push({ ...error, keyword: "type", params: { type: types } });
    }
  }
  return kept;
}

/** The items of a list share the schema path of a union, so the path in the value has to match as well. */
const isInside = (union: ErrorObject, { schemaPath, instancePath }: ErrorObject): boolean =>
  schemaPath.startsWith(`${union.schemaPath}/`) &&
  (instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`));

/** Drops the branches with missing members when another branch has all that it requires. */
function withoutIncomplete(union: ErrorObject, errors: ErrorObject[]): ErrorObject[] {
  const branchOf = (error: ErrorObject) => error.schemaPath.slice(union.schemaPath.length + 1).split("/")[0];
  const lacking = errors.filter((error) => error.keyword === "required" && error.instancePath === union.instancePath);
  const incomplete = new Set(lacking.map(branchOf));
  const complete = errors.filter((error) => !incomplete.has(branchOf(error)));
  return complete.length > 0 ? complete : errors;
}

/** Keywords that only repeat an error inside them. */
const wrappers = new Set(["propertyNames", "if"]);

export function faultsOf(errors: ErrorObject[], prefix = ""): FieldFaults {
  const faults: FieldFaults = {};
  for (const error of withoutUnionNoise(errors.filter(({ keyword }) => !wrappers.has(keyword)))) {
    const field = fieldOf(error, prefix);
    const text = `${field === "general" ? "Request body" : field} ${messageOf(error)}`;
    // Field names come from callers: `toString` must not find the inherited member.
    if (!Object.hasOwn(faults, field)) faults[field] = { messages: [] };
    const fault = faults[field]!;
    if (!fault.messages.includes(text)) fault.messages.push(text);
    const isAboutValue = error.keyword !== "required" && error.keyword !== "additionalProperties";
    if (isAboutValue && isShowable(field, error.data))
      fault.value = hideSecrets(secretPlacesOf(error.parentSchema), error.data, () => true);
  }
  return faults;
}

/** A rejected value is part of the error unless it is long, secret, or contains a secret. */
function isShowable(field: string, value: unknown): boolean {
  if (value === undefined || secretMember.test(field)) return false;
  return isWithinCharacters(value, 1000) && !holdsSecret(value);
}

const holdsSecret = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(([name, member]) => (isObject(value) && secretMember.test(name)) || holdsSecret(member));

/** Adds the errors of `more` to `into`. */
export function mergeFaults(into: FieldFaults, ...more: FieldFaults[]): void {
  for (const [field, fault] of more.flatMap((faults) => Object.entries(faults))) {
    const before = Object.hasOwn(into, field) ? into[field]! : undefined;
    into[field] = before ? { ...before, messages: [...before.messages, ...fault.messages] } : fault;
  }
}

/** Whole numbers in a query that JavaScript cannot represent exactly. */
export function unreadableNumbers(query: Record<string, unknown>): FieldFaults {
  const faults: FieldFaults = {};
  for (const [field, value] of Object.entries(query)) {
    if (typeof value === "number" && value > Number.MAX_SAFE_INTEGER) {
      faults[field] = { messages: [`${field} must not be greater than ${Number.MAX_SAFE_INTEGER}`], value };
    }
  }
  return faults;
}

/** Texts that PostgreSQL cannot store: with U+0000, or with half a surrogate pair. */
export function unstorableTexts(root: unknown): FieldFaults {
  const faults = new Map<string, { messages: string[] }>();
  const path: string[] = [];
  const isBad = (text: string) => text.includes("\0") || !text.isWellFormed();
  const add = () => {
    const field = path.join(".") || "general";
    faults.set(field, { messages: [`${field} must not contain U+0000 or half a surrogate pair`] });
  };
  const visit = (value: unknown) => {
    if (typeof value === "string") {
      if (isBad(value)) add();
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        // One more than the limit, so that the response mentions more.
        if (faults.size > maxFaults) return;
        if (isBad(name)) add();
        else {
          path.push(name);
          visit(member);
          path.pop();
        }
      }
    }
  };
  visit(root);
  return Object.fromEntries(faults);
}

/**
 * Applies the limits of the settings: a list with `limitedBy` gets the value of that setting as its `maxItems`. A
 * schema without such lists stays the same object, which ajv compiles once for all services in a process.
 */
export function withLimits<S>(schema: S, limits: Record<string, number>): S {
  if (Array.isArray(schema)) {
    const parts = schema.map((part) => withLimits(part, limits));
    return parts.some((part, index) => part !== schema[index]) ? (parts as S) : schema;
  }
  if (!isObject(schema)) return schema;
  const limit = typeof schema.limitedBy === "string" ? limits[schema.limitedBy] : undefined;
  const changed = Object.entries(schema).flatMap(([name, part]) => {
    const limited = withLimits(part, limits);
    return limited === part ? [] : [[name, limited]];
  });
  if (limit === undefined && changed.length === 0) return schema;
  return { ...schema, ...Object.fromEntries(changed), ...(limit === undefined ? {} : { maxItems: limit }) } as S;
}

/** The errors of one value as sentences, for bulk operations that check item by item. */
export function checkShape(schema: object): (value: unknown) => string[] {
  const check = compileBody(schema);
  return (value) =>
    check(value) ? [] : Object.values(faultsOf(check.errors ?? [])).flatMap((fault) => fault.messages);
}
