// Finds the patterns in prose, and leaves out what is allowed.
import { type Pattern, patterns } from "./patterns.ts";
import type { Prose } from "./texts.ts";

/** A phrase in which a pattern is right, with the reason. */
export type Allowed = { name: string; phrase: string; reason: string };

export type Finding = { name: string; place: string; phrase: string; instead: string };

function findIn({ path, text }: Prose, { name, pattern, instead, except }: Pattern): Finding[] {
  if (except?.test(path)) return [];
  return [...text.matchAll(pattern)].map((match) => {
    const line = text.slice(0, match.index + match[0].search(/\S/)).split("\n").length;
    const around = text.slice(Math.max(0, match.index - 40), match.index + match[0].length + 40);
    return { name, place: `${path}:${line}`, phrase: around.replaceAll(/\s+/g, " ").trim(), instead };
  });
}

export const findingsIn = (prose: Prose): Finding[] => patterns.flatMap((pattern) => findIn(prose, pattern));

export const isAllowed = (finding: Finding, allowed: Allowed[]): boolean =>
  allowed.some(({ name, phrase }) => name === finding.name && finding.phrase.includes(phrase));
