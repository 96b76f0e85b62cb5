// Words of other languages, each in its own file.
import type { Labels } from "../ui/labels.ts";

const words: Record<string, () => Promise<{ default: Labels }>> = {
  ar: () => import("../words/ar.ts"),
  cs: () => import("../words/cs.ts"),
  da: () => import("../words/da.ts"),
  de: () => import("../words/de.ts"),
  es: () => import("../words/es.ts"),
  fi: () => import("../words/fi.ts"),
  fr: () => import("../words/fr.ts"),
  he: () => import("../words/he.ts"),
  hu: () => import("../words/hu.ts"),
  it: () => import("../words/it.ts"),
  ja: () => import("../words/ja.ts"),
  ko: () => import("../words/ko.ts"),
  nb: () => import("../words/nb.ts"),
  nl: () => import("../words/nl.ts"),
  pl: () => import("../words/pl.ts"),
  pt: () => import("../words/pt.ts"),
  ro: () => import("../words/ro.ts"),
  ru: () => import("../words/ru.ts"),
  sk: () => import("../words/sk.ts"),
  sv: () => import("../words/sv.ts"),
  tr: () => import("../words/tr.ts"),
  uk: () => import("../words/uk.ts"),
  "pt-br": () => import("../words/pt-br.ts"),
  "zh-cn": () => import("../words/zh-cn.ts"),
  "zh-tw": () => import("../words/zh-tw.ts"),
};

/** Other names of the same languages, and the script that a region reads. */
const aliases: [RegExp, string][] = [
  [/^zh-.*(hant|tw|hk|mo)/, "zh-tw"],
  [/^zh/, "zh-cn"],
  [/^n[on]\b/, "nb"],
  [/^iw\b/, "he"],
];

/** Null for languages without their own words, which get the English ones. */
export async function loadWords(locale: string): Promise<Labels | null> {
  const name = locale.toLowerCase();
  const known = aliases.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  const load = words[known] ?? words[known.split("-")[0]!];
  return load ? (await load()).default : null;
}
