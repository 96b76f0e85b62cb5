// The brand of a request or a file, checked beyond what its schema says.
import type { BrandIn } from "@tidings/contract";
import { faultCollector } from "../../failure.ts";

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
  const fontStack = given.fontStack?.trim().replaceAll('"', "'");
  return {
    ...given,
    ...(given.logoUrl === "" && { logoUrl: null }),
    ...(given.logoDarkUrl === "" && { logoDarkUrl: null }),
    ...(fontStack !== undefined && { fontStack }),
  };
}

/** A brand that sets nothing is none. */
export const orNone = (brand: BrandIn): BrandIn | null => (Object.keys(brand).length > 0 ? brand : null);
