// Values as text, and the Liquid filters that search text, in time linear in the lengths (lib/text/text-search.ts).
import { toValue } from "liquidjs";
import { indexIn, lastIndexIn, splitText } from "../../lib/text/text-search.ts";
import { charge, chargeSize } from "../../lib/work.ts";

/** A value as the engine writes it. */
export function outputText(given: unknown): string {
  const value = toValue(given);
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (!Array.isArray(value)) return String(value);
  chargeSize(value, 1 / 8, 5);
  return value.map(outputText).join("");
}

export const searchIn = (whole: string, part: unknown): boolean =>
  indexIn(whole, part === null || part === undefined ? String(part) : outputText(part)) !== -1;

/** The text with `length` characters from `index` on replaced; an index of -1 changes nothing. */
const replaceAt = (text: string, index: number, length: number, by: string): string =>
  index === -1 ? text : text.slice(0, index) + by + text.slice(index + length);

function replaceAll(value: unknown, pattern: unknown, replacement: unknown): string {
  const by = outputText(replacement);
  const pieces = splitText(outputText(value), outputText(pattern));
  charge((pieces.length - 1) * (1 + by.length / 8));
  return pieces.join(by);
}

function replaceFirst(value: unknown, pattern: unknown, replacement: unknown): string {
  const [text, part] = [outputText(value), outputText(pattern)];
  return replaceAt(text, indexIn(text, part), part.length, outputText(replacement));
}

function replaceLast(value: unknown, pattern: unknown, replacement: unknown): string {
  const [text, part] = [outputText(value), outputText(pattern)];
  return replaceAt(text, lastIndexIn(text, part), part.length, outputText(replacement));
}

/** Drops empty pieces at the end, as standard Liquid does. */
function split(value: unknown, separator: unknown): string[] {
  const pieces = splitText(outputText(value), outputText(separator));
  return pieces.slice(0, pieces.findLastIndex((piece) => piece !== "") + 1);
}

export const searchingFilters = {
  replace: replaceAll,
  replace_first: replaceFirst,
  replace_last: replaceLast,
  remove: (value: unknown, pattern: unknown) => replaceAll(value, pattern, ""),
  remove_first: (value: unknown, pattern: unknown) => replaceFirst(value, pattern, ""),
  remove_last: (value: unknown, pattern: unknown) => replaceLast(value, pattern, ""),
  split,
};
