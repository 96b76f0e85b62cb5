// HTML that is safe to show and to send: scripts, event attributes, frames and javascript: urls are removed. docs/templates.md has
// the list of what stays.
import sanitize from "sanitize-html";
import { createCommentCleaner } from "./declarations.ts";
import { chargeHtml } from "./html-size.ts";
import { createQuickCleaner } from "./quick-clean.ts";
import { cleanCss } from "./safe-css.ts";
import { linkSchemes } from "./safe-urls.ts";

/** An email is a document of its own; a feed message is part of a page, which a style sheet would change. */
export type HtmlPlace = "mail" | "feed";

const words = (text: string): string[] => text.split(" ");

const inlineTags = [...sanitize.defaults.allowedTags, ...words("img center font del ins map area")];
const documentTags = words("style title head body html meta");

const commonAttributes = [
  ...words("style class id align valign width height bgcolor background border cellpadding cellspacing nowrap"),
  ...words(
    "dir lang role title alt colspan rowspan scope headers abbr summary aria-* data-* color face size hspace vspace",
  ),
  ...words("itemprop itemscope itemtype itemid itemref datetime start type value span"),
];

/** An element that would send the reader elsewhere, or set a cookie. */
const isMovingMeta = (tag: string, { "http-equiv": directive }: sanitize.Attributes): boolean =>
  tag === "meta" && directive !== undefined && !/^(?!refresh$|set-cookie$)[a-z-]+$/i.test(directive.trim());

function cleanAttributes(tagName: string, given: sanitize.Attributes): sanitize.Tag {
  if (isMovingMeta(tagName, given)) return { tagName, attribs: {} };
  const attribs = given.style === undefined ? given : { ...given, style: cleanCss(given.style) };
  return { tagName, attribs };
}

const mailOptions: sanitize.IOptions = {
  allowedTags: [...inlineTags, ...documentTags],
  allowedAttributes: {
    "*": commonAttributes,
    a: ["href", "name", "target", "rel"],
    area: ["href", "shape", "coords", "target"],
    body: ["link", "vlink", "alink", "text", "leftmargin", "topmargin", "marginwidth", "marginheight"],
    html: ["xmlns", "xmlns:*"],
    img: ["src", "srcset", "usemap", "sizes"],
    map: ["name"],
    meta: ["charset", "name", "content", "http-equiv", "property"],
    // Without `media`, rules for print or for small screens would count everywhere.
    style: ["media"],
  },
  allowedSchemes: ["http", "https", "cid", ...linkSchemes],
  allowedSchemesByTag: { img: ["http", "https", "data", "cid"] },
  allowedSchemesAppliedToAttributes: ["href", "src", "cite", "background"],
  // Allows `<style>`: style sheets run no code in mail programs.
  allowVulnerableTags: true,
  // Every property is allowed, so parsing style attributes would only cost time.
  parseStyleAttributes: false,
  transformTags: { "*": cleanAttributes },
};

/** What Outlook alone reads, in conditional comments: its settings, and shapes such as buttons and backgrounds (VML). */
const outlookOptions: sanitize.IOptions = {
  ...mailOptions,
  allowedTags: [
    ...(mailOptions.allowedTags as string[]),
    ...words("xml o:officedocumentsettings o:allowpng o:pixelsperinch o:p w:worddocument w:view w:zoom w:anchorlock"),
    ...words(
      "w:dontuseadvancedtypographyreadingmail v:rect v:roundrect v:oval v:shape v:shapetype v:group v:line v:image v:fill v:stroke",
    ),
    ...words("v:textbox v:imagedata v:background v:path v:shadow"),
  ],
  allowedAttributes: {
    ...(mailOptions.allowedAttributes as Record<string, string[]>),
    "*": [
      ...commonAttributes,
      ...words(
        "xmlns xmlns:* href src fill filled fillcolor stroke stroked strokecolor strokeweight arcsize inset opacity",
      ),
      ...words("aspect origin position coordsize coordorigin path on sizes angle focus color2 method"),
    ],
  },
};

const createCleaners = (options: sanitize.IOptions) => {
  const clean = (html: string): string => sanitize(html, options);
  return { clean, cleanQuickly: createQuickCleaner(clean) };
};

const cleaners: Record<HtmlPlace, ReturnType<typeof createCleaners>> = {
  mail: createCleaners(mailOptions),
  feed: createCleaners({ ...mailOptions, allowedTags: inlineTags }),
};

const takeOutDeclarations = createCommentCleaner(outlookOptions);

export function sanitizeHtml(html: string, place: HtmlPlace): string {
  if (!html.includes("<")) return html;
  chargeHtml(html, 1);
  const { clean, cleanQuickly } = cleaners[place];
  return cleanQuickly(html) ?? (place === "mail" ? cleanDocument(html) : clean(html));
}

function cleanDocument(whole: string): string {
  const { html, restore } = takeOutDeclarations(whole);
  // In clean HTML a `<` stands only where a tag begins, or in a sheet.
  const cleaned = cleaners.mail
    .clean(html)
    .replace(/(<style[^>]*>)([^<]*(?:<(?!\/style)[^<]*)*)/g, (_, tag: string, css: string) => tag + cleanCss(css));
  return restore(cleaned);
}
