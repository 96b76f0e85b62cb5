// Helpers for JSON values.
import type { JsonObject } from "@tidings/contract";

export type { JsonObject };

/** JSON with object keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += text === "" ? canonicalJson(item) : `,${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const record = value as JsonObject;
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that have a value: laid over a stored record, an undefined one would clear what is there. */
export const definedMembers = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

/** The value at a dotted path, or undefined. Own members only: a path never reaches a prototype. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as JsonObject)[part];
  }
  return value;
}

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

/** Whether the JSON of a value has at most `limit` characters. Values that are far longer are not serialised to find out. */
export const isWithinCharacters = (value: unknown, limit: number): boolean =>
  mayFit(value, limit) && (JSON.stringify(value) ?? "").length <= limit;

/** The same in bytes. */
export const isWithinBytes = (value: unknown, limit: number): boolean =>
  mayFit(value, limit) && jsonBytes(value) <= limit;
