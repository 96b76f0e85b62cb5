// The links of a message, for people who test what was sent: all http(s) addresses in the order of the html, then those
// that stand in the text alone, each once and as it was written.
import { Parser } from "htmlparser2";

/** More than this is no message that anybody asserts on. */
const maxLinks = 200;
const maxLength = 1_000_000;
/** Longer ones no browser is sure to follow. */
const maxLink = 2_048;

const isWeb = /^https?:\/\/[^\s/]/i;

/** Ends at white space, at what encloses links in text and chat (`<https://a.example|here>`), at punctuation of CJK texts. */
const inText = /https?:\/\/[^\s<>"`|\\^{}。、，！？；：）」』】》]{1,2048}/giu;

export function linksIn({ html = "", text = "" }: { html?: string; text?: string }): string[] {
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
  for (const [match] of text.slice(0, maxLength).matchAll(inText)) add(trimmed(match));
  return [...found];
}

/** Without the full stop of its sentence, and without a bracket that was opened before it. */
function trimmed(link: string): string {
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
