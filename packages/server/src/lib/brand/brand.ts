// A brand from its levels: the defaults, the environment, a context. Members that a level does not set are inherited.
import type { Brand, BrandColorName, BrandIn, BrandNetwork, BrandWarning, PageTexts } from "@tidings/contract";
import { contrast, minContrast, readableOn } from "./contrast.ts";

type GivenColors = Partial<Record<BrandColorName, string>>;

/** The blocks of an email look like this without a brand, so that the default brand changes no email. */
const plainColors = {
  primary: "#000000",
  text: "#374151",
  heading: "#111827",
  background: "#f3f4f6",
  surface: "#ffffff",
  textDark: "#e5e7eb",
  headingDark: "#f9fafb",
  backgroundDark: "#111827",
  surfaceDark: "#1f2937",
} satisfies GivenColors;

const plainBrand: BrandIn = {
  name: "",
  logoUrl: null,
  logoDarkUrl: null,
  fontStack: "Helvetica,Arial,sans-serif",
  cornerRadius: 6,
  address: "",
  socialLinks: [],
};

const networkNames: Record<BrandNetwork, string> = {
  bluesky: "Bluesky",
  discord: "Discord",
  facebook: "Facebook",
  github: "GitHub",
  instagram: "Instagram",
  linkedin: "LinkedIn",
  mastodon: "Mastodon",
  pinterest: "Pinterest",
  reddit: "Reddit",
  telegram: "Telegram",
  threads: "Threads",
  tiktok: "TikTok",
  website: "Website",
  whatsapp: "WhatsApp",
  x: "X",
  youtube: "YouTube",
};

/** Later levels win. */
export function resolveBrand(...levels: (BrandIn | null | undefined)[]): Brand {
  const given = levels.filter((level) => level !== null && level !== undefined);
  const colors = Object.assign({}, ...given.map((level) => level.colors ?? {})) as GivenColors;
  const { socialLinks, pageTexts: _, ...members }: Required<BrandIn> = Object.assign({}, plainBrand, ...given);
  return {
    ...members,
    colors: completeColors(colors),
    socialLinks: socialLinks.map(({ network, url }) => ({ network, name: networkNames[network], url })),
  };
}

/** Own texts of hosted pages by locale. A later level wins for each text that it has. */
export function resolvePageTexts(...levels: (BrandIn | null | undefined)[]): Record<string, PageTexts> {
  const texts: Record<string, PageTexts> = {};
  for (const level of levels)
    for (const [locale, own] of Object.entries(level?.pageTexts ?? {})) texts[locale] = { ...texts[locale], ...own };
  return texts;
}

/** Whether it says how things look, and not only what pages say. */
export const hasLook = (brand: BrandIn | null): boolean =>
  Object.keys(brand ?? {}).some((member) => member !== "pageTexts");

function completeColors(given: GivenColors): Brand["colors"] {
  const derived = {
    heading: given.text ?? plainColors.heading,
    headingDark: given.textDark ?? plainColors.headingDark,
  };
  const colors = { ...plainColors, ...derived, ...given };
  // The colour of the light mode stays where it can be read.
  const isReadable = contrast(colors.primary, colors.surfaceDark) >= minContrast;
  const primaryDark = given.primaryDark ?? (isReadable ? colors.primary : "#ffffff");
  return {
    ...colors,
    primaryDark,
    primaryText: given.primaryText ?? readableOn(colors.primary),
    primaryTextDark: given.primaryTextDark ?? readableOn(primaryDark),
  };
}

export const defaultBrand: Brand = Object.freeze(resolveBrand());

/** `sameAs`: a colour that is reported already where both are the same. */
type Pair = { field: BrandColorName; on: BrandColorName; what: string; sameAs?: BrandColorName };

const pairs: readonly Pair[] = [
  { field: "text", on: "background", what: "Text on the background" },
  { field: "text", on: "surface", what: "Text on the surface" },
  { field: "heading", on: "surface", what: "A heading on the surface", sameAs: "text" },
  { field: "primaryText", on: "primary", what: "The text of buttons" },
  { field: "primary", on: "surface", what: "A link on the surface" },
  { field: "textDark", on: "backgroundDark", what: "Text on the background in dark mode" },
  { field: "textDark", on: "surfaceDark", what: "Text on the surface in dark mode" },
  { field: "headingDark", on: "surfaceDark", what: "A heading on the surface in dark mode", sameAs: "textDark" },
  { field: "primaryTextDark", on: "primaryDark", what: "The text of buttons in dark mode" },
  { field: "primaryDark", on: "surfaceDark", what: "A link on the surface in dark mode" },
];

/** What readers may not be able to read or see, in sentences. */
export function brandWarnings({ colors, logoUrl, logoDarkUrl }: Brand): BrandWarning[] {
  const unreadable = pairs.flatMap(({ field, on, what, sameAs }): BrandWarning[] => {
    if (sameAs && colors[field] === colors[sameAs]) return [];
    const ratio = contrast(colors[field], colors[on]);
    if (ratio >= minContrast) return [];
    // Rounded down: 4.49 must not be shown as 4.5.
    const shown = Math.floor(ratio * 10) / 10;
    const message = `${what} is hard to read: ${colors[field]} on ${colors[on]} has a contrast of ${shown}, below 4.5.`;
    return [{ field: `colors.${field}`, message }];
  });
  const unseen = Object.entries({ logoUrl, logoDarkUrl }).flatMap(([field, url]): BrandWarning[] => {
    const message = url && logoWarning(url);
    return message ? [{ field, message }] : [];
  });
  return [...unreadable, ...unseen];
}

function logoWarning(url: string): string | null {
  if (url.startsWith("/"))
    return "Mails cannot show this logo: its address has no host. Set TIDINGS_PUBLIC_URL and upload it again.";
  return /\.svgz?([?#]|$)/i.test(url) ? "Most mail programs do not show SVG images: use PNG, JPEG, GIF or WebP." : null;
}
