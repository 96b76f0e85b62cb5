// Which names a template uses, held against the JSON Schema of those it may use: a misspelt variable renders as nothing,
// so it has to be told when the workflow is saved.
import { Liquid } from "liquidjs";
import { LRUCache } from "lru-cache";
import { isObject } from "../../lib/json.ts";

type Segments = ReturnType<Liquid["globalVariableSegmentsSync"]>[number];

// Only reads names. Templates come here after the real engine has parsed them, so what it refuses is refused by then.
const reader = new Liquid();

const cache = new LRUCache<string, Segments[]>({ max: 2_000 });

function namesIn(template: string): Segments[] {
  if (!template.includes("{{") && !template.includes("{%")) return [];
  const cached = cache.get(template);
  if (cached) return cached;
  const names = reader.globalVariableSegmentsSync(template);
  cache.set(template, names);
  return names;
}

/** Names of the template, dotted, that the schema closes out. Open objects accept every member. */
export const unknownNames = (template: string, schema: Record<string, unknown>): string[] => [
  ...new Set(
    namesIn(template)
      .filter((segments) => !isKnown(segments, schema))
      .map((segments) => segments.filter((part) => !Array.isArray(part)).join(".")),
  ),
];

/** Members that templates can ask of any list or text. */
const builtIn = new Set<unknown>(["size", "first", "last"]);

function isKnown(segments: Segments, root: Record<string, unknown>): boolean {
  let schema: unknown = root;
  for (const part of segments) {
    // What a computed name stands for is known only when the template runs.
    if (!isObject(schema) || Array.isArray(part) || builtIn.has(part)) return true;
    const properties = isObject(schema.properties) ? schema.properties : {};
    if (Object.hasOwn(properties, part)) schema = properties[part];
    else if (typeof part === "number") schema = schema.items;
    else if (schema.patternProperties !== undefined || schema.$ref !== undefined) return true;
    else if (schema.additionalProperties === false) return false;
    else schema = schema.additionalProperties;
  }
  return true;
}

/** Whether a dotted path, as conditions and keys have it, is one that the schema leaves open. */
export const isKnownPath = (path: string, schema: Record<string, unknown>): boolean =>
  isKnown(
    path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    schema,
  );

/** Whether the template, which has to parse, uses this root. */
export const usesName = (template: string, root: string): boolean =>
  namesIn(template).some((segments) => segments[0] === root);
