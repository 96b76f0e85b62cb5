// Most HTML is clean already, and made of the same tags again and again: those of a template. The cleaner (html.ts)
// takes 9 µs for each of them, which is most of the time of a mail. Here each tag is cleaned once, by that cleaner, and
// found in a cache from then on. What this cannot do exactly as the cleaner does, it leaves to it: anything but text
// and usual tags, well nested, with quoted attributes.
import { createBoundedCache } from "../../lib/bounded-cache.ts";

const words = (text: string): Set<string> => new Set(text.split(" "));

/** Tags whose content is HTML like any other. */
export const usualTags = words(
  "a b blockquote br center code dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre s small span strong sub sup table " +
    "tbody td tfoot th thead tr u ul",
);
/** Tags without an end tag. */
const voidTags = words("br hr img");

/** What may appear in a paragraph; any other tag ends it. */
const inParagraph = words("a b br code del em font i img ins s small span strong sub sup u");

const headings = words("h1 h2 h3 h4 h5 h6");
/** By the innermost open tag: the tags that end it before its end tag. */
const enders = new Map([
  ...[...headings].map((tag) => [tag, headings] as const),
  ["a", words("a")],
  ["dd", words("dd dt")],
  ["dt", words("dd dt")],
  ["li", words("li")],
  ["tbody", words("tbody td tfoot")],
  ["td", words("td th tr")],
  ["th", words("td th tr")],
  ["thead", words("tbody td tfoot")],
  ["tr", words("tr")],
]);

const endsTag = (open: string | undefined, tag: string): boolean =>
  open !== undefined && (open === "p" ? !inParagraph.has(tag) : (enders.get(open)?.has(tag) ?? false));

const tagPattern = /^<([a-z][a-z0-9]*)(?:\s+[a-z][a-z-]*="[^"<>]*")*\s*\/?>$/;

/** An address with a scheme that is allowed in every place, and nothing in it that has to be escaped. */
export const linkPattern = /(?<=\s(?:href|src)=")https?:\/\/(?:[\w\-.~:/?#@!$()*+,;=%]|&amp;)*(?=")/;
/** Represents every such address in the cache: they are kept alike. */
export const anyLink = "https://any.example/";

/** `>` and entities but the usual ones, which the cleaner reads and writes again. */
const unusualText = /[>\0]|&(?!(?:amp|lt|gt|quot|#39);)/;

/** Comments that Outlook reads. Others are rare, and so is every unusual end of one. */
const conditional = /^<!--(?:\[if |<!\[endif\]-->)/;

/** Longer tags are seldom the same again. */
const maxTagLength = 1_000;
/** Tags of one text that are not in the cache: with more of them, cleaning the whole takes less time. */
const maxNewTags = 20;

export type Clean = (html: string) => string;

/**
 * A tag as the cleaner writes it, or null where it would not keep it; `rest`: what follows the address, if it has one.
 */
type CleanTag = { name: string; cleaned: string | null; rest: string };

/**
 * Returns what `clean` would return, or null where only `clean` can decide. `cleanComment` cleans a conditional
 * comment, where these are kept.
 */
export function createQuickCleaner(clean: Clean, cleanComment?: Clean): (html: string) => string | null {
  const known = createBoundedCache<CleanTag>(2_000);

  const learnTag = (name: string, tag: string): CleanTag => {
    const end = voidTags.has(name) ? "" : `</${name}>`;
    const whole = clean(`${tag}${end}`);
    const isKept = whole.startsWith(`<${name}`) && whole.endsWith(`>${end}`);
    const cleaned = isKept ? whole.slice(0, whole.length - end.length) : null;
    const at = cleaned?.indexOf(anyLink) ?? -1;
    const learnt =
      cleaned === null || at < 0
        ? { name, cleaned, rest: "" }
        : { name, cleaned: cleaned.slice(0, at), rest: cleaned.slice(at + anyLink.length) };
    known.set(tag, learnt);
    return learnt;
  };

  return (html) => {
    const open: string[] = [];
    let cleaned = "";
    let newTags = 0;
    for (let at = 0; at < html.length; ) {
      const start = html.indexOf("<", at);
      const text = start < 0 ? html.slice(at) : html.slice(at, start);
      if (unusualText.test(text)) return null;
      cleaned += decodeQuotes(text);
      if (start < 0) break;
      if (cleanComment && html.startsWith("<!--", start)) {
        const end = html.indexOf("-->", start + 4) + 3;
        const comment = html.slice(start, end);
        if (end === 2 || !conditional.test(comment) || comment.includes("--!>")) return null;
        cleaned += cleanComment(comment);
        at = end;
        continue;
      }
      at = html.indexOf(">", start) + 1;
      if (at === 0 || at - start > maxTagLength) return null;
      const tag = html.slice(start, at);
      if (tag[1] === "/") {
        if (open.pop() !== tag.slice(2, -1)) return null;
        cleaned += tag;
        continue;
      }
      let link = anyLink;
      let found = known.get(tag);
      if (!found) {
        const [, name] = tagPattern.exec(tag) ?? [];
        if (name === undefined || !usualTags.has(name) || tag.includes(anyLink)) return null;
        link = linkPattern.exec(tag)?.[0] ?? "";
        const key = link ? tag.replace(linkPattern, anyLink) : tag;
        found = known.get(key);
        if (!found) {
          if (++newTags > maxNewTags) return null;
          found = learnTag(name, key);
        }
      }
      if (found.cleaned === null || endsTag(open.at(-1), found.name)) return null;
      cleaned += found.rest ? found.cleaned + link + found.rest : found.cleaned;
      if (!voidTags.has(found.name)) open.push(found.name);
    }
    return open.length === 0 ? cleaned : null;
  };
}

/** In a text, the cleaner writes quotes unchanged. */
const decodeQuotes = (text: string): string =>
  text.includes("&") ? text.replaceAll("&quot;", '"').replaceAll("&#39;", "'") : text;
