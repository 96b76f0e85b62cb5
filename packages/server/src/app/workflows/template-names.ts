// Which names a template uses, held against the JSON Schema of those it may use: a misspelt variable renders as nothing,
// so it has to be told when the workflow is saved.
import { Liquid, type Template } from "liquidjs";
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
  const names = readNames(template);
  cache.set(template, names);
  return names;
}

/**
 * Liquid counts lines from the beginning of the text for the place of every name: this many characters at the most, about
 * 50 ms. What has more is not checked: 500 tags of 20 characters are well below it.
 */
const mostCounted = 5_000_000;

function readNames(template: string): Segments[] {
  const tags = tagsIn(template);
  const text = tags.join("");
  if (tags.length * text.length > mostCounted) return [];
  const { globals } = reader.analyzeSync(parse(text) ?? reader.parse(template));
  const used = Object.values(globals).flatMap((variables) => variables.map((one) => one.toArray() as Segments));
  // Made distinct by their text: Liquid's own list compares every name with all others.
  return [...new Map(used.map((segments) => [JSON.stringify(segments), segments])).values()];
}

/** Null for tags that hold the end of a tag in quotes: those are read with everything around them. */
function parse(text: string): Template[] | null {
  try {
    return reader.parse(text);
  } catch {
    return null;
  }
}

/** The text between tags has no names. */
function tagsIn(template: string): string[] {
  const tags: string[] = [];
  let end = 0;
  for (let start = template.indexOf("{"); start !== -1; start = template.indexOf("{", end)) {
    const close = { "{": "}}", "%": "%}" }[template[start + 1] ?? ""];
    const found = close ? template.indexOf(close, start + 2) : start - 1;
    if (found === -1) break;
    end = found + 2;
    if (close) tags.push(template.slice(start, end));
  }
  return tags;
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
