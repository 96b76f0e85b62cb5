// Trusted Types: where a page requires them (`require-trusted-types-for 'script'`), parsers and workers take no plain
// text. The policy is named `tidings`; what it lets through is never run: the parser's document has no scripts, and a
// worker is one of the page itself.

type Policy = { createHTML(text: string): string; createScriptURL(text: string): string };
type Factory = { createPolicy(name: string, rules: Policy): Policy };

let policy: Policy | null | undefined;

/** Null where the page does not allow a policy of this name. */
function getPolicy(): Policy | null {
  if (policy !== undefined) return policy;
  const rules: Policy = {
    createHTML: (text) => text,
    createScriptURL: (text) => {
      if (new URL(text, location.href).origin !== location.origin)
        throw new TypeError("A worker is of the page's origin");
      return text;
    },
  };
  const { trustedTypes } = globalThis as { trustedTypes?: Factory };
  try {
    policy = trustedTypes ? trustedTypes.createPolicy("tidings", rules) : rules;
  } catch {
    policy = null;
    // For the developer of the page.
    reportError(
      new Error(
        "Tidings: the Content-Security-Policy of this page has to allow `trusted-types tidings`. HTML is shown as text.",
      ),
    );
  }
  return policy;
}

/** The document of the HTML: it runs no script and loads nothing. */
export function parseHtml(html: string): Document {
  const known = getPolicy();
  if (known) return new DOMParser().parseFromString(known.createHTML(html), "text/html");
  const parsed = document.implementation.createHTMLDocument();
  parsed.body.textContent = html.replace(/<[^<>]*>/g, " ");
  return parsed;
}

export const trustedWorker = (path: string): string => getPolicy()?.createScriptURL(path) ?? path;
