// Addresses in one spelling, for storing and for asking: looking one up is exact.
import { domainToUnicode } from "node:url";

/** Signs in phone numbers are for people; providers get them without. */
const signs = /[\s.()\-\u2010-\u2015]/g;

/**
 * Of a mailbox the address alone, without the name. Case tells mailboxes apart in theory and nowhere else, and a domain
 * beyond ASCII is written in either of two forms.
 */
export function spelled(address: string): string {
  const bare = (/<([^<>]+)>$/.exec(address.trim())?.[1] ?? address).trim().toLowerCase();
  const at = bare.lastIndexOf("@") + 1;
  if (at === 0) return bare.replace(signs, "");
  const domain = bare.slice(at);
  return bare.slice(0, at) + (domainToUnicode(domain) || domain);
}
