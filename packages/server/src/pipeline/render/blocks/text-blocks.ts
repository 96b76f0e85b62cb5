// Code, tables of data, and links to social networks. Every block that has a background also sets the colour of its
// text, so that a mail program that turns colours for dark mode turns both.
import {
  alignment,
  attributeText,
  type Block,
  escapeHtml,
  ink,
  length,
  lineInk,
  type Styles,
  shadeInk,
  style,
  styleValue,
  table,
  textInk,
  withLink,
} from "../block-parts.ts";

const codeStyles: Styles = {
  margin: "0 0 20px",
  padding: "12px 16px",
  "border-radius": "6px",
  "background-color": shadeInk,
  color: ink,
  "font-family": "Menlo,Consolas,monospace",
  "font-size": "13px",
  "line-height": "20px",
  "white-space": "pre-wrap",
  "word-break": "break-word",
};

export const codeBlock = ({ inside }: Block): string => `<pre${style(codeStyles)}><code>${inside()}</code></pre>`;

const tableStyles: Styles = { width: "100%", margin: "0 0 20px", "border-collapse": "collapse" };

/** Not a table for the layout, so it has no role: screen readers announce its rows and columns. */
export const dataTable = ({ inside, place }: Block): string =>
  `<table width="100%" cellpadding="0" cellspacing="0" border="0"${style(tableStyles)}>${inside({ ...place, isTight: true })}</table>`;

export const dataRow = ({ inside }: Block): string => `<tr>${inside()}</tr>`;

const maxSpan = 100;

/** ` colspan="2"`; nothing for one cell, or for what is not a count. */
function span(name: "colspan" | "rowspan", value: unknown): string {
  const count = Math.trunc(Number(value));
  return count > 1 && count <= maxSpan ? ` ${name}="${count}"` : "";
}

/** The editor has a width for each column that a cell covers. */
function widthOf(value: unknown): string | null {
  const widths = [value].flat().map((one) => (typeof one === "number" && one > 0 ? one : 0));
  const sum = widths.reduce((total, one) => total + one, 0);
  return sum > 0 ? length(Math.min(Math.round(sum), 2_000)) : null;
}

function cell(tag: "td" | "th", { attrs, inside }: Block, looks: Styles): string {
  const align = alignment(attrs.align ?? attrs.textAlign);
  const styles: Styles = {
    padding: "8px 12px",
    border: `1px solid ${lineInk}`,
    "font-size": "15px",
    "line-height": "24px",
    "text-align": align,
    width: widthOf(attrs.colwidth),
    ...looks,
    ...(styleValue(attrs.backgroundColor) !== null && { "background-color": styleValue(attrs.backgroundColor) }),
  };
  const spans = span("colspan", attrs.colspan) + span("rowspan", attrs.rowspan);
  return `<${tag}${spans} align="${align}" valign="top"${style(styles)}>${inside()}</${tag}>`;
}

export const dataCell = (block: Block): string => cell("td", block, { color: textInk });

export const headerCell = (block: Block): string =>
  cell("th", block, { color: ink, "font-weight": "600", "background-color": shadeInk });

const networkNames: Record<string, string> = {
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
  twitter: "X",
  website: "Website",
  whatsapp: "WhatsApp",
  x: "X",
  youtube: "YouTube",
};

/** Most brands have a handful. */
const maxLinks = 20;

const chipStyles: Styles = {
  display: "inline-block",
  margin: "0 4px 8px",
  padding: "4px 12px",
  border: `1px solid ${lineInk}`,
  "border-radius": "9999px",
  color: textInk,
  "font-size": "13px",
  "line-height": "20px",
  "text-decoration": "none",
};

/** Names instead of icons: most mail programs load no images at first, and show no SVG. */
export function socialLinks({ attrs, place }: Block): string {
  const links = Array.isArray(attrs.links) ? attrs.links.slice(0, maxLinks) : [];
  const chips = links.map((one) => {
    const { network, url } = Object(one) as { network?: unknown; url?: unknown };
    const name = typeof network === "string" ? network.trim() : "";
    const label = Object.hasOwn(networkNames, name.toLowerCase())
      ? escapeHtml(networkNames[name.toLowerCase()]!)
      : attributeText(name || "Website", false, place.loop);
    return withLink(url, false, place.loop, (link) => {
      const attributes = `${link} target="_blank" rel="noopener noreferrer"${style(chipStyles)}`;
      return `<a${attributes}>${label}</a>`;
    });
  });
  return table({ align: alignment(attrs.alignment) }, { padding: "0 0 12px" }, chips.join(""));
}
