// The type of a variable in a condition, from the JSON Schema of the step's variables or from a sample, and what it
// means for a line: which comparisons make sense, and what its value looks like. Pure.
import type { JsonObject } from "@tidings/contract";
import { operatorWords, valueText } from "@tidings/contract/conditions";
import { type Line, type Operator, takesValue } from "./conditions.ts";

export type ValueType = "text" | "number" | "date" | "list" | "yesNo";

/** What is known about the variables of a condition. */
export type Knowledge = {
  /** JSON Schema of what the condition can read. */
  schema?: JsonObject | null;
  /** Values such as the condition reads them: `{ payload, subscriber }`. */
  sample?: JsonObject | null;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const datePattern = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

export const isDateText = (text: string): boolean => datePattern.test(text);

/** The value at a path of the sample; undefined where there is none. */
function sampleAt(path: string, sample: JsonObject | null | undefined): unknown {
  let value: unknown = sample;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A sample value in few words, to be shown next to its name. */
export function sampleText(path: string, sample: JsonObject | null | undefined): string | undefined {
  const value = sampleAt(path, sample);
  return value === undefined || value === null || isObject(value) ? undefined : valueText(value);
}

function schemaAt(path: string, schema: JsonObject | null | undefined): JsonObject | undefined {
  let place: unknown = schema;
  for (const name of path.split(".")) {
    const properties = isObject(place) ? place.properties : undefined;
    place = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return isObject(place) ? place : undefined;
}

function typeOfSchema({ type, format, enum: values }: JsonObject): ValueType | undefined {
  const kind = [type].flat().find((one) => one !== "null");
  if (kind === "string") return format === "date" || format === "date-time" ? "date" : "text";
  if (kind === "number" || kind === "integer") return "number";
  if (kind === "boolean") return "yesNo";
  if (kind === "array") return "list";
  return Array.isArray(values) && values.every((one) => typeof one === "string") ? "text" : undefined;
}

function typeOfValue(value: unknown): ValueType | undefined {
  if (typeof value === "string") return isDateText(value) ? "date" : "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "yesNo";
  return Array.isArray(value) ? "list" : undefined;
}

/** undefined: not known, so that everything is offered. A schema that says only "text" leaves dates to the sample. */
export function typeAt(path: string, { schema, sample }: Knowledge): ValueType | undefined {
  const place = schemaAt(path, schema);
  const said = place && typeOfSchema(place);
  const seen = typeOfValue(sampleAt(path, sample));
  return said === "text" && seen === "date" ? "date" : (said ?? seen);
}

/** Whether the variable is a list of texts: then what it contains is a text, even if it looks like a number. */
export function isTextList(path: string, { schema }: Knowledge): boolean {
  const items = schemaAt(path, schema)?.items;
  return isObject(items) && items.type === "string";
}

/** The values that the schema allows, where it lists them; else that of the sample. */
export function choicesAt(path: string, { schema, sample }: Knowledge): string[] {
  const place = schemaAt(path, schema);
  const values = place?.enum ?? (isObject(place?.items) ? place.items.enum : undefined) ?? [sampleAt(path, sample)];
  return Array.isArray(values) ? values.filter((one): one is string => typeof one === "string" && one !== "") : [];
}

const existence: Operator[] = ["notNull", "null"];
const order: Operator[] = [">", ">=", "<", "<="];
const fitting: Readonly<Record<ValueType, readonly Operator[]>> = {
  text: ["==", "!=", "contains", "notContains", "beginsWith", "endsWith", "in", ...existence],
  number: ["==", "!=", ...order, "in", ...existence],
  date: [...order, "==", "!=", ...existence],
  list: ["contains", "notContains", "!!", "!", ...existence],
  yesNo: ["!!", "!", ...existence],
};

/** The comparisons for a type, and the one that is chosen already. */
export function operatorsFor(type: ValueType | undefined, chosen: Operator): Operator[] {
  const all = Object.keys(operatorWords) as Operator[];
  if (!type) return all;
  return fitting[type].includes(chosen) ? [...fitting[type]] : [chosen, ...fitting[type]];
}

/** Another variable in the line: a comparison that makes no sense for its type is replaced, unless a value is typed. */
export function withVariable(line: Line, left: string, type: ValueType | undefined): Line {
  const isKept = !type || fitting[type].includes(line.operator) || (line.right !== "" && takesValue(line.operator));
  return { ...line, left, operator: isKept ? line.operator : fitting[type][0]! };
}
