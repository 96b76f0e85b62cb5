// HTML that is safe to show and to send: scripts, event attributes, frames and javascript: urls are removed.
import sanitize from "sanitize-html";
import { chargeHtml } from "./html-size.ts";
import { createQuickCleaner } from "./quick-clean.ts";

/** An email is a document of its own; a feed message is part of a page, which a style sheet would change. */
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
    // Without `media`, rules for print or for small screens would count everywhere.
    style: ["media", "type"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel", "cid"],
  allowedSchemesByTag: { img: ["http", "https", "data", "cid"] },
  // Allows `<style>`: style sheets run no code in mail programs.
  allowVulnerableTags: true,
  // Every property is allowed, so parsing style attributes would only cost time.
  parseStyleAttributes: false,
};

const createCleaners = (options: sanitize.IOptions) => {
  const clean = (html: string): string => sanitize(html, options);
  return { clean, cleanQuickly: createQuickCleaner(clean) };
};

const cleaners: Record<HtmlPlace, ReturnType<typeof createCleaners>> = {
  mail: createCleaners(mailOptions),
  feed: createCleaners({ ...mailOptions, allowedTags: inlineTags }),
};

export function sanitizeHtml(html: string, place: HtmlPlace): string {
  if (!html.includes("<")) return html;
  chargeHtml(html, 1);
  const { clean, cleanQuickly } = cleaners[place];
  return cleanQuickly(html) ?? clean(html);
}
