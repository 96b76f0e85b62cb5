// Most HTML is clean already, and made of the same tags again and again: those of a template. The cleaner (html.ts) takes 9 µs for each of
// them, which is most of the time of a mail. Here each tag is cleaned once, by that cleaner, and found in a cache from then on. What this
// cannot do exactly as the cleaner does, it leaves to it: anything but text and usual tags, well nested, with quoted attributes.
import { createBoundedCache } from "../../lib/bounded-cache.ts";

const words = (text: string): Set<string> => new Set(text.split(" "));

/** Tags whose content is HTML like any other. */
export const usualTags = words(
  "a b blockquote br center code dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre s small span strong sub sup table " +
    "tbody td tfoot th thead tr u ul",
);
/** Tags without an end tag. */
const voidTags = words("br hr img");

/** What may stand in a paragraph; any other tag ends it. */
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

const tagPattern = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z-]*="[^"<>]*")*)\s*\/?>/y;

/** An address with a scheme that is allowed in every place, and nothing in it that has to be escaped. */
const linkPattern = /(\s(?:href|src)=")(https?:\/\/(?:[\w\-.~:/?#@!$()*+,;=%]|&amp;)*)(?=")/;
/** Stands for every such address in the cache: they are kept alike. */
const anyLink = "https://any.example/";

/** `>` and entities but the usual ones, which the cleaner reads and writes again. */
const unusualText = /[>\0]|&(?!(?:amp|lt|gt|quot|#39);)/;

/** Longer tags are seldom the same again. */
const maxTagLength = 1_000;
/** Tags of one text that are not in the cache: with more of them, cleaning the whole takes less time. */
const mostNewTags = 20;

export type Clean = (html: string) => string;

/** Answers what `clean` would answer, or null where only that can tell. */
export function createQuickCleaner(clean: Clean): (html: string) => string | null {
  /** Cleaned tags; empty where the cleaner would not keep the tag. */
  const known = createBoundedCache<{ cleaned: string }>(5_000);

  const learnTag = (name: string, tag: string): { cleaned: string } => {
    const end = voidTags.has(name) ? "" : `</${name}>`;
    const whole = clean(`${tag}${end}`);
    const isKept = whole.startsWith(`<${name}`) && whole.endsWith(`>${end}`);
    const learnt = { cleaned: isKept ? whole.slice(0, whole.length - end.length) : "" };
    known.set(tag, learnt);
    return learnt;
  };

  return (html) => {
    const open: string[] = [];
    let cleaned = "";
    let newTags = 0;
    for (let at = 0; at < html.length; ) {
      const next = html.indexOf("<", at);
      const end = next < 0 ? html.length : next;
      if (end > at) {
        const text = html.slice(at, end);
        if (unusualText.test(text)) return null;
        cleaned += decodeQuotes(text);
      }
      if (next < 0) break;
      tagPattern.lastIndex = next;
      const match = tagPattern.exec(html);
      if (!match) return null;
      const [tag, slash, name, attributes] = match as unknown as [string, string, string, string];
      at = tagPattern.lastIndex;
      if (!usualTags.has(name) || tag.length > maxTagLength) return null;
      if (slash) {
        if (attributes || open.pop() !== name) return null;
        cleaned += `</${name}>`;
        continue;
      }
      if (endsTag(open.at(-1), name)) return null;
      const link = attributes && !attributes.includes(anyLink) ? linkPattern.exec(tag)?.[2] : undefined;
      const key = link ? tag.replace(linkPattern, `$1${anyLink}`) : tag;
      let learnt = known.get(key);
      if (!learnt) {
        if (++newTags > mostNewTags) return null;
        learnt = learnTag(name, key);
      }
      if (learnt.cleaned === "") return null;
      cleaned += link ? learnt.cleaned.replace(anyLink, () => link) : learnt.cleaned;
      if (!voidTags.has(name)) open.push(name);
    }
    return open.length === 0 ? cleaned : null;
  };
}

/** In a text, the cleaner writes quotes as they are. */
const decodeQuotes = (text: string): string =>
  text.includes("&") ? text.replaceAll("&quot;", '"').replaceAll("&#39;", "'") : text;
