// The brand of an environment: name, logo, colours and other facts that templates, blocks, layouts, hosted pages and
// inboxes show. A context, such as a tenant, can override any part of it. An addition of Tidings.
import { operation } from "../../operation.ts";
import { named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { contextPart } from "../topics/contexts.ts";
import { Layout } from "./layouts.ts";

export const brandNetworks = [
  "bluesky",
  "discord",
  "facebook",
  "github",
  "instagram",
  "linkedin",
  "mastodon",
  "pinterest",
  "reddit",
  "telegram",
  "threads",
  "tiktok",
  "website",
  "whatsapp",
  "x",
  "youtube",
] as const;
export type BrandNetwork = (typeof brandNetworks)[number];

export const brandColorNames = [
  "primary",
  "primaryText",
  "text",
  "heading",
  "background",
  "surface",
  "primaryDark",
  "primaryTextDark",
  "textDark",
  "headingDark",
  "backgroundDark",
  "surfaceDark",
] as const;
export type BrandColorName = (typeof brandColorNames)[number];

const colorTexts: Record<BrandColorName, string> = {
  primary: "Buttons and links",
  primaryText: "Text on `primary`; white or black, whichever is easier to read, unless given",
  text: "Text",
  heading: "Headings; as `text`, if that is given",
  background: "Behind the content",
  surface: "The content itself: the card of a mail or page",
  primaryDark: "As `primary`, in dark mode",
  primaryTextDark: "As `primaryText`, in dark mode",
  textDark: "As `text`, in dark mode",
  headingDark: "As `heading`, in dark mode",
  backgroundDark: "As `background`, in dark mode",
  surfaceDark: "As `surface`, in dark mode",
};

const colorsOf = <S>(schema: (name: BrandColorName) => S): Record<BrandColorName, S> =>
  Object.fromEntries(brandColorNames.map((name) => [name, schema(name)])) as Record<BrandColorName, S>;

/** `#rgb` or `#rrggbb`. */
export const hexColor = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";

/** Families without or with quotes: nothing in it can end a style or begin another property. */
export const fontStackPattern =
  "^\\s*('[A-Za-z0-9 _-]{1,60}'|\"[A-Za-z0-9 _-]{1,60}\"|[A-Za-z][A-Za-z0-9 _-]{0,59})" +
  "(\\s*,\\s*('[A-Za-z0-9 _-]{1,60}'|\"[A-Za-z0-9 _-]{1,60}\"|[A-Za-z][A-Za-z0-9 _-]{0,59})){0,9}\\s*$";

const maxSocialLinks = 12;

const addressText = "A web address (http or https), or the path of an uploaded image that `assets.create` returns";
const url = (description: string) =>
  nullableString({ maxLength: 2_000, description: `${description}. ${addressText}` });

const BrandLink = named("BrandLink", {
  network: oneOf(brandNetworks),
  url: Type.String({ minLength: 1, maxLength: 2_000, description: "A web address (http or https)" }),
});

const ShownBrandLink = named("ShownBrandLink", {
  network: oneOf(brandNetworks),
  name: Type.String({ description: "The network as people write it, such as GitHub" }),
  url: Type.String(),
});

const fields = {
  name: { description: "The sender as readers know it" },
  logoUrl: "The logo on a light background",
  logoDarkUrl: "The logo on a dark background; without it, `logoUrl` is used there as well",
  fontStack: {
    description: "Font families in order of preference, such as `Inter, Arial, sans-serif`",
  },
  cornerRadius: { description: "Rounding of buttons and cards, in pixels" },
  address: { description: "Postal address for the footer of mails; line breaks are kept" },
};

const pageText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description: `${description}. Plain text` }));

/** Own texts of the hosted pages in one language; what is not given has the words of the service. */
export const PageTexts = named("PageTexts", {
  title: pageText(120, "Title of the preference page"),
  introduction: pageText(1_000, "Below the title of the preference page; line breaks are kept"),
  footer: pageText(1_000, "At the end of every hosted page; line breaks are kept"),
});
export type PageTexts = Static<typeof PageTexts>;

/** What is set at one level: members that are not given are inherited. */
export const BrandIn = named("BrandIn", {
  name: Type.Optional(Type.String({ maxLength: 100, ...fields.name })),
  logoUrl: Type.Optional(url(fields.logoUrl)),
  logoDarkUrl: Type.Optional(url(fields.logoDarkUrl)),
  colors: Type.Optional(
    named(
      "BrandColorsIn",
      colorsOf((name) => Type.Optional(Type.String({ pattern: hexColor, description: colorTexts[name] }))),
    ),
  ),
  fontStack: Type.Optional(Type.String({ maxLength: 300, pattern: fontStackPattern, ...fields.fontStack })),
  cornerRadius: Type.Optional(Type.Integer({ minimum: 0, maximum: 32, ...fields.cornerRadius })),
  address: Type.Optional(Type.String({ maxLength: 500, ...fields.address })),
  socialLinks: Type.Optional(Type.Array(BrandLink, { maxItems: maxSocialLinks })),
  pageTexts: Type.Optional(
    Type.Unsafe<Record<string, PageTexts>>({
      type: "object",
      propertyNames: { format: "locale" },
      additionalProperties: PageTexts,
      maxProperties: 60,
      description: "Own texts of the hosted pages by locale, such as `de` or `pt_BR`",
    }),
  ),
});
export type BrandIn = Static<typeof BrandIn>;

/** Complete: what templates see as `brand`. */
export const Brand = named("Brand", {
  name: Type.String(fields.name),
  logoUrl: nullableString({ description: fields.logoUrl }),
  logoDarkUrl: nullableString({ description: fields.logoDarkUrl }),
  colors: named(
    "BrandColors",
    colorsOf((name) => Type.String({ description: colorTexts[name] })),
  ),
  fontStack: Type.String(fields.fontStack),
  cornerRadius: Type.Integer(fields.cornerRadius),
  address: Type.String(fields.address),
  socialLinks: Type.Array(ShownBrandLink),
});
export type Brand = Static<typeof Brand>;

export const BrandWarning = named("BrandWarning", {
  field: Type.String({ description: "The field to change, such as `colors.text`" }),
  message: Type.String(),
});
export type BrandWarning = Static<typeof BrandWarning>;

const warnings = Type.Array(BrandWarning, {
  description:
    "What readers may not be able to read or see, such as a contrast below 4.5. The brand is saved all the same",
});

const BrandSettings = named("BrandSettings", {
  brand: Brand,
  own: BrandIn,
  isSet: Type.Boolean({ description: "false: nothing is set here" }),
  warnings,
});
export type BrandSettings = Static<typeof BrandSettings>;

const contextPath = Type.Object({ type: Type.String(contextPart), id: Type.String(contextPart) });

export const brandOperations = {
  "brand.retrieve": operation({
    id: "brand.retrieve",
    method: "GET",
    path: "/v2/brand",
    summary: "Retrieve the brand of the environment",
    category: "configuration",
    success: { status: 200, schema: BrandSettings },
    errors: [],
  }),
  "brand.update": operation({
    id: "brand.update",
    method: "PUT",
    path: "/v2/brand",
    summary: "Replace the brand of the environment",
    description: "Members that are not given have their defaults. Applies to messages that are created from now on.",
    category: "configuration",
    audit: "everyone",
    body: BrandIn,
    success: { status: 200, schema: BrandSettings },
    errors: [],
  }),
  "brand.preview": operation({
    id: "brand.preview",
    method: "POST",
    isReadOnly: true,
    path: "/v2/brand/preview",
    summary: "Show what a brand would look like",
    description: "Renders a sample mail with the brand given. Nothing is stored.",
    category: "configuration",
    body: named("BrandPreviewIn", {
      brand: BrandIn,
      isOverride: Type.Optional(
        Type.Boolean({ default: false, description: "Members that are not given come from the stored brand" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("BrandPreview", {
        brand: Brand,
        warnings,
        mail: Type.String({ description: "A mail in the layout of `brand.createLayout`, as HTML" }),
      }),
    },
    errors: [],
  }),
  "brand.createLayout": operation({
    id: "brand.createLayout",
    method: "POST",
    path: "/v2/brand/layout",
    summary: "Create a layout from the brand",
    description:
      "A layout with logo, content card and footer that follows the brand, in light and dark mode and on phones. It " +
      "becomes the default if the environment has no layout, or with `isDefault`; other layouts are not changed.",
    category: "configuration",
    audit: "everyone",
    isBodyOptional: true,
    body: named("BrandLayoutIn", {
      isDefault: Type.Optional(Type.Boolean({ default: false, description: "Make it the default layout" })),
    }),
    success: { status: 201, schema: Layout },
    errors: [],
  }),
  "brand.retrieveContext": operation({
    id: "brand.retrieveContext",
    method: "GET",
    path: "/v2/contexts/{type}/{id}/brand",
    summary: "Retrieve the brand of a context",
    category: "configuration",
    params: contextPath,
    success: { status: 200, schema: BrandSettings },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
  "brand.updateContext": operation({
    id: "brand.updateContext",
    method: "PUT",
    path: "/v2/contexts/{type}/{id}/brand",
    summary: "Override the brand for a context",
    description:
      "Members that are not given are inherited from the environment. Used for events with this context, and for " +
      "events whose `tenant` has the id of a context of type `tenant`.",
    category: "configuration",
    audit: "everyone",
    params: contextPath,
    body: BrandIn,
    success: { status: 200, schema: BrandSettings },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
  "brand.deleteContext": operation({
    id: "brand.deleteContext",
    method: "DELETE",
    path: "/v2/contexts/{type}/{id}/brand",
    summary: "Remove the brand of a context",
    description: "The context has the brand of the environment again.",
    category: "configuration",
    audit: "everyone",
    params: contextPath,
    success: { status: 204 },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
};
