// Regular expressions that customers write. RegExp of JavaScript backtracks, which takes exponential time on some
// expressions; RE2 runs in linear time, at the price of no look-around and no back references.
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { charge } from "./work.ts";

const maxPatternLength = 1_000;
const maxProgram = 2_000;

/** `expression` is null when the pattern cannot be used; `fault` says why. */
const compiled = new LRUCache<string, { expression: RE2JS | null; fault: string }>({
  max: 1_000,
  maxSize: 500_000,
  sizeCalculation: ({ expression }, pattern) => 1 + pattern.length + (expression?.programSize() ?? 0),
});

function compile(pattern: string): { expression: RE2JS | null; fault: string } {
  let entry = compiled.get(pattern);
  if (!entry) {
    // Unicode classes have hundreds of ranges.
    charge(pattern.length * 150 + 4_000 * pattern.split("\\p").length);
    entry = tryCompile(pattern);
    compiled.set(pattern, entry);
  }
  return entry;
}

function tryCompile(pattern: string): { expression: RE2JS | null; fault: string } {
  if (pattern.length > maxPatternLength)
    return { expression: null, fault: `it is longer than ${maxPatternLength} characters` };
  // The compiler expands repeats of repeats before it knows their size.
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, low, high]) => Number(high || low));
  if (repeats.reduce((sum, count) => sum + count, 0) > maxProgram)
    return { expression: null, fault: "it repeats too much" };
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (expression.programSize() <= maxProgram) return { expression, fault: "" };
    return { expression: null, fault: "it repeats too much" };
  } catch (error) {
    return { expression: null, fault: (error as Error).message.replace(/^error parsing regexp: /, "") };
  }
}

/** Why an expression cannot be used; null when it can. */
export const patternFault = (pattern: string): string | null => compile(pattern).fault || null;

/**
 * Whether the text has a match. A pattern that cannot be used, as schemas of older versions may have, matches all
 * texts.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const { expression } = compile(pattern);
  if (!expression) return true;
  charge(50 + (text.length * expression.programSize()) / 2);
  return expression.test(text);
}
