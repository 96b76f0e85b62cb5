// Small rules about JSON values.

/** JSON with object keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const record = value as Record<string, unknown>;
  const members = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`);
  return `{${members.join(",")}}`;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a dotted path, or undefined. Own members only: a path never reaches a prototype. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Size in bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** Whether a value takes no more than `limit` characters of JSON; one that takes more is not written out to find out. */
export function jsonWithin(value: unknown, limit: number): boolean {
  let left = limit;
  // Every value costs at least one character, so this ends after `limit` of them.
  const spend = (part: unknown): boolean => {
    left -= typeof part === "string" ? part.length + 2 : 1;
    if (left < 0) return false;
    if (typeof part !== "object" || part === null) return true;
    for (const name in part) {
      if (!Array.isArray(part)) left -= name.length + 3;
      if (!spend((part as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
  return spend(value) && (JSON.stringify(value) ?? "").length <= limit;
}
