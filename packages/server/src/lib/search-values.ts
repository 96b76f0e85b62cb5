// The values by which events are found: those of the payload at the search keys of their workflow. Pure.
import { type JsonObject, valueAt } from "./json.ts";

/** Longer texts are not identifiers of anything. */
const maxValueLength = 128;

/** Letters of any case and spaces around it make no difference; undefined where it cannot be a search value. */
export function toSearchValue(value: unknown): string | undefined {
  if (typeof value !== "string" && !(typeof value === "number" && Number.isFinite(value))) return undefined;
  const text = String(value).trim().toLowerCase();
  const isUsable = text !== "" && text.length <= maxValueLength && text.isWellFormed() && !text.includes("\0");
  return isUsable ? text : undefined;
}

/** Each value once. */
export const searchValuesOf = (keys: readonly string[], payload: JsonObject): string[] => [
  ...new Set(keys.flatMap((key) => toSearchValue(valueAt(payload, key)) ?? [])),
];

/** What is shown of an event: the value at the first key. */
export function firstSearchKey(keys: readonly string[] | undefined, payload: JsonObject): SearchKeyValue | undefined {
  const key = keys?.[0];
  const value = key === undefined ? undefined : valueAt(payload, key);
  if (key === undefined || toSearchValue(value) === undefined) return undefined;
  return { key, value: String(value).trim() };
}

type SearchKeyValue = { key: string; value: string };
