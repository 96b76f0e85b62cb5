// HTML that is safe to show and to send: scripts, event attributes, frames and javascript: urls are removed. And the text
// part of an email, made from its html.
import sanitize from "sanitize-html";

const options: sanitize.IOptions = {
  allowedTags: [
    ...sanitize.defaults.allowedTags,
    ...["img", "style", "title", "head", "body", "html", "meta", "center", "font", "del", "ins", "picture", "source"],
  ],
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
    img: ["src", "srcset"],
    source: ["srcset", "media", "type"],
    meta: ["charset", "name", "content"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel", "cid"],
  allowedSchemesByTag: { img: ["http", "https", "data", "cid"] },
  // A style sheet is allowed in mail; it cannot run code in any client that also honours this sanitiser's rules.
  allowVulnerableTags: true,
};

export const sanitizeHtml = (html: string): string => (html.includes("<") ? sanitize(html, options) : html);

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** A readable text version: links keep their address, blocks become lines, lists get dashes. */
export function htmlToText(html: string): string {
  return html
    .replace(/<(style|script|head|title)\b[^>]*>[\s\S]*?<\/\1>/gi, "")
    .replace(/\s+/g, " ")
    .replace(/<a\b[^>]*\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, (_, href: string, label: string) =>
      label.trim() === href ? href : `${label} (${href})`,
    )
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<br\b[^>]*>/gi, "\n")
    .replace(/<\/(p|div|h[1-6]|tr|table|ul|ol|blockquote|section)>/gi, "\n\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name]!)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n[ \t]+/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Links that a message may carry: absolute web addresses, or paths of the product itself. */
export const isSafeUrl = (url: string): boolean => /^(https?:\/\/|\/(?!\/))/i.test(url);
