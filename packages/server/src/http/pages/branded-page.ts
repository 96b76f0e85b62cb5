// The brand of an environment on its pages: logo or name above the content, and the colours, font and corners in the
// variables of the style sheet. Values have a safe grammar (app/brand/brand.ts); addresses and texts are escaped.
import type { Brand } from "@tidings/contract";
import { type Html, html, trusted } from "../docs/docs-page.markup.ts";
import type { Page } from "./page.ts";

/** Nothing is added to the page of an environment without a brand. */
export function brandPage(page: Page, brand: Brand | null): Page {
  if (!brand) return page;
  const style = html`<style>${trusted(brandStyle(brand))}</style>
</head>`;
  const head = html`<main>
${brandHead(brand)}`;
  return {
    ...page,
    html: page.html.replace("</head>", () => style.html).replace("<main>", () => head.html),
    imageSources: imageSources(brand),
  };
}

function brandHead({ name, logoUrl, logoDarkUrl }: Brand): Html {
  if (!logoUrl) return html`${name !== "" && html`<p class="brand">${name}</p>`}`;
  return html`<p class="brand"><picture>${logoDarkUrl !== null && html`<source srcset="${logoDarkUrl}" media="(prefers-color-scheme: dark)">`}<img src="${logoUrl}" alt="${name || "Logo"}"></picture></p>`;
}

const brandStyle = ({ colors, cornerRadius, fontStack }: Brand): string => `
:root { --accent: ${colors.primary}; --on-accent: ${colors.primaryText}; --bg: ${colors.surface}; --soft: ${colors.background}; --text: ${colors.text}; --muted: ${colors.text}; --heading: ${colors.heading}; --radius: ${cornerRadius}px; --sans: ${fontStack}; }
@media (prefers-color-scheme: dark) {
  :root { --accent: ${colors.primaryDark}; --on-accent: ${colors.primaryTextDark}; --bg: ${colors.surfaceDark}; --soft: ${colors.backgroundDark}; --text: ${colors.textDark}; --muted: ${colors.textDark}; --heading: ${colors.headingDark}; }
}
`;

/** Where the page may load its logo from, for the content security policy. */
function imageSources({ logoUrl, logoDarkUrl }: Brand): string[] {
  const urls = [logoUrl, logoDarkUrl].filter((url) => typeof url === "string");
  return [...new Set(urls.map((url) => (url.startsWith("/") ? "'self'" : new URL(url).origin)))];
}
