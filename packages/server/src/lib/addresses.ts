// One normal form of email addresses and phone numbers, for storing and for lookups, which compare exactly.
import { domainToUnicode } from "node:url";

/** Separators in phone numbers, which providers get without them. */
const separators = /[\s.()\-\u2010-\u2015]/g;

/**
 * Drops the display name of a mailbox. Lower case, because no mail server in use tells mailboxes apart by case.
 * Internationalised domains are written in Unicode, whichever of their two forms came in.
 */
export function normalizeAddress(address: string): string {
  const bare = (/<([^<>]+)>$/.exec(address.trim())?.[1] ?? address).trim().toLowerCase();
  const at = bare.lastIndexOf("@") + 1;
  if (at === 0) return bare.replace(separators, "");
  const domain = bare.slice(at);
  return bare.slice(0, at) + (domainToUnicode(domain) || domain);
}
