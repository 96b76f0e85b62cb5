// The languages that this service has words in: hosted pages, links of mails, summaries of digests.
import { canonicalLocale } from "../locale.ts";

export const languages = [
  "en",
  "de",
  "nl",
  "sv",
  "da",
  "nb",
  "fr",
  "es",
  "pt",
  "pt_BR",
  "it",
  "ro",
  "pl",
  "cs",
  "sk",
  "uk",
  "ru",
  "hu",
  "fi",
  "tr",
  "ar",
  "he",
  "ja",
  "ko",
  "zh_CN",
  "zh_TW",
] as const;

/** As this service writes locales. */
export type Language = (typeof languages)[number];

/** Other names of the same languages, and the script that a region of China reads. */
const aliases: Record<string, Language> = {
  no: "nb",
  nn: "nb",
  iw: "he",
  zh: "zh_CN",
  zh_Hans: "zh_CN",
  zh_Hant: "zh_TW",
  zh_HK: "zh_TW",
  zh_MO: "zh_TW",
};

const known = new Map<string, Language>([
  ...languages.map((name): [string, Language] => [name, name]),
  ...Object.entries(aliases),
]);

/** `de_AT`, then `de`. */
export function shorterNames(locale: string): string[] {
  const parts = canonicalLocale(locale).split("_");
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("_"));
}

/** Undefined for a locale without words. */
export function languageOf(locale: string | null | undefined): Language | undefined {
  if (!locale) return undefined;
  const name = shorterNames(locale).find((one) => known.has(one));
  return name === undefined ? undefined : known.get(name);
}

const rightToLeft: ReadonlySet<Language> = new Set<Language>(["ar", "he"]);

export const directionOf = (language: Language): "ltr" | "rtl" => (rightToLeft.has(language) ? "rtl" : "ltr");
