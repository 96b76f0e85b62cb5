// The variables of a template, checked against the JSON Schema of those it may use: a misspelt variable renders as an
// empty text, so it is reported as an issue when the workflow is saved.
import { audiencesVariable, secretKeyword } from "@tidings/contract";
import { Liquid, type Template } from "liquidjs";
import { LRUCache } from "lru-cache";
import { isObject, type JsonObject } from "../../../lib/json.ts";

type Segments = ReturnType<Liquid["globalVariableSegmentsSync"]>[number];

// Only parses. The engine that renders has parsed the template before, so syntax errors are refused already.
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
 * Limit of tags times characters, about 50 ms: for the position of each name Liquid counts lines from the beginning of
 * the text. Templates beyond it are not checked; 500 tags of 20 characters reach it.
 */
const maxCountedCharacters = 5_000_000;

function readNames(template: string): Segments[] {
  const tags = tagsIn(template);
  const text = tags.join("");
  if (tags.length * text.length > maxCountedCharacters) return [];
  const { globals } = reader.analyzeSync(tryParse(text) ?? reader.parse(template));
  const used = Object.values(globals).flatMap((variables) => variables.map((one) => one.toArray() as Segments));
  // Duplicates are removed by their text: Liquid's own list compares every name with all others.
  return [...new Map(used.map((segments) => [JSON.stringify(segments), segments])).values()];
}

/** Null when a quoted text in a tag contains the end of a tag: the whole template is parsed then. */
function tryParse(text: string): Template[] | null {
  try {
    return reader.parse(text);
  } catch {
    return null;
  }
}

/** Only tags contain names: the text between them is left out. */
function tagsIn(template: string): string[] {
  const tags: string[] = [];
  let end = 0;
  for (let start = template.indexOf("{"); start !== -1; start = template.indexOf("{", end)) {
    const close = { "{": "}}", "%": "%}" }[template[start + 1] ?? ""];
    if (!close) {
      end = start + 1;
      continue;
    }
    const found = template.indexOf(close, start + 2);
    if (found === -1) break;
    end = found + 2;
    tags.push(template.slice(start, end));
  }
  return tags;
}

/**
 * Dotted names of the template that the schema does not allow. Objects with additional properties allow every member.
 * `maySeeSecrets`: the template is a part of an HTTP request.
 */
export const unknownNames = (template: string, schema: JsonObject, { maySeeSecrets = false } = {}): string[] => [
  ...new Set(
    namesIn(template)
      .filter((segments) => segments[0] === audiencesVariable || !isKnown(segments, schema, maySeeSecrets))
      .map((segments) => segments.filter((part) => !Array.isArray(part)).join(".")),
  ),
];

/** Members that Liquid provides for every list and text. */
const builtIn = new Set<unknown>(["size", "first", "last"]);

function isKnown(segments: Segments, root: JsonObject, maySeeSecrets = false): boolean {
  let schema: unknown = root;
  for (const part of segments) {
    // The value of a computed name is known only when the template is rendered.
    if (!isObject(schema) || Array.isArray(part) || builtIn.has(part)) return true;
    const properties = isObject(schema.properties) ? schema.properties : {};
    if (Object.hasOwn(properties, part)) schema = properties[part];
    else if (typeof part === "number") schema = schema.items;
    else if (schema.patternProperties !== undefined || schema.$ref !== undefined) return true;
    else if (schema.additionalProperties === false) return false;
    else schema = schema.additionalProperties;
    if (!maySeeSecrets && isSecret(schema)) return false;
  }
  return true;
}

const isSecret = (schema: unknown): boolean => isObject(schema) && schema[secretKeyword] !== undefined;

/** Why a name that the schema does not allow cannot be used. */
export function unknownText(name: string, schema: JsonObject): string {
  const [root, key = ""] = name.split(".");
  if (root === audiencesVariable) return `${name} can be used in the conditions of steps only`;
  if (root !== "env" || key === "") return `${name} is not a variable that can be used here`;
  const env = (schema.properties as JsonObject).env as JsonObject;
  return isSecret((env.properties as JsonObject | undefined)?.[key])
    ? `${name} is a secret: only the URL, headers and body of an HTTP request can use it`
    : `${name} has no value in this environment: set it in Environments under Variables, or with tidings env set ${key}`;
}

/** Whether the schema allows a dotted path, as conditions and keys use them. */
export const isKnownPath = (path: string, schema: JsonObject): boolean =>
  isKnown(
    path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    schema,
  );

/** Whether the template uses a variable with this root. Throws when the template does not parse. */
export const usesName = (template: string, root: string): boolean =>
  namesIn(template).some((segments) => segments[0] === root);

/**
 * Dotted names of what the template reads below a root, such as `order.shipped` of `t.order.shipped`, without computed
 * names. Throws when the template does not parse.
 */
export function membersOf(template: string, root: string): string[] {
  const names = namesIn(template).flatMap(([first, ...rest]) => {
    if (first !== root) return [];
    const computed = rest.findIndex((part) => Array.isArray(part));
    return computed === -1 ? [rest.join(".")] : [];
  });
  return [...new Set(names)].filter((name) => name !== "");
}
