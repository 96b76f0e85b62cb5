// TypeScript types from JSON Schemas of payloads. What a schema says beyond types (lengths, patterns) is left out; what
// cannot be said in a type is `unknown`.
import { isJsonObject, type JsonObject, type WorkflowFile } from "@tidings/contract";

export function writeTypes(workflows: readonly WorkflowFile[]): string {
  const members = workflows.map(
    ({ workflowId, name, payloadSchema }) =>
      `${comment(name, "  ")}  ${JSON.stringify(workflowId)}: ${payloadSchema ? typeOf(payloadSchema, payloadSchema, "  ") : "Record<string, unknown>"};`,
  );
  return [
    "// Written by `tidings types` from the payload schemas of the workflows. Changes here are lost.",
    "",
    "/** The payload of an event, by the workflow that it triggers. */",
    members.length === 0
      ? "export type Payloads = Record<never, never>;"
      : `export type Payloads = {\n${members.join("\n")}\n};`,
    "",
    "export type WorkflowId = keyof Payloads;",
    "",
  ].join("\n");
}

const comment = (text: unknown, indent: string): string =>
  typeof text === "string" && text !== ""
    ? `${indent}/** ${text.replaceAll("*/", "* /").replace(/\s+/g, " ")} */\n`
    : "";

const deepest = 20;

function typeOf(schema: unknown, root: JsonObject, indent: string, depth = 0): string {
  if (schema === false) return "never";
  if (!isJsonObject(schema) || depth > deepest) return "unknown";
  const inner = (part: unknown) => typeOf(part, root, indent, depth + 1);
  if (typeof schema.$ref === "string") return inner(resolve(schema.$ref, root));
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return union(choices.map(inner));
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => `(${inner(part)})`).join(" & ") || "unknown";
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? "object" : undefined)];
  return union(types.map((type) => plainType(type, schema, root, indent, depth)));
}

function plainType(type: unknown, schema: JsonObject, root: JsonObject, indent: string, depth: number): string {
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "number" || type === "integer") return "number";
  if (type === "array") return `${grouped(typeOf(schema.items ?? true, root, indent, depth + 1))}[]`;
  return type === "object" ? objectType(schema, root, indent, depth) : "unknown";
}

function objectType(schema: JsonObject, root: JsonObject, indent: string, depth: number): string {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const below = `${indent}  `;
  const members = Object.entries(properties).map(([name, part]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const about = isJsonObject(part) ? comment(part.description, below) : "";
    return `${about}${below}${key}${required.has(name) ? "" : "?"}: ${typeOf(part, root, below, depth + 1)};`;
  });
  if (schema.additionalProperties !== false) {
    // An index signature has to fit the named members too.
    const others =
      members.length === 0 && isJsonObject(schema.additionalProperties)
        ? typeOf(schema.additionalProperties, root, below, depth + 1)
        : "unknown";
    if (members.length === 0) return `Record<string, ${others}>`;
    members.push(`${below}[name: string]: unknown;`);
  }
  return members.length === 0 ? "Record<never, never>" : `{\n${members.join("\n")}\n${indent}}`;
}

const literal = (value: unknown): string => JSON.stringify(value);
const union = (types: string[]): string => [...new Set(types)].join(" | ") || "never";
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
