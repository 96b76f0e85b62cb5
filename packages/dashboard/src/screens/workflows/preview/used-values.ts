// The values that a step uses and a sample payload does not have, with plausible ones. Pure.
import type { Values } from "../editor/model.ts";

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Use = { path: string[]; kind: "text" | "flag" | "list" };

/** Items that a made-up list has. */
const itemCount = 2;
const maxUses = 60;

/** The payload with what is missing, and how much that is; null where nothing is. */
export function completed(values: Values, payload: Values): { payload: Values; missing: string[] } | null {
  const uses = usesIn(values);
  const lists = uses.filter(({ kind }) => kind === "list").map(({ path }) => path.join("."));
  const missing: string[] = [];
  let next: Values = payload;
  // Lists first: the members of an item need one.
  for (const use of uses.toSorted((a, b) => Number(b.kind === "list") - Number(a.kind === "list"))) {
    const changed = withUse(next, use, lists, "");
    if (changed === next) continue;
    next = changed as Values;
    missing.push(use.path.join("."));
  }
  return missing.length === 0 ? null : { payload: next, missing };
}

/** Names in templates, chips, conditions and repeats, as they are written in the values of the step. */
function usesIn(values: Values): Use[] {
  const text = Object.values(values)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("\n");
  const found = new Map<string, Use>();
  const add = (name: string, kind: Use["kind"]) => {
    const path = name.split(".").filter((part) => !["size", "first", "last"].includes(part));
    const key = path.join(".");
    if (path.length > 0 && found.size < maxUses && (!found.has(key) || kind !== "text")) found.set(key, { path, kind });
  };
  const names = (pattern: RegExp, kind: Use["kind"]) => {
    for (const [, name] of text.matchAll(pattern)) if (name) add(name, kind);
  };
  names(/"each":"(?:\{\{\s*)?payload\.([\w.-]+)/g, "list");
  names(/\bin payload\.([\w.-]+)/g, "list");
  names(/"!!":\[?\{"var":"payload\.([\w.-]+)"/g, "flag");
  names(/\{"var":"payload\.([\w.-]+)"\},true\]/g, "flag");
  names(/(?<![\w.-])payload\.([\w-]+(?:\.[\w-]+)*)/g, "text");
  return [...found.values()];
}

function withUse(value: unknown, { path, kind }: Use, lists: readonly string[], before: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? startOf(kind, before) : value;
  const here = before === "" ? name : `${before}.${name}`;
  const inside = (one: unknown): unknown => {
    if (one !== undefined && !isObject(one)) return one;
    const member = one?.[name];
    const start = member === undefined && lists.includes(here) ? Array.from({ length: itemCount }, () => ({})) : member;
    const changed = withUse(start, { path: rest, kind }, lists, here);
    return changed === member && one !== undefined ? one : { ...one, [name]: changed };
  };
  if (!Array.isArray(value)) return inside(value);
  const items = value.map(inside);
  return items.every((item, index) => item === value[index]) ? value : items;
}

function startOf(kind: Use["kind"], name: string): unknown {
  if (kind === "flag") return true;
  if (kind === "list") return [];
  const last = name.split(".").at(-1) ?? "";
  if (/url|link/i.test(last)) return "https://example.com";
  const words = last
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value that a field can show: its place, and what it is. */
export type Leaf = { path: (string | number)[]; value: string | number | boolean };

const maxLeaves = 100;

export function leavesOf(value: unknown, path: (string | number)[] = []): Leaf[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return [{ path, value }];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return entries.flatMap(([name, member]) => leavesOf(member, [...path, name])).slice(0, maxLeaves);
}

export function withLeaf(value: unknown, path: readonly (string | number)[], changed: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return changed;
  if (Array.isArray(value)) return value.with(Number(name), withLeaf(value[Number(name)], rest, changed));
  return {
    ...(isObject(value) ? value : {}),
    [name]: withLeaf(isObject(value) ? value[name] : undefined, rest, changed),
  };
}

/** A number stays one while it is typed. */
export const typedLike = (before: Leaf["value"], text: string): unknown =>
  typeof before === "number" && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
