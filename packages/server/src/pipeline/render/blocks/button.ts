// Buttons. Outlook on Windows ignores padding and rounded corners of links, so it gets a shape (VML) in a conditional
// comment, which all other programs skip; they get the link, which Outlook skips.
import type { BlockLook } from "../../../lib/brand/block-look.ts";
import {
  alignment,
  attributeText,
  type Block,
  hasLiquid,
  href,
  length,
  type Styles,
  style,
  styleValue,
  table,
} from "../block-parts.ts";
import { blockWidth } from "../filters.ts";

const corners: Record<string, string> = { sharp: "0", smooth: "6px", round: "9999px" };
const borderWidth = 2;
/** One line of 14 px. */
const lineHeight = 16;

type Look = { isFilled: boolean; color: string; textColor: string; padding: string[]; radius: string };

function lookOf(attrs: Block["attrs"], brand: BlockLook): Look {
  const isFilled = attrs.variant !== "outline";
  return {
    isFilled,
    color: styleValue(attrs.buttonColor ?? attrs.backgroundColor, brand.primary)!,
    textColor: styleValue(attrs.textColor ?? attrs.color, isFilled ? brand.primaryText : brand.primary)!,
    padding: ["Top", "Right", "Bottom", "Left"].map(
      (side, index) => length(attrs[`padding${side}`]) ?? (index % 2 === 0 ? "10px" : "32px"),
    ),
    radius: corners[String(attrs.borderRadius)] ?? length(attrs.borderRadius) ?? brand.radius,
  };
}

export function button({ node, attrs, place, inside }: Block): string {
  const look = lookOf(attrs, place.look);
  const text = node.content.length > 0 ? inside() : attributeText(attrs.text, attrs.isTextVariable, place.loop);
  const label = captured("block_label", text);
  const link = captured("block_href", href(attrs.url, attrs.isUrlVariable, place.loop));
  const anchor = `<a${link.use} target="_blank" rel="noopener noreferrer"${style(anchorStyles(look))}>${label.use}</a>`;
  const both = `${shape(look, link.use, label.use)}<!--[if !mso]><!-->${anchor}<!--<![endif]-->`;
  return table(
    { align: alignment(attrs.alignment) },
    { padding: "0 0 20px" },
    label.assign + link.assign + whereLinked(link.use, both, anchor),
  );
}

/** A part that is used twice is rendered once. */
function captured(name: string, template: string): { assign: string; use: string } {
  if (!hasLiquid(template)) return { assign: "", use: template };
  return { assign: `{% capture ${name} %}${template}{% endcapture %}`, use: `{{ ${name} | raw }}` };
}

/** Without a link there is nothing to click, so no shape is needed. */
function whereLinked(link: string, linked: string, otherwise: string): string {
  if (!hasLiquid(link)) return link === "" ? otherwise : linked;
  return `{% if block_href == "" %}${otherwise}{% else %}${linked}{% endif %}`;
}

const anchorStyles = ({ isFilled, color, textColor, padding, radius }: Look): Styles => ({
  display: "inline-block",
  padding: padding.join(" "),
  "border-radius": radius,
  border: `${borderWidth}px solid ${color}`,
  "background-color": isFilled ? color : "transparent",
  color: textColor,
  "font-size": "14px",
  "font-weight": "500",
  "text-decoration": "none",
});

/** Percentages count as what a button usually has. */
const pixels = (value: string, otherwise: number): number =>
  value.endsWith("%") ? otherwise : Number.parseFloat(value) || 0;

function shape({ isFilled, color, textColor, padding, radius }: Look, link: string, label: string): string {
  const [top, right, bottom, left] = padding as [string, string, string, string];
  const height = pixels(top, 10) + pixels(bottom, 10) + lineHeight + 2 * borderWidth;
  const room = pixels(left, 32) + pixels(right, 32) + 2 * borderWidth;
  const width = hasLiquid(label) ? `{{ block_label | block_width: ${room} }}` : blockWidth(label, room);
  const arc = Math.min(50, Math.round((pixels(radius, 6) / height) * 100));
  const fill = isFilled ? `fillcolor="${color}"` : 'filled="f"';
  const looks = { color: textColor, "font-family": "Helvetica,Arial,sans-serif", "font-size": "14px" };
  return (
    `<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word"${link} ` +
    `style="height:${height}px;v-text-anchor:middle;width:${width}px" arcsize="${arc}%" ` +
    `strokecolor="${color}" strokeweight="${borderWidth}px" ${fill}><w:anchorlock/>` +
    `<center${style(looks)}>${label}</center></v:roundrect><![endif]-->`
  );
}
