// The cost of processing HTML, charged before it is sanitised, searched for style sheets or turned into text. The time
// of each pass grows with the number and size of its tags, and with their number times their depth.
import { chargeRender, RenderError } from "./liquid.ts";

/** Emails are nested some dozen levels deep. The parser checks all open elements at each end tag. */
const maxDepth = 500;

/** Charges one pass over HTML; `effort` is 1 for sanitising. Throws RenderError when it is nested too deep. */
export function chargeHtml(html: string, effort: number): void {
  chargeRender(html.length / 8);
  const { tags, inside, longest, comments } = measure(html);
  chargeRender(effort * (html.length / 4 + tags * 35 + inside * 5));
  // The sanitiser removes comments from addresses one at a time.
  chargeRender((comments * longest) / 16);
}

/**
 * Void elements, and elements that the next of their kind closes: nesting them needs another element that is counted.
 */
const neverNested = new Set([
  ...["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"],
  ...["p", "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead", "tfoot"],
]);

const tagStart = /\/?[a-z][^\s/>]*/iy;

/** `depth` counts open elements per name, as an end tag closes only its own name: an upper bound of the real depth. */
function measure(html: string): { tags: number; inside: number; longest: number; comments: number } {
  const open = new Map<string, number>();
  const size = { tags: 0, inside: 0, longest: 0, comments: 0 };
  let depth = 0;
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at + 1)) {
    size.tags += 1;
    if (html.startsWith("<!--", at)) size.comments += 1;
    tagStart.lastIndex = at + 1;
    const [written] = tagStart.exec(html) ?? [];
    if (written === undefined) continue;
    const end = html.indexOf(">", at);
    const length = (end === -1 ? html.length : end) - at;
    size.inside += Math.min(length, 20) + Math.max(0, length - 20) / 2;
    size.longest = Math.max(size.longest, length);
    const isEnd = written.startsWith("/");
    const name = (isEnd ? written.slice(1) : written).toLowerCase();
    const before = open.get(name) ?? 0;
    if (neverNested.has(name) || (isEnd && before === 0)) continue;
    open.set(name, before + (isEnd ? -1 : 1));
    depth += isEnd ? -1 : 1;
    if (depth > maxDepth) throw new RenderError(`html is nested deeper than ${maxDepth} levels`);
  }
  return size;
}
