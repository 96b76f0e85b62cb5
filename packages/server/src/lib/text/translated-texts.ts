// Texts of a locale by dotted key, and the source text that each translates: a translation is out of date when the text
// of the default locale has changed since.
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../json.ts";

/** Hashes of source texts by dotted key. */
export type TextSources = Record<string, string>;

/** Other values than texts, such as lists, count as their JSON. */
export function textsByKey(content: JsonObject, path = ""): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(content)) {
    const key = `${path}${name}`;
    if (isObject(value)) for (const [inner, text] of textsByKey(value, `${key}.`)) texts.set(inner, text);
    else texts.set(key, typeof value === "string" ? value : JSON.stringify(value));
  }
  return texts;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

type Known = { content: JsonObject; sources: TextSources | null };

/**
 * The sources after `content` has replaced the texts of a locale. A text that is unchanged keeps its source, unless it
 * was reviewed; a new text translates the current source.
 */
export function sourcesAfter(
  content: JsonObject,
  { before, reference, reviewed = [] }: { before?: Known; reference?: JsonObject; reviewed?: readonly string[] },
): TextSources | null {
  if (!reference) return before?.sources ?? null;
  const [old, source, isReviewed] = [textsByKey(before?.content ?? {}), textsByKey(reference), new Set(reviewed)];
  const kept = new Map(Object.entries(before?.sources ?? {}));
  const sources = [...textsByKey(content)].flatMap(([key, text]): [string, string][] => {
    const isKept = old.get(key) === text && !isReviewed.has(key);
    const from = isKept ? kept.get(key) : source.has(key) ? hashOf(source.get(key)!) : undefined;
    return from === undefined ? [] : [[key, from]];
  });
  return sources.length > 0 ? Object.fromEntries(sources) : null;
}

/** Keys whose source text is another one now. */
export function outdatedKeys({ content, sources }: Known, reference: JsonObject): string[] {
  if (!sources) return [];
  const source = textsByKey(reference);
  return [...textsByKey(content).keys()].filter(
    (key) => Object.hasOwn(sources, key) && source.has(key) && hashOf(source.get(key)!) !== sources[key],
  );
}
