// The parts of blocks: texts with Liquid, names of variables, addresses, styles. Each function returns part of a Liquid
// template that renders to html.
import type { BlockLook } from "../../lib/brand/block-look.ts";
import type { JsonObject } from "../../lib/json.ts";
import { blockImage, blockStyle, constantLink } from "./filters.ts";
import { RenderError } from "./liquid.ts";

export type BlockNode = {
  type: string;
  attrs: JsonObject;
  text: string;
  marks: BlockNode[];
  content: BlockNode[];
};

/** The surroundings of a block in its document. `isTight`: paragraphs have no margin, as in list items and cells. */
export type Place = { loop: Loop; isTight: boolean; look: BlockLook };

/** A block with what surrounds it; `inside` renders its content. */
export type Block = { node: BlockNode; attrs: BlockNode["attrs"]; place: Place; inside: (place?: Place) => string };

export type Styles = Record<string, string | null>;

export const ink = "#111827";
export const textInk = "#374151";
export const faintInk = "#64748b";
export const lineInk = "#e5e7eb";
export const shadeInk = "#f3f4f6";

const htmlSigns: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => htmlSigns[sign]!);

/**
 * Escapes a text except for the Liquid in it. An unclosed tag is left unchanged, so that Liquid reports the syntax
 * error.
 */
export function textTemplate(text: string): string {
  let template = "";
  let from = 0;
  for (;;) {
    const start = nextLiquid(text, from);
    if (start === -1) return template + escapeHtml(text.slice(from));
    const end = text.indexOf(text[start + 1] === "{" ? "}}" : "%}", start + 2);
    if (end === -1) return template + escapeHtml(text.slice(from, start)) + text.slice(start);
    template += escapeHtml(text.slice(from, start)) + text.slice(start, end + 2);
    from = end + 2;
  }
}

function nextLiquid(text: string, from: number): number {
  for (let start = text.indexOf("{", from); start !== -1; start = text.indexOf("{", start + 1)) {
    if (text[start + 1] === "{" || text[start + 1] === "%") return start;
  }
  return -1;
}

export const hasLiquid = (text: string): boolean => text.includes("{{") || text.includes("{%");

/** Inside a loop over `each`, editors name the members of an item after the list: `payload.items.name`. */
export type Loop = { each: string } | null;

/** A name such as `payload.name`, with filters and without surrounding braces. */
export function variableName(value: unknown, loop: Loop): string {
  const name = String(value ?? "")
    .trim()
    .replace(/^\{\{-?([\s\S]*?)-?\}\}$/, "$1")
    .trim();
  if (name === "" || /\{\{|\}\}|\{%|%\}/.test(name)) {
    throw new RenderError(
      `the block document has a variable without a proper name: ${JSON.stringify(name.slice(0, 100))}`,
    );
  }
  return loop && name.startsWith(`${loop.each}.`) ? `current.${name.slice(loop.each.length + 1)}` : name;
}

/** The value of a variable, or the fallback of the document. */
export function variable(value: unknown, fallback: unknown, loop: Loop): string {
  const name = variableName(value, loop);
  if (typeof fallback !== "string" || fallback === "") return `{{ ${name} }}`;
  return `{{ ${name} | default: "${fallback.replace(/[\\"]/g, "\\$&")}" }}`;
}

/** An attribute that is a text, or with `isVariable` the name of a variable. */
export function attributeText(value: unknown, isVariable: unknown, loop: Loop): string {
  if (typeof value !== "string" || value === "") return "";
  return isVariable === true && !hasLiquid(value) ? variable(value, undefined, loop) : textTemplate(value);
}

/** ` href="..."`, or nothing when the address is not safe in an email. */
export function href(value: unknown, isVariable: unknown, loop: Loop): string {
  const template = attributeText(value, isVariable, loop);
  const constant = hasLiquid(template) ? null : constantLink(template);
  if (constant !== null) return constant;
  return `{% capture block_url %}${template}{% endcapture %}{{ block_url | block_link | raw }}`;
}

/** `html` with the `href` attribute of a link, or nothing when the address is not safe in an email. */
export function withLink(value: unknown, isVariable: unknown, loop: Loop, html: (link: string) => string): string {
  const link = href(value, isVariable, loop);
  if (!hasLiquid(link)) return link && html(link);
  const assign = `{% capture block_href %}${link}{% endcapture %}`;
  return `${assign}{% if block_href != "" %}${html("{{ block_href | raw }}")}{% endif %}`;
}

/** `html` with the `src` attribute of an image, or nothing when the address is not safe in an email. */
export function withImage(value: unknown, isVariable: unknown, loop: Loop, html: (src: string) => string): string {
  const template = attributeText(value, isVariable, loop);
  if (!hasLiquid(template)) return blockImage(template) && html(blockImage(template));
  const assign = `{% capture block_url %}${template}{% endcapture %}{% assign block_src = block_url | block_image %}`;
  return `${assign}{% if block_src != "" %}${html("{{ block_src | raw }}")}{% endif %}`;
}

/** A colour or keyword for a style; `otherwise` when it is missing or not valid. */
export function styleValue(value: unknown, otherwise = ""): string | null {
  if (typeof value !== "string" && typeof value !== "number") return otherwise || null;
  const text = String(value);
  if (!hasLiquid(text)) return blockStyle(text, otherwise) || null;
  const template = `{% capture block_value %}${textTemplate(text)}{% endcapture %}`;
  return `${template}{{ block_value | block_style: "${otherwise}" | raw }}`;
}

/** A length: a number is pixels. */
export function length(value: unknown): string | null {
  const text = String(value ?? "").trim();
  const [, number = "", unit = ""] = /^(\d{1,4}(?:\.\d{1,3})?)(px|%)?$/.exec(text) ?? [];
  return number === "" ? null : `${number}${unit || "px"}`;
}

export const oneOf = (value: unknown, words: string[], otherwise: string): string =>
  words.find((word) => word === value) ?? otherwise;

export const alignment = (value: unknown): string => oneOf(value, ["left", "center", "right", "justify"], "left");

export function style(styles: Styles): string {
  const texts = Object.entries(styles).flatMap(([name, value]) => (value === null ? [] : [`${name}:${value}`]));
  return texts.length > 0 ? ` style="${texts.join(";")}"` : "";
}

/** A table of one cell, which mail programs support better than boxes. */
export function table(
  cell: Record<string, string>,
  cellStyles: Styles,
  html: string,
  { width = "100%", style: styles = {} }: { width?: string; style?: Styles } = {},
): string {
  const attributes = Object.entries(cell).map(([name, value]) => ` ${name}="${value}"`);
  const cells = `<tr><td${attributes.join("")}${style(cellStyles)}>${html}</td></tr>`;
  return tableOf(cells, styles, width);
}

export const tableOf = (rows: string, styles: Styles = {}, width = "100%"): string =>
  `<table role="presentation" width="${width}" cellpadding="0" cellspacing="0" border="0"${style(styles)}>${rows}</table>`;
