// Names of a template that the payload schema does not have. Pure.
import { isObject, type Names } from "./names.ts";

export type UnknownName = { name: string; meant?: string };

const maxUnknown = 3;

/** Only for a schema that names members. Parts that a schema leaves open, or describes elsewhere, have any member. */
export function unknownNames(text: string, { schema, variables }: Pick<Names, "schema" | "variables">): UnknownName[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const used = new Set(pathsIn(text));
  return [...used]
    .filter((path) => !isKnown(schema, path.split(".").slice(1)))
    .slice(0, maxUnknown)
    .map((name) => ({ name, meant: nearest(name, variables) }));
}

function* pathsIn(text: string): Generator<string> {
  for (const [, output, tag] of text.matchAll(/\{\{([^{}]*)\}\}|\{%([^{%]*)%\}/g)) {
    const code = (output ?? tag ?? "").replaceAll(/"[^"]*"|'[^']*'/g, '""');
    for (const [path] of code.matchAll(/(?<![\w.-])payload\.[\w-]+(?:\.[\w-]+)*/g)) yield path;
  }
}

function isKnown(schema: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined || !isObject(schema) || !isObject(schema.properties)) return true;
  // Lists and texts have them: `payload.items.size`.
  if (["size", "first", "last"].includes(name) && schema.type !== "object") return true;
  if (Object.hasOwn(schema.properties, name)) return isKnown(schema.properties[name], rest);
  return ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"].some((word) => word in schema);
}

/** A name with at most two letters that differ. */
function nearest(name: string, variables: readonly string[]): string | undefined {
  const ranked = variables
    .filter((one) => one.startsWith("payload.") && Math.abs(one.length - name.length) <= 2)
    .map((one) => ({ one, far: distance(one, name) }))
    .filter(({ far }) => far <= 2)
    .toSorted((a, b) => a.far - b.far);
  return ranked[0]?.one;
}

/** Insertions, deletions and replacements that make one text the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
