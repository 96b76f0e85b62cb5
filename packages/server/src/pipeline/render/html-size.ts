// How much there is to do on html: charged before it is sanitised, searched for style sheets or turned into text. Whatever
// is done to it, the time grows with its tags and what is inside them, and with their number times their depth.
import { chargeRender, RenderFault } from "./liquid.ts";

/** Mails are nested some dozen levels deep. Each end tag looks through all elements that are open. */
const deepest = 500;

/** Charges a pass over html: `effort` is 1 for sanitising. Throws RenderFault when it is nested too deep. */
export function chargeHtml(html: string, effort: number): void {
  chargeRender(html.length / 8);
  const { tags, inside, longest, comments } = measure(html);
  chargeRender(effort * (html.length / 4 + tags * 35 + inside * 5));
  // Comments are cut out of addresses one by one.
  chargeRender((comments * longest) / 16);
}

/** Without content, or closed by the next of their kind: nested they stand in something else that counts. */
const neverNested = new Set([
  ...["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"],
  ...["p", "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead", "tfoot"],
]);

const tagStart = /\/?[a-z][^\s/>]*/iy;

/** Counts elements left open, per name because an end tag of another name closes nothing: never less than the depth. */
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
    if (depth > deepest) throw new RenderFault(`html is nested deeper than ${deepest} levels`);
  }
  return size;
}
