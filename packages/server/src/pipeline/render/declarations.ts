// The parts of an email that are not elements: its doctype, and the conditional comments that Outlook reads. The
// cleaner of HTML drops all of them, so they are taken out before and put back afterwards, cleaned in their own way:
//
// - `<!--[if mso]> … <![endif]-->` is a comment for all programs but Outlook. Its content is often half of a table,
//   which another comment closes, so it is cleaned tag by tag. A comment with anything but text, known tags and sheets
//   is removed.
// - `<!--[if !mso]><!--> … <!--<![endif]-->` hides from Outlook what all others show: the marks stay, and what is
//   between them is cleaned with the rest of the mail.
//
// All other comments are removed.
import { randomBytes } from "node:crypto";
import { Parser } from "htmlparser2";
import sanitize from "sanitize-html";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { chargeRender } from "./liquid.ts";
import { anyLink, linkPattern } from "./quick-clean.ts";
import { cleanCss } from "./safe-css.ts";

type Taken = { html: string; restore(cleaned: string): string };

/** `takeOut`: all of them from a mail; `cleanComment`: cleans one conditional comment, from `<!--` to `-->`. */
export type CommentCleaner = { takeOut: (html: string) => Taken; cleanComment: (comment: string) => string };

const doctypePattern = /^<!doctype html(?: (?:public|system) "[\w ./:+-]{0,200}"(?: "[\w ./:+-]{0,200}")?)? ?>$/i;

/** `<!doctype html>` with its public identifiers, if it has usual ones. */
function cleanDoctype(text: string): string {
  const doctype = text.slice(0, 500).replace(/\s+/g, " ");
  if (doctypePattern.test(doctype)) return doctype;
  return /^<!doctype html\b/i.test(doctype) ? "<!DOCTYPE html>" : "";
}

const hiddenStart = /^\[if [\w .()&|!]{1,60}\]>/i;
const revealedStart = /^(\[if [\w .()&|!]{1,60}\])>?\s{0,9}(?:<!(?:--\s{0,9})?)?$/i;
const hiddenEnd = "<![endif]";

/** Units for cleaning one tag that is not in the cache. */
const tagCost = 2_000;
/** Longer tags are not in mails that people write. */
const maxTagLength = 4_000;

/** `options`: how tags of the mail are cleaned, and those that Outlook alone reads. */
export function createCommentCleaner(options: sanitize.IOptions): CommentCleaner {
  const known = createBoundedCache<{ cleaned: string }>(1_000);
  const comments = createBoundedCache<{ cleaned: string }>(500);

  /** Addresses are kept alike, so a tag is cleaned once for all of them. */
  const cleanTag = (tag: string): string => {
    const [link] = tag.includes(anyLink) ? [] : (linkPattern.exec(tag) ?? []);
    return link ? cleanOnce(tag.replace(linkPattern, anyLink)).replace(anyLink, () => link) : cleanOnce(tag);
  };

  const cleanOnce = (tag: string): string => {
    const cached = known.get(tag);
    if (cached) return cached.cleaned;
    chargeRender(tagCost);
    const [, slash, name = ""] = /^<(\/?)([a-z][\w:-]*)/i.exec(tag) ?? [];
    const isAllowed = (options.allowedTags as string[]).includes(name.toLowerCase());
    const cleaned = !isAllowed ? "" : slash ? `</${name}>` : openingOf(name, tag, sanitize(tag, options));
    known.set(tag, { cleaned });
    return cleaned;
  };

  /** The content of a comment for Outlook; null when it has a part that cannot be cleaned. */
  const cleanContent = (content: string): string | null => {
    let cleaned = "";
    for (let at = 0; at < content.length; ) {
      const start = content.indexOf("<", at);
      if (start < 0) return cleaned + content.slice(at);
      cleaned += content.slice(at, start);
      at = content.indexOf(">", start) + 1;
      const tag = content.slice(start, at);
      if (at === 0 || tag.length > maxTagLength || !/^<\/?[a-z][^<]*>$/i.test(tag) || /^<script\b/i.test(tag))
        return null;
      cleaned += cleanTag(tag);
      if (!/^<style\b/i.test(tag)) continue;
      const end = content.indexOf("</style>", at);
      if (end < 0) return null;
      cleaned += cleanCss(content.slice(at, end));
      at = end;
    }
    return cleaned;
  };

  const cleanComment = (data: string, source: string): string => {
    const text = data.trim();
    const revealed = revealedStart.exec(text)?.[1];
    if (source.startsWith("<![")) return text === "[endif]" || (revealed && revealed === text) ? `<!${text}>` : "";
    if (revealed) return `<!--${revealed}><!-->`;
    if (text === hiddenEnd) return "<!--<![endif]-->";
    const [start] = hiddenStart.exec(text) ?? [];
    if (start === undefined || !text.endsWith(hiddenEnd)) return "";
    const content = cleanContent(text.slice(start.length, -hiddenEnd.length));
    // Tags that were removed must not leave the end of a comment behind.
    return content === null || /--!?>/.test(content) ? "" : `<!--${start}${content}${hiddenEnd}-->`;
  };

  const takeOutAll = (html: string): Taken => {
    const mark = `kept${randomBytes(16).toString("hex")}x`;
    const pieces: string[] = [];
    const kept: string[] = [];
    let doctype = "";
    let done = 0;
    const takeOut = (text: string) => {
      pieces.push(html.slice(done, parser.startIndex), text);
      done = parser.endIndex + 1;
    };
    const parser = new Parser({
      oncomment(data) {
        const comment = cleanComment(data, html.slice(parser.startIndex, parser.startIndex + 3));
        takeOut(comment && `${mark}${kept.push(comment) - 1};`);
      },
      onprocessinginstruction(name) {
        const isFirst = pieces.length === 0 && html.slice(0, parser.startIndex).trim() === "";
        if (name === "!doctype" && isFirst) doctype = cleanDoctype(html.slice(parser.startIndex, parser.endIndex + 1));
        takeOut("");
      },
    });
    parser.end(html);
    return {
      html: [...pieces, html.slice(done)].join(""),
      restore: (cleaned) =>
        doctype + cleaned.replace(new RegExp(`${mark}(\\d+);`, "g"), (_, index: string) => kept[Number(index)]!),
    };
  };

  const cleanWhole = (comment: string): string => cleanComment(comment.slice("<!--".length, -"-->".length), comment);

  /** The comments of a template are the same in every mail, except for an address. */
  const cleanKnown = (comment: string): string => {
    if (comment.length > maxTagLength || comment.includes(anyLink)) return cleanWhole(comment);
    const [link] = linkPattern.exec(comment) ?? [];
    const key = link ? comment.replace(linkPattern, anyLink) : comment;
    const found = comments.get(key) ?? { cleaned: cleanWhole(key) };
    comments.set(key, found);
    return link ? found.cleaned.replace(anyLink, () => link) : found.cleaned;
  };

  return { takeOut: takeOutAll, cleanComment: cleanKnown };
}

/**
 * A start tag without the end tag that the cleaner adds; its name and its end as they were written, since Outlook reads
 * XML.
 */
function openingOf(name: string, tag: string, element: string): string {
  const opening = element.slice(0, element.indexOf(">")).replace(/ \/$/, "");
  return `<${name}${opening.slice(name.length + 1)}${tag.endsWith("/>") ? " />" : ">"}`;
}
