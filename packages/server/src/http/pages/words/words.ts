// The words of the preference page and of the notices around it, by language. A person whose locale has no words reads
// English; the `lang` attribute of the page names the language that is shown.
import type { PageTexts } from "@tidings/contract";
import { directionOf, type Language, languageOf, shorterNames } from "../../../lib/words/languages.ts";
import * as eastAsian from "./east-asian.ts";
import * as germanic from "./germanic.ts";
import type { PageWords } from "./page-words.ts";
import * as romance from "./romance.ts";
import * as slavic from "./slavic.ts";
import * as various from "./various.ts";

/** By locale as this service writes it. */
export const pageWords: Record<string, PageWords> & Record<Language, PageWords> = {
  en: germanic.en,
  de: germanic.de,
  nl: germanic.nl,
  sv: germanic.sv,
  da: germanic.da,
  nb: germanic.nb,
  fr: romance.fr,
  es: romance.es,
  pt: romance.pt,
  pt_BR: romance.ptBr,
  it: romance.it,
  ro: romance.ro,
  pl: slavic.pl,
  cs: slavic.cs,
  sk: slavic.sk,
  uk: slavic.uk,
  ru: slavic.ru,
  hu: various.hu,
  fi: various.fi,
  tr: various.tr,
  ar: various.ar,
  he: various.he,
  ja: eastAsian.ja,
  ko: eastAsian.ko,
  zh_CN: eastAsian.zhCn,
  zh_TW: eastAsian.zhTw,
};

/** `own`: texts of the environment or tenant in this language. */
export type PageLanguage = { lang: string; dir: "ltr" | "rtl"; words: PageWords; own: PageTexts };

/** Own texts are those of the same language, so that a page never mixes two: of `de_AT`, then of `de`, text by text. */
function ownTexts(locale: string, name: string, texts: Record<string, PageTexts>): PageTexts {
  const levels = [...new Set([...shorterNames(locale), name])].reverse();
  return Object.assign({}, ...levels.map((level) => (Object.hasOwn(texts, level) ? texts[level] : {})));
}

/** The first of these locales that has words, else English. `texts`: own texts by locale. */
export function pageLanguage(
  locales: readonly (string | null | undefined)[],
  texts: Record<string, PageTexts> = {},
): PageLanguage {
  const locale = locales.find((one) => languageOf(one) !== undefined) ?? "en";
  const name = languageOf(locale)!;
  const own = ownTexts(locale, name, texts);
  return {
    own,
    lang: name.replace("_", "-"),
    dir: directionOf(name),
    words: own.title === undefined ? pageWords[name] : { ...pageWords[name], title: own.title },
  };
}

/** The locales of an `Accept-Language` header, in the order in which browsers send them. */
export const acceptedLocales = (header: string | undefined): string[] =>
  (header ?? "")
    .slice(0, 500)
    .split(",")
    .map((part) => part.split(";")[0]!.trim())
    .filter((part) => /^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,2}$/i.test(part));

/** Fills in the texts in braces. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
