// TypeScript types from JSON Schemas. What a schema says beyond types (lengths, patterns) is left out; what cannot be
// said in a type is `unknown`.
import { isJsonObject, type JsonObject } from "@tidings/contract";

export type TypeOptions = {
  /** The document that references such as `#/definitions/address` lead into. */
  root: JsonObject;
  /** The name to write for a reference. Without it, the schema that the reference leads to is written out. */
  nameOf?: (ref: string) => string;
  /** An object has the members that its schema names, and others only where the schema allows them expressly. */
  isClosed?: boolean;
};

type Place = { indent: string; depth: number };

const deepest = 20;
const inside = ({ indent, depth }: Place): Place => ({ indent, depth: depth + 1 });

export function typeText(schema: unknown, options: TypeOptions, place: Place = { indent: "", depth: 0 }): string {
  if (schema === false) return "never";
  if (!isJsonObject(schema) || place.depth > deepest) return "unknown";
  const inner = (part: unknown) => typeText(part, options, inside(place));
  if (typeof schema.$ref === "string")
    return options.nameOf?.(schema.$ref) ?? inner(resolve(schema.$ref, options.root));
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  const either = Array.isArray(choices) ? union(choices.map(inner)) : "unknown";
  const others = [either, ...(Array.isArray(schema.allOf) ? schema.allOf.map(inner) : [])].filter(isKnown);
  const own = schema.properties || others.length === 0 ? [ownType(schema, options, place)] : [];
  const parts = [...own, ...others];
  return parts.length > 1 ? parts.map((part) => `(${part})`).join(" & ") : parts[0]!;
}

/** The comment above a member or type; empty without a text. */
export const commentText = (text: unknown, indent: string): string =>
  typeof text === "string" && text !== ""
    ? `${indent}/** ${text.replaceAll("*/", "* /").replace(/\s+/g, " ")} */\n`
    : "";

/** The name of a member, in quotes where it needs them. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function ownType(schema: JsonObject, options: TypeOptions, place: Place): string {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? "object" : undefined)];
  return union(types.map((type) => plainType(type, schema, options, place)));
}

function plainType(type: unknown, schema: JsonObject, options: TypeOptions, place: Place): string {
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "number" || type === "integer") return "number";
  if (type === "array") return `${grouped(typeText(schema.items ?? true, options, inside(place)))}[]`;
  return type === "object" ? objectType(schema, options, place) : "unknown";
}

function objectType(schema: JsonObject, options: TypeOptions, { indent, depth }: Place): string {
  const { properties, additionalProperties: others } = schema;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const below = { indent: `${indent}  `, depth: depth + 1 };
  const members = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, part]) => {
    const comment = isJsonObject(part) ? commentText(part.description, below.indent) : "";
    const type = typeText(part, options, below);
    return `${comment}${below.indent}${memberName(name)}${required.has(name) ? "" : "?"}: ${type};`;
  });
  if (members.length === 0)
    return others === false
      ? "Record<never, never>"
      : `Record<string, ${isJsonObject(others) ? typeText(others, options, below) : "unknown"}>`;
  // An index signature has to fit the named members too.
  if (others ?? !options.isClosed) members.push(`${below.indent}[name: string]: unknown;`);
  return `{\n${members.join("\n")}\n${indent}}`;
}

const literal = (value: unknown): string => JSON.stringify(value);
const isKnown = (type: string): boolean => type !== "unknown";
const union = (types: string[]): string =>
  types.every(isKnown) ? [...new Set(types)].join(" | ") || "never" : "unknown";
const grouped = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type);

/** Only of the same document: `#/definitions/address`. */
function resolve(ref: string, root: JsonObject): unknown {
  if (!ref.startsWith("#")) return true;
  let value: unknown = root;
  for (const part of ref.slice(1).split("/").filter(Boolean)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : true;
  }
  return value;
}
