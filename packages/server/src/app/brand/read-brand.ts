// The brand of a request or a file, checked beyond what its schema says.
import type { BrandIn, PageTexts } from "@tidings/contract";
import { faultCollector } from "../../failure.ts";
import { canonicalLocale } from "../../lib/locale.ts";

const webAddress = /^https?:\/\/[^\s"'<>\\^`{}|\p{Cc}]+$/iu;
/** The path of an uploaded image, where the service does not know its public address. */
const assetPath = /^\/assets\/[\w-]+\/[\w-]+\.[a-z]{3,4}$/;

const isWebAddress = (url: string): boolean => webAddress.test(url) && URL.canParse(url);

/** Throws 422 with each address that is not one of the web. Empty texts of logos mean none. */
export function readBrand(given: BrandIn): BrandIn {
  const faults = faultCollector();
  for (const field of ["logoUrl", "logoDarkUrl"] as const) {
    const url = given[field];
    if (!url || isWebAddress(url) || assetPath.test(url)) continue;
    faults.add(field, `${field} must be a web address (http or https), or the path of an uploaded image`, url);
  }
  for (const [index, { url }] of (given.socialLinks ?? []).entries()) {
    const field = `socialLinks.${index}.url`;
    if (!isWebAddress(url)) faults.add(field, `${field} must be a web address (http or https)`, url);
  }
  faults.throwIfAny();
  // In a style attribute, double quotes would end it.
  const pageTexts = readPageTexts(given.pageTexts);
  const fontStack = given.fontStack?.trim().replaceAll('"', "'");
  const { pageTexts: _, ...rest } = given;
  return {
    ...rest,
    ...(given.logoUrl === "" && { logoUrl: null }),
    ...(given.logoDarkUrl === "" && { logoDarkUrl: null }),
    ...(fontStack !== undefined && { fontStack }),
    ...(Object.keys(pageTexts).length > 0 && { pageTexts }),
  };
}

/** Texts by locale as this service writes locales. Empty texts are those of the service. */
function readPageTexts(given: BrandIn["pageTexts"] = {}): Record<string, PageTexts> {
  const faults = faultCollector();
  const texts: Record<string, PageTexts> = {};
  for (const [name, own] of Object.entries(given)) {
    const locale = canonicalLocale(name);
    const field = `pageTexts.${name}`;
    if (Object.hasOwn(texts, locale)) faults.add(field, `${field} is given twice, as ${locale}`, name);
    const filled = Object.entries(own).map(([member, text]) => [member, text.trim()]);
    texts[locale] = Object.fromEntries(filled.filter(([, text]) => text !== ""));
  }
  faults.throwIfAny();
  return Object.fromEntries(Object.entries(texts).filter(([, own]) => Object.keys(own).length > 0));
}

/** A brand that sets nothing is none. */
export const orNone = (brand: BrandIn): BrandIn | null => (Object.keys(brand).length > 0 ? brand : null);
