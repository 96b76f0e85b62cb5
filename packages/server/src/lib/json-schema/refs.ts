// Resolution of `$ref` in a schema: a path (`#/definitions/a`), an anchor (`#a`), or the `$id` of a part of the schema.
// References never load other documents.
import { isObject, type JsonObject } from "../json.ts";
import { charge } from "../work.ts";

/** The base of relative identifiers, which are only compared with each other. */
const baseUri = "schema://here/";

const resolve = (id: string, base: string): string => (URL.canParse(id, base) ? new URL(id, base).href : id);

const withoutFragment = (address: string): string => address.split("#")[0]!;

/** Every part of the schema that has a name, by its absolute address. */
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
  walk(root, baseUri, 0);
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

/** The part of the schema that a reference in `from` points to; undefined when there is none. */
export function resolveRef(root: JsonObject, from: JsonObject, ref: string): unknown {
  charge(ref.length);
  if (ref === "#") return root;
  if (ref.startsWith("#/")) return partAt(root, ref.slice(1));
  const names = namesIn(root);
  const base = typeof root.$id === "string" ? resolve(root.$id, baseUri) : baseUri;
  const address = resolve(ref, typeof from.$id === "string" ? resolve(from.$id, base) : base);
  const [place = "", fragment = ""] = address.split("#");
  if (names.has(address)) return names.get(address);
  const document = place === withoutFragment(base) ? root : names.get(place);
  return fragment === "" || fragment.startsWith("/") ? partAt(document, fragment) : undefined;
}

/** References without a target. */
export function* brokenReferences(root: JsonObject): Generator<string> {
  const open: unknown[] = [root];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if (isObject(part)) {
      const { $ref } = part;
      if (typeof $ref === "string" && resolveRef(root, part, $ref) === undefined) yield $ref;
    }
    open.push(...Object.values(part).filter((member) => typeof member === "object"));
  }
}
