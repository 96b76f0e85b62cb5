// The own domain of an environment's hosted pages. The service makes no request to it: it is the beginning of links.
import { invalid } from "../../failure.ts";

/** A host name, in ASCII as browsers send it, with or without a port. */
const hostPattern = /^(?=.{1,253}(:|$))[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+(:\d{1,5})?$/;

/** The origin, such as `https://preferences.acme.com`; null removes it. Throws 422 for anything else. */
export function readPagesUrl(given: string | null | undefined): string | null {
  if (given === null || given === undefined || given === "") return null;
  const url = URL.parse(given);
  const isOrigin = url !== null && `${url.origin}/` === url.href && /^https:\/\/[^/?#@\\\s]+\/?$/i.test(given);
  if (isOrigin && hostPattern.test(url.host)) return url.origin;
  const message =
    "pagesUrl must be https and a host name, without path, query, user name or password, such as " +
    "https://preferences.acme.com";
  throw invalid({ pagesUrl: { messages: [message], value: given } });
}
