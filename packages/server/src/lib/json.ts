// Helpers for JSON values.
import type { JsonObject } from "@tidings/contract";

export type { JsonObject };

/** Whether JSON writes the text unchanged: no quotes, backslashes, control characters or halves of surrogate pairs. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
}

/** Most texts are short and plain: checking them takes a third of the time of the general way. */
const quote = (text: string): string => (text.length < 100 && isPlain(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Sorts in place. Most objects have few members; for these, the general way allocates more than the rest of the
 * fingerprint.
 */
function sortKeys(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at]!;
    let to = at;
    for (; to > 0 && keys[to - 1]! > key; to--) keys[to] = keys[to - 1]!;
    keys[to] = key;
  }
  return keys;
}

/** JSON with object keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += text === "" ? canonicalJson(item) : `,${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const record = value as JsonObject;
  for (const key of sortKeys(Object.keys(record))) {
    const member = record[key];
    if (member !== undefined) text += `${text === "" ? "" : ","}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that have a value: laid over a stored record, an undefined one would clear the stored value. */
export function definedMembers<T extends object>(value: T): T {
  const defined = {} as T;
  for (const name of Object.keys(value) as (keyof T)[]) if (value[name] !== undefined) defined[name] = value[name];
  return defined;
}

/** The value at a dotted path, or undefined. Own members only: a path never reaches a prototype. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as JsonObject)[part];
  }
  return value;
}

/** A path in the notation of Liquid (`items[0].id`, `order["id"]`) as one with dots: `items.0.id`. */
export const toDottedPath = (path: string): string =>
  path.replace(
    /\[(?:(\d{1,9})|"([^"[\].]*)"|'([^'[\].]*)')\]/g,
    (_, index, quoted, single) => `.${index ?? quoted ?? single}`,
  );

export const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1)));

/** Size in bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** False when the JSON of a value is certainly longer than the limit. Stops as soon as that is known. */
function mayFit(value: unknown, limit: number): boolean {
  let room = limit;
  const spend = (part: unknown): boolean => {
    room -= typeof part === "string" ? part.length + 2 : 1;
    if (room < 0 || typeof part !== "object" || part === null) return room >= 0;
    for (const name in part) {
      if (!Array.isArray(part)) room -= name.length + 3;
      if (!spend((part as JsonObject)[name])) return false;
    }
    return true;
  };
  return spend(value);
}

/**
 * Whether the JSON of a value has at most `limit` characters. Values that are far longer are not serialised to find
 * out.
 */
export const isWithinCharacters = (value: unknown, limit: number): boolean =>
  mayFit(value, limit) && (JSON.stringify(value) ?? "").length <= limit;

/** The same in bytes. */
export const isWithinBytes = (value: unknown, limit: number): boolean =>
  mayFit(value, limit) && jsonBytes(value) <= limit;
