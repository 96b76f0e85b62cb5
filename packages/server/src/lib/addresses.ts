// Normal forms of addresses, for storing and for lookups, which compare exactly: of email addresses and phone numbers
// that messages go to, and of the email addresses with which members sign in.
import { domainToUnicode } from "node:url";

/** Separators in phone numbers, which providers get without them. */
const separators = /[\s.()\-\u2010-\u2015]/g;

/**
 * Drops the display name of a mailbox. Lower case, because no mail server in use distinguishes mailboxes by case.
 * Internationalised domains are written in Unicode, whichever of their two forms came in.
 */
export function normalizeAddress(address: string): string {
  const bare = (/<([^<>]+)>$/.exec(address.trim())?.[1] ?? address).trim().toLowerCase();
  const at = bare.lastIndexOf("@") + 1;
  if (at === 0) return bare.replace(separators, "");
  const domain = bare.slice(at);
  return bare.slice(0, at) + (domainToUnicode(domain) || domain);
}

/**
 * The form in which addresses of members who sign in are compared. Folds ASCII letters only: `toLowerCase()`, `lower()`
 * of PostgreSQL and Unicode normalisation also turn other letters (U+212A, the Kelvin sign) into ASCII ones, so that an
 * address which belongs to another member would pass for theirs.
 */
export const foldAddress = (address: string): string =>
  address.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
