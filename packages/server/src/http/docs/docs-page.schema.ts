// Schemas in words: types, constraints, and fields as a list in which nested objects fold open.
import type { JsonSchema, OpenApiDocument } from "@tidings/contract";
import { type Html, html, prose } from "./docs-page.markup.ts";

/** Follows a reference within the document; other values are returned unchanged. */
export function resolve<T extends object>(document: OpenApiDocument, value: T | { $ref: string }): T {
  const { $ref: reference } = value as { $ref?: unknown };
  if (typeof reference !== "string") return value as T;
  const parts = reference.slice("#/".length).split("/");
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
}

const choicesOf = (schema: JsonSchema): JsonSchema[] | undefined =>
  [schema.anyOf, schema.oneOf].find((choices): choices is JsonSchema[] => Array.isArray(choices));

/** `string or null`, `list of Step`, `object`. Named types without fields are shown as their type. */
export function typeInWords(document: OpenApiDocument, source: JsonSchema): string {
  const schema = resolve(document, source);
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => typeInWords(document, choice)).join(" or ");
  const words = [schema.type].flat().map((type) => {
    if (type === "array") return `list of ${grouped(typeInWords(document, (schema.items ?? {}) as JsonSchema))}`;
    if (type === "object") return typeof schema.title === "string" ? schema.title : mapInWords(document, schema);
    return type === undefined ? "any value" : String(type);
  });
  return words.join(" or ");
}

const grouped = (words: string): string => (words.includes(" or ") ? `(${words})` : words);

function mapInWords(document: OpenApiDocument, schema: JsonSchema): string {
  const member = schema.additionalProperties;
  const isMap = typeof member === "object" && member !== null;
  return isMap ? `map of ${grouped(typeInWords(document, member as JsonSchema))}` : "object";
}

const limits: [keyword: string, words: (value: string) => string][] = [
  ["minimum", (value) => `at least ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
];

/** Constraints in words; `minLength: 1` is "not empty", and allowed values are listed. */
export function constraintsInWords(document: OpenApiDocument, source: JsonSchema): Html {
  const schema = resolve(document, source);
  const item = resolve(document, (schema.items ?? {}) as JsonSchema);
  const said = limits.flatMap(([keyword, words]) => {
    const value = schema[keyword];
    if (typeof value !== "number") return [];
    return value === 1 && keyword.startsWith("min") && keyword !== "minimum"
      ? ["not empty"]
      : [words(value.toLocaleString("en-US"))];
  });
  if (typeof schema.format === "string" && schema.format !== "date-time") said.push(`format ${schema.format}`);
  const allowed = [schema.enum, item.enum].find(Array.isArray) as unknown[] | undefined;
  return html`${said.length > 0 && html`<span class="limit">${said.join(", ")}</span>`}${
    schema.default !== undefined &&
    html`<span class="limit">default <code>${JSON.stringify(schema.default)}</code></span>`
  }${typeof schema.pattern === "string" && html`<span class="limit">matches <code>${schema.pattern}</code></span>`}${
    allowed && allowedValues(allowed)
  }`;
}

function allowedValues(values: unknown[]): Html {
  const list = values.map((value, index) => html`${index > 0 && ", "}<code>${String(value)}</code>`);
  // Folded, because the enumeration of providers has some eighty values.
  return values.length > 12
    ? html`<details class="limit"><summary>one of ${values.length} values</summary>${list}</details>`
    : html`<span class="limit">one of ${list}</span>`;
}

/** The object whose fields are listed: the schema itself, its items, its members, or one of its choices. */
function objectWithin(document: OpenApiDocument, source: JsonSchema): JsonSchema | undefined {
  const schema = resolve(document, source);
  if (schema.properties) return schema;
  const inner = [schema.items, schema.additionalProperties, ...(choicesOf(schema) ?? [])];
  for (const candidate of inner) {
    if (typeof candidate !== "object" || candidate === null) continue;
    const found = objectWithin(document, candidate as JsonSchema);
    if (found) return found;
  }
  return undefined;
}

/** Requests mark required fields; returns mark optional ones. */
type Direction = "request" | "answer";

function presence(direction: Direction, required: boolean): Html | false {
  if (direction === "request") return required && html`<span class="required">required</span>`;
  return !required && html`<span class="optional">optional</span>`;
}

type FieldListInput = {
  document: OpenApiDocument;
  schema: JsonSchema;
  direction: Direction;
  /** The objects around this one, to stop at recursive types. */
  within?: readonly JsonSchema[];
};

/** The fields of an object, nested ones folded. */
export function fieldList({ document, schema: source, direction, within = [] }: FieldListInput): Html {
  const schema = objectWithin(document, source);
  if (!schema) return html`<p class="plain">${typeInWords(document, source)}</p>`;
  const required = (schema.required ?? []) as string[];
  const path = [...within, schema];
  const item = ([name, field]: [string, JsonSchema]): Html => {
    const nested = objectWithin(document, field);
    const { description } = resolve(document, field);
    return html`<li><div class="field"><code class="name">${name}</code><span class="type">${typeInWords(document, field)}</span>${presence(direction, required.includes(name))}</div>
${typeof description === "string" && html`<p>${prose(description)}</p>`}<p class="limits">${constraintsInWords(document, field)}</p>${
      nested && !path.includes(nested) && foldedFields({ document, schema: nested, direction, within: path }, name)
    }</li>`;
  };
  return html`<ul class="fields">${Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(item)}</ul>`;
}

function foldedFields(input: FieldListInput, name: string): Html {
  const { title } = input.schema;
  const label = typeof title === "string" ? title : name;
  return html`<details><summary>Fields of ${label}</summary>${fieldList(input)}</details>`;
}
