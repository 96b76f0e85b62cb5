// Schemes of apps that an environment allows in links of mails and in-app bodies.
import { invalid } from "../../failure.ts";

/** Browsers, mail programs or the system run code with these, or read files and pages of the reader. */
const dangerousSchemes = new Set(
  (
    "javascript data vbscript file blob filesystem about view-source chrome resource jar " +
    "livescript mocha jscript chrome-extension moz-extension edge mhtml mk res its ms-its hcp ms-msdt search-ms shell"
  ).split(" "),
);

/** Throws 422 with each scheme that is never allowed. */
export function readLinkSchemes(given: string[] | undefined): string[] | undefined {
  const refused = (given ?? []).flatMap((scheme, index) =>
    dangerousSchemes.has(scheme) ? [[`linkSchemes.${index}`, scheme] as const] : [],
  );
  if (refused.length === 0) return given;
  const toFault = ([field, value]: (typeof refused)[number]) => [
    field,
    { messages: [`${field} must not be ${value}: its links can run code or read local data`], value },
  ];
  throw invalid(Object.fromEntries(refused.map(toFault)));
}
