// What `$ref` means in a schema: a path (`#/definitions/a`), an anchor (`#a`), or the `$id` of a part of the schema. Nothing
// is loaded from elsewhere.
import { isObject } from "../json.ts";
import { charge } from "../work.ts";

type JsonObject = Record<string, unknown>;

/** Identifiers need not be addresses, and are compared only with each other. */
const nowhere = "schema://here/";

const resolve = (id: string, base: string): string => (URL.canParse(id, base) ? new URL(id, base).href : id);

const withoutFragment = (address: string): string => address.split("#")[0]!;

/** Every part of the schema that can be referred to by name, under its whole address. */
function namesIn(root: JsonObject): Map<string, unknown> {
  const names = new Map<string, unknown>();
  const walk = (part: unknown, base: string, depth: number) => {
    charge(10);
    if (typeof part !== "object" || part === null || depth > 200) return;
    const { $id, $anchor, $dynamicAnchor } = part as JsonObject;
    const own = typeof $id === "string" ? resolve($id, base) : base;
    if (typeof $id === "string") names.set(own.replace(/#$/, ""), part);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") names.set(`${withoutFragment(own)}#${anchor}`, part);
    }
    for (const member of Object.values(part)) walk(member, withoutFragment(own), depth + 1);
  };
  walk(root, nowhere, 0);
  return names;
}

function partAt(root: unknown, pointer: string): unknown {
  let part = root;
  for (const step of pointer.split("/").slice(1)) {
    charge(10);
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as JsonObject)[key];
  }
  return part;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part that is referred to from the root or a part of it; undefined when there is none. */
export function findReferred(root: JsonObject, from: JsonObject, ref: string): unknown {
  charge(ref.length);
  if (ref === "#") return root;
  if (ref.startsWith("#/")) return partAt(root, ref.slice(1));
  const names = namesIn(root);
  const base = typeof root.$id === "string" ? resolve(root.$id, nowhere) : nowhere;
  const address = resolve(ref, typeof from.$id === "string" ? resolve(from.$id, base) : base);
  const [place = "", fragment = ""] = address.split("#");
  if (names.has(address)) return names.get(address);
  const document = place === withoutFragment(base) ? root : names.get(place);
  return fragment === "" || fragment.startsWith("/") ? partAt(document, fragment) : undefined;
}

/** References that lead nowhere, as far as the walk goes. */
export function* brokenReferences(root: JsonObject): Generator<string> {
  const open: unknown[] = [root];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if (isObject(part)) {
      const { $ref } = part;
      if (typeof $ref === "string" && findReferred(root, part, $ref) === undefined) yield $ref;
    }
    open.push(...Object.values(part).filter((member) => typeof member === "object"));
  }
}
