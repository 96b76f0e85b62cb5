// HTML that is safe to show and to send: scripts, event attributes, frames and javascript: urls are removed.
// docs/templates.md has the list of what stays.
import sanitize from "sanitize-html";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { createCommentCleaner } from "./declarations.ts";
import { chargeHtml } from "./html-size.ts";
import { type Clean, createQuickCleaner } from "./quick-clean.ts";
import { cleanCss } from "./safe-css.ts";
import { currentLinkSchemes, usualSchemes } from "./safe-urls.ts";

/** An email is its own document; a feed message is part of a page, which a style sheet would change. */
export type HtmlPlace = "mail" | "feed";

const words = (text: string): string[] => text.split(" ");

const inlineTags = [...sanitize.defaults.allowedTags, ...words("img center font del ins map area picture source")];
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

const schemes = ["http", "https", "cid", ...usualSchemes];
const imageSchemes = ["http", "https", "data", "cid"];

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
    source: ["srcset", "sizes", "media"],
    meta: ["charset", "name", "content", "http-equiv", "property"],
    // Without `media`, rules for print or for small screens would count everywhere.
    style: ["media"],
  },
  allowedSchemes: schemes,
  allowedSchemesByTag: { img: imageSchemes },
  allowedSchemesAppliedToAttributes: ["href", "src", "cite", "background"],
  // Allows `<style>`: style sheets run no code in mail programs.
  allowVulnerableTags: true,
  // Every property is allowed, so parsing style attributes would only cost time.
  parseStyleAttributes: false,
  transformTags: { "*": cleanAttributes },
};

/**
 * What Outlook alone reads, in conditional comments: its settings, and shapes such as buttons and backgrounds (VML).
 */
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

/** Elements with links that a reader follows; shapes of Outlook are among them, because buttons are built with them. */
const linkTags = words("a area v:rect v:roundrect v:oval v:shape v:group");

function withApps(options: sanitize.IOptions, appSchemes: readonly string[]): sanitize.IOptions {
  if (appSchemes.length === 0) return options;
  const byTag = linkTags.map((tag) => [tag, [...schemes, ...appSchemes]]);
  return { ...options, allowedSchemesByTag: { img: imageSchemes, ...Object.fromEntries(byTag) } };
}

/** `cleanQuickly` returns what `clean` would, or null where only that can tell. */
type Cleaner = { clean: Clean; cleanQuickly: (html: string) => string | null };
type Cleaners = Record<HtmlPlace, Cleaner>;

export function createCleaners(appSchemes: readonly string[]): Cleaners {
  const mailTags = withApps(mailOptions, appSchemes);
  const feedTags = withApps({ ...mailOptions, allowedTags: inlineTags }, appSchemes);
  const { takeOut, cleanComment } = createCommentCleaner(withApps(outlookOptions, appSchemes));
  const cleanMail = (html: string): string => sanitize(html, mailTags);
  const cleanFeed = (html: string): string => sanitize(html, feedTags);
  const cleanDocument = (whole: string): string => {
    const { html, restore } = takeOut(whole);
    return restore(cleanSheets(cleanMail(html)));
  };
  return {
    mail: { clean: cleanDocument, cleanQuickly: createQuickCleaner(cleanMail, cleanComment) },
    feed: { clean: cleanFeed, cleanQuickly: createQuickCleaner(cleanFeed) },
  };
}

/** In clean HTML a `<` is only where a tag begins, or in a sheet. */
const cleanSheets = (html: string): string =>
  html.replace(/(<style[^>]*>)([^<]*(?:<(?!\/style)[^<]*)*)/g, (_, tag: string, css: string) => tag + cleanCss(css));

const usualCleaners = createCleaners([]);

/**
 * By the schemes of apps. Cleaners remember tags, and a tag that one environment keeps another one may have to change.
 */
const appCleaners = createBoundedCache<Cleaners>(10);

function cleanersOf(appSchemes: readonly string[]): Cleaners {
  if (appSchemes.length === 0) return usualCleaners;
  const key = appSchemes.toSorted().join(" ");
  const found = appCleaners.get(key) ?? createCleaners(appSchemes);
  appCleaners.set(key, found);
  return found;
}

export function sanitizeHtml(html: string, place: HtmlPlace): string {
  if (!html.includes("<")) return html;
  chargeHtml(html, 1);
  const { clean, cleanQuickly } = cleanersOf(currentLinkSchemes())[place];
  return cleanQuickly(html) ?? clean(html);
}
