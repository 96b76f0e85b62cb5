// Finds the links in a message, for tests of what was sent: all http(s) addresses of the HTML in their order, then
// those of the text that the HTML lacks, each once and as it was written.
import { Parser } from "htmlparser2";

/** Far more than the links of a message that a test examines. */
const maxLinks = 200;
const maxLength = 1_000_000;
/** Not every browser follows longer links. */
const maxLink = 2_048;

const isWeb = /^https?:\/\/[^\s/]/i;

/**
 * A link ends at whitespace, at delimiters of links in text and chat (`<https://a.example|here>`), at CJK punctuation.
 */
const inText = /https?:\/\/[^\s<>"`|\\^{}。、，！？；：）」』】》]{1,2048}/giu;

export function findLinks({ html = "", text = "" }: { html?: string; text?: string }): string[] {
  const found = new Set<string>();
  const add = (link: string) => {
    if (found.size < maxLinks && link.length <= maxLink && isWeb.test(link)) found.add(link);
  };
  const parser = new Parser({
    onopentag: (name, { href }) => {
      if ((name === "a" || name === "area") && href) add(href.trim());
    },
  });
  parser.end(html.slice(0, maxLength));
  for (const [match] of text.slice(0, maxLength).matchAll(inText)) add(trimPunctuation(match));
  return [...found];
}

/** Without the full stop of its sentence, and without a bracket that was opened before it. */
function trimPunctuation(link: string): string {
  let end = link.length;
  for (; end > 0; end--) {
    const last = link[end - 1]!;
    if (".,;:!?'*_~…".includes(last)) continue;
    const opening = { ")": "(", "]": "[" }[last];
    if (opening === undefined) break;
    const body = link.slice(0, end);
    if (body.split(opening).length >= body.split(last).length) break;
  }
  return link.slice(0, end);
}
