// HTML that is safe to show and to send: scripts, event attributes, frames and javascript: urls are removed.
import sanitize from "sanitize-html";
import { chargeHtml } from "./html-size.ts";

/** A mail is a document of its own; a feed message stands in somebody's page, where a style sheet would reach beyond it. */
export type HtmlPlace = "mail" | "feed";

const inlineTags = [...sanitize.defaults.allowedTags, "img", "center", "font", "del", "ins"];

const mailOptions: sanitize.IOptions = {
  allowedTags: [...inlineTags, "style", "title", "head", "body", "html", "meta"],
  allowedAttributes: {
    "*": [
      ...[
        "style",
        "class",
        "id",
        "align",
        "valign",
        "width",
        "height",
        "bgcolor",
        "border",
        "cellpadding",
        "cellspacing",
      ],
      ...["dir", "lang", "role", "title", "alt", "colspan", "rowspan", "aria-*", "data-*", "color", "face", "size"],
    ],
    a: ["href", "name", "target", "rel"],
    img: ["src"],
    meta: ["charset", "name", "content"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel", "cid"],
  allowedSchemesByTag: { img: ["http", "https", "data", "cid"] },
  // A style sheet is allowed in mail; it cannot run code in any client that also honours this sanitiser's rules.
  allowVulnerableTags: true,
  // Every property is allowed, so taking style attributes apart and putting them together again would only cost time.
  parseStyleAttributes: false,
};

const options: Record<HtmlPlace, sanitize.IOptions> = {
  mail: mailOptions,
  feed: { ...mailOptions, allowedTags: inlineTags },
};

export function sanitizeHtml(html: string, place: HtmlPlace): string {
  if (!html.includes("<")) return html;
  chargeHtml(html, 1);
  return sanitize(html, options[place]);
}

/**
 * A text without anything that HTML would take for a tag, and without control characters; `1 < 2` stays. What is left of
 * nested tags (`<scr<b>ipt>`) could be one again, so the sign in front of it gets a space behind it.
 */
export const withoutTags = (text: string): string =>
  text
    .replace(/[\p{Cc}--[\t\n\r]]/gv, "")
    .replace(/<[a-z/!?][^<>]*>/gi, "")
    .replace(/<(?=[a-z/!?])/gi, "< ");
