// Fields of a payload that a workflow marks as personal: `"x-personal": true` on a property of its payload schema.
// Pure.
import { isObject, type JsonObject } from "../json.ts";

const mark = "x-personal";
const maxDepth = 32;

/** Whether the schema marks any field. */
export const marksPersonalFields = (schema: object): boolean => JSON.stringify(schema).includes(`"${mark}":true`);

/** The payload without the marked fields. */
export function withoutPersonalFields(schema: JsonObject, payload: JsonObject): JsonObject {
  return (strip(schema, schema, payload, 0) ?? {}) as JsonObject;
}

/** `undefined`: the value itself is personal. */
function strip(root: JsonObject, schema: unknown, value: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > maxDepth) return value;
  if (schema[mark] === true) return undefined;
  let left = value;
  if (typeof schema.$ref === "string") left = strip(root, resolve(root, schema.$ref), left, depth + 1);
  for (const part of ["allOf", "anyOf", "oneOf"].flatMap((name) => schema[name] ?? [])) {
    left = strip(root, part, left, depth + 1);
  }
  if (Array.isArray(left)) {
    return left.flatMap((item) => {
      const kept = strip(root, schema.items, item, depth + 1);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isObject(left)) return left;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const kept = Object.entries(left).map(([name, member]) => [
    name,
    strip(root, Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, member, depth + 1),
  ]);
  return Object.fromEntries(kept.filter(([, member]) => member !== undefined));
}

/** A reference inside the same document, such as `#/$defs/person`. */
function resolve(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  const path = reference
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), root);
}
