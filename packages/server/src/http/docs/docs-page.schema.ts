// Schemas as a person reads them: the type in words, the constraints in words, and fields as a list whose nested objects
// fold open in place.
import type { JsonSchema, OpenApiDocument } from "@tidings/contract";
import { type Html, html, prose } from "./docs-page.markup.ts";

/** Follows a reference within the document; anything else is given back as it is. */
export const resolve = <T extends object>(document: OpenApiDocument, value: T | { $ref: string }): T => {
  const { $ref: reference } = value as { $ref?: unknown };
  if (typeof reference !== "string") return value as T;
  const parts = reference.slice("#/".length).split("/");
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
};

const choicesOf = (schema: JsonSchema): JsonSchema[] | undefined =>
  [schema.anyOf, schema.oneOf].find((choices): choices is JsonSchema[] => Array.isArray(choices));

/** `string or null`, `list of Step`, `object`. Named types that have no fields of their own read as what they are. */
export const typeInWords = (document: OpenApiDocument, source: JsonSchema): string => {
  const schema = resolve(document, source);
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => typeInWords(document, choice)).join(" or ");
  const words = [schema.type].flat().map((type) => {
    if (type === "array") return `list of ${grouped(typeInWords(document, (schema.items ?? {}) as JsonSchema))}`;
    if (type === "object") return typeof schema.title === "string" ? schema.title : mapInWords(document, schema);
    return type === undefined ? "any value" : String(type);
  });
  return words.join(" or ");
};

const grouped = (words: string): string => (words.includes(" or ") ? `(${words})` : words);

const mapInWords = (document: OpenApiDocument, schema: JsonSchema): string => {
  const member = schema.additionalProperties;
  const isMap = typeof member === "object" && member !== null;
  return isMap ? `map of ${grouped(typeInWords(document, member as JsonSchema))}` : "object";
};

const limits: [keyword: string, words: (value: string) => string][] = [
  ["minimum", (value) => `at least ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
];

/** `minLength: 1` is better said as "not empty", and one list of allowed words better shown than described. */
export const constraintsInWords = (document: OpenApiDocument, source: JsonSchema): Html => {
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
};

const allowedValues = (values: unknown[]): Html => {
  const list = values.map((value, index) => html`${index > 0 && ", "}<code>${String(value)}</code>`);
  // The closed set of providers has some eighty words: folded, it does not bury the fields around it.
  return values.length > 12
    ? html`<details class="limit"><summary>one of ${values.length} values</summary>${list}</details>`
    : html`<span class="limit">one of ${list}</span>`;
};

/** The object whose fields a reader would want to see: the schema itself, its items, its members, or one of its choices. */
const objectWithin = (document: OpenApiDocument, source: JsonSchema): JsonSchema | undefined => {
  const schema = resolve(document, source);
  if (schema.properties) return schema;
  const inner = [schema.items, schema.additionalProperties, ...(choicesOf(schema) ?? [])];
  for (const candidate of inner) {
    if (typeof candidate !== "object" || candidate === null) continue;
    const found = objectWithin(document, candidate as JsonSchema);
    if (found) return found;
  }
  return undefined;
};

/** In a request a reader looks for what has to be there; in an answer, for what may be missing. */
type Direction = "request" | "answer";

const presence = (direction: Direction, required: boolean): Html | false => {
  if (direction === "request") return required && html`<span class="required">required</span>`;
  return !required && html`<span class="optional">optional</span>`;
};

type FieldListInput = {
  document: OpenApiDocument;
  schema: JsonSchema;
  direction: Direction;
  /** The objects already on the way here, against endless nesting. */
  within?: readonly JsonSchema[];
};

/** The fields of an object, nested ones folded. */
export const fieldList = ({ document, schema: source, direction, within = [] }: FieldListInput): Html => {
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
};

const foldedFields = (input: FieldListInput, name: string): Html => {
  const { title } = input.schema;
  const label = typeof title === "string" ? title : name;
  return html`<details><summary>Fields of ${label}</summary>${fieldList(input)}</details>`;
};
