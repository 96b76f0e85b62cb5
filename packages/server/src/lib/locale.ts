// Locales, written as `en_US` whatever separator and case a caller used.

/** For subscribers without a locale, unless the caller names another default. */
export const defaultLocale = "en_US";

/** Language in lower case, script capitalised, region in upper case, joined by underscores. */
export function canonicalLocale(text: string): string {
  const [language = "", ...rest] = text.split(/[_-]/);
  const words = rest.map((part) => {
    if (part.length === 2) return part.toUpperCase();
    return part.length === 4 ? part.charAt(0).toUpperCase() + part.slice(1).toLowerCase() : part.toLowerCase();
  });
  return [language.toLowerCase(), ...words].join("_");
}

/**
 * The locales to look a text up in, in order: the subscriber's with its prefixes (`zh_Hant_TW`, `zh_Hant`, `zh`), the
 * default.
 */
export function localeChain(locale: string | null | undefined, fallback: string = defaultLocale): string[] {
  const parts = canonicalLocale(locale || fallback).split("_");
  const shorter = parts.map((_, index) => parts.slice(0, parts.length - index).join("_"));
  return [...new Set([...shorter, canonicalLocale(fallback)])];
}
