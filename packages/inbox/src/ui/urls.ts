// Which addresses a notification may lead to.

/** Browsers skip these characters before and inside a scheme: `java\tscript:` is a script to them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is searched for
const skipped = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g;

/** A web address, or one relative to the page. Anything else with a scheme (`javascript:`, `data:`) is not safe. */
export function isSafeUrl(url: string): boolean {
  const text = url.replace(skipped, "");
  return text !== "" && (/^https?:\/\//i.test(text) || !/^[^/?#]*:/.test(text));
}

export const safeUrl = (url: string | undefined): string | undefined =>
  url !== undefined && isSafeUrl(url) ? url : undefined;
