// The HTML of each block of a block document in an email. A block of an unknown type renders only its content.
import {
  alignment,
  attributeText,
  type Block,
  type BlockNode,
  escapeHtml,
  faintInk,
  href,
  ink,
  type Loop,
  length,
  lineInk,
  oneOf,
  type Place,
  type Styles,
  shadeInk,
  style,
  styleValue,
  table,
  tableOf,
  textInk,
  textTemplate,
  variable,
  variableName,
  withImage,
} from "./block-parts.ts";
import { button } from "./blocks/button.ts";
import { showIfTemplate } from "./blocks/show-if.ts";
import { codeBlock, dataCell, dataRow, dataTable, headerCell, socialLinks } from "./blocks/text-blocks.ts";

/** As many as the events that a digest keeps. */
const maxIterations = 1_000;

const headings: Record<string, Styles> = {
  h1: { "font-size": "36px", "line-height": "40px", "font-weight": "800" },
  h2: { "font-size": "30px", "line-height": "36px", "font-weight": "700" },
  h3: { "font-size": "24px", "line-height": "32px", "font-weight": "600" },
};

const textAlign = (attrs: BlockNode["attrs"]): Styles => ({ "text-align": alignment(attrs.textAlign) });

/** In a layout, the paragraph holds the content of the email: block elements, which are not allowed inside `<p>`. */
const holdsContent = ({ content }: BlockNode): boolean =>
  content.some(({ type, attrs, text }) =>
    type === "variable" ? attrs.id === "content" : /\{\{-?\s*content\b/.test(text),
  );

function paragraph({ node, attrs, place, inside }: Block): string {
  const margin = place.isTight ? "0" : "0 0 20px";
  const styles = { margin, "font-size": "15px", "line-height": "24px", color: place.look.text, ...textAlign(attrs) };
  const tag = holdsContent(node) ? "div" : "p";
  return `<${tag}${style(styles)}>${inside() || "&nbsp;"}</${tag}>`;
}

function heading({ attrs, place, inside }: Block): string {
  const tag = `h${Math.min(3, Math.max(1, Math.trunc(Number(attrs.level)) || 1))}`;
  return `<${tag}${style({ margin: "0 0 12px", color: place.look.heading, ...headings[tag], ...textAlign(attrs) })}>${inside()}</${tag}>`;
}

function list(tag: "ul" | "ol", { attrs, place, inside }: Block): string {
  const start = tag === "ol" && Number.isInteger(attrs.start) && attrs.start !== 1 ? ` start="${attrs.start}"` : "";
  return `<${tag}${start}${style({ margin: "0 0 20px", "padding-left": "26px", color: place.look.text })}>${inside()}</${tag}>`;
}

const listItem = ({ place, inside }: Block): string =>
  `<li style="margin:0 0 8px">${inside({ ...place, isTight: true })}</li>`;

const blockquote = ({ inside }: Block): string =>
  `<blockquote style="margin:0 0 20px;padding-left:12px;border-left:4px solid #d1d5db">${inside()}</blockquote>`;

const rule = (): string => `<hr style="margin:32px 0;border:none;border-top:1px solid ${lineInk}" />`;

const spaces: Record<string, string> = { sm: "8px", md: "16px", lg: "32px", xl: "64px" };

function spacer({ attrs }: Block): string {
  const height = spaces[String(attrs.height)] ?? length(attrs.height) ?? "8px";
  return table({ height: height.replace("px", "") }, { height, "font-size": "1px", "line-height": height }, "&nbsp;");
}

function picture({ attrs, place }: Block, styles: Styles): string {
  const alt = attributeText(attrs.alt, false, place.loop);
  const title = attributeText(attrs.title, false, place.loop);
  return withImage(attrs.src, attrs.isSrcVariable, place.loop, (src) => {
    const img = `<img${src} alt="${alt}"${title ? ` title="${title}"` : ""}${style({ border: "0", ...styles })} />`;
    const link = href(attrs.externalLink, attrs.isExternalLinkVariable, place.loop);
    return link ? `<a${link} target="_blank" rel="noopener noreferrer">${img}</a>` : img;
  });
}

const image = (block: Block): string =>
  table(
    { align: alignment(block.attrs.alignment ?? block.attrs.align) },
    { padding: "0 0 32px" },
    picture(block, {
      width: length(block.attrs.width) ?? "100%",
      "max-width": "100%",
      height: length(block.attrs.height) ?? "auto",
      "border-radius": length(block.attrs.borderRadius),
    }),
  );

const logoSizes: Record<string, string> = { sm: "40px", md: "48px", lg: "64px" };

const logo = (block: Block): string =>
  table(
    { align: alignment(block.attrs.alignment ?? block.attrs.align) },
    { padding: "0 0 32px" },
    picture(block, { width: "auto", height: logoSizes[String(block.attrs.size)] ?? logoSizes.sm! }),
  );

const inlineImage = (block: Block): string =>
  picture(block, {
    width: length(block.attrs.width) ?? "20px",
    height: length(block.attrs.height) ?? "20px",
    display: "inline",
    "vertical-align": "middle",
  });

/** The four sides of `padding` or `margin`; null for a side that is not set. */
const sides = (attrs: BlockNode["attrs"], name: "padding" | "margin"): Styles =>
  Object.fromEntries(
    ["Top", "Right", "Bottom", "Left"].map((side) => [
      `${name}-${side.toLowerCase()}`,
      length(attrs[`${name}${side}`] ?? (name === "padding" ? attrs.padding : undefined)),
    ]),
  );

function section({ attrs, inside }: Block): string {
  const border = length(attrs.borderWidth);
  const isBordered = border !== null && border !== "0px";
  const styles: Styles = {
    "background-color": styleValue(attrs.backgroundColor),
    ...sides(attrs, "padding"),
    "border-radius": length(attrs.borderRadius),
    border: isBordered ? `${border} solid ${styleValue(attrs.borderColor, lineInk)}` : null,
  };
  const margin = sides(attrs, "margin");
  const box = table({ align: alignment(attrs.align) }, styles, inside());
  return Object.values(margin).some((value) => value !== null && value !== "0px") ? table({}, margin, box) : box;
}

const columns = ({ inside }: Block): string =>
  table({}, { padding: "0 0 20px" }, tableOf(`<tr>${inside()}</tr>`, { "table-layout": "fixed" }));

function column({ attrs, inside }: Block): string {
  const verticalAlign = oneOf(attrs.verticalAlign, ["top", "middle", "bottom"], "top");
  // A plain number is a percentage of the row.
  const width = typeof attrs.width === "number" ? `${attrs.width}%` : length(attrs.width)?.replace("px", "%");
  const styles = { width: width ?? null, padding: "0 4px", "vertical-align": verticalAlign };
  return `<td valign="${verticalAlign}"${style(styles)}>${inside()}</td>`;
}

const footer = ({ attrs, inside }: Block): string =>
  `<p${style({ margin: "0 0 20px", "font-size": "14px", "line-height": "24px", color: faintInk, ...textAlign(attrs) })}>${inside()}</p>`;

function linkCard({ attrs, place }: Block): string {
  const text = (name: string) => attributeText(attrs[name], false, place.loop);
  const link = href(attrs.link, attrs.isLinkVariable, place.loop);
  const styles = { width: "100%", "border-radius": "10px 10px 0 0" };
  const top = withImage(
    attrs.image,
    attrs.isImageVariable,
    place.loop,
    (src) => `<img${src} alt="" role="presentation"${style(styles)} />`,
  );
  const note = text("badgeText") || text("subTitle");
  const lines = [
    `<strong${style({ "font-size": "18px", color: ink })}>${text("title")}</strong>`,
    note && ` <span${style({ "font-size": "12px", color: faintInk })}>${note}</span>`,
    `<br />${text("description")}`,
    text("linkTitle") && ` <u>${text("linkTitle")}</u>`,
  ];
  const card = `<a${link} target="_blank" rel="noopener noreferrer"${style({ "text-decoration": "none", color: textInk })}>${top}${table({}, { padding: "15px" }, lines.join(""))}</a>`;
  return table(
    {},
    { padding: "0 0 20px" },
    table({}, { border: `1px solid ${lineInk}`, "border-radius": "10px" }, card),
  );
}

/** Html written by hand is used unchanged, with its Liquid. It is sanitised with the rest of the email. */
const htmlOf = (node: BlockNode, loop: Loop): string =>
  node.content
    .map(({ type, attrs, text }) => (type === "variable" ? variable(attrs.id, attrs.fallback, loop) : text))
    .join("");

function repeat({ attrs, place, inside }: Block): string {
  const each = variableName(attrs.each, place.loop).split("|")[0]!.trim();
  const most = Math.trunc(Number(attrs.iterations)) || maxIterations;
  const limit = Math.min(Math.max(most, 1), maxIterations);
  return `{% for current in ${each} limit:${limit} %}${inside({ ...place, loop: { each } })}{% endfor %}`;
}

const blocks: Record<string, (block: Block) => string> = {
  paragraph,
  heading,
  bulletList: (block) => list("ul", block),
  orderedList: (block) => list("ol", block),
  listItem,
  blockquote,
  horizontalRule: rule,
  hardBreak: () => "<br />",
  text: ({ node }) => textTemplate(node.text),
  variable: ({ attrs, place }) => variable(attrs.id, attrs.fallback, place.loop),
  image,
  logo,
  inlineImage,
  button,
  spacer,
  section,
  columns,
  column,
  footer,
  linkCard,
  codeBlock,
  table: dataTable,
  tableRow: dataRow,
  tableHeader: headerCell,
  tableCell: dataCell,
  socialLinks,
  htmlCodeBlock: ({ node, place }) => htmlOf(node, place.loop),
  repeat,
  for: repeat,
};

const wrap = (tag: string) => (html: string) => `<${tag}>${html}</${tag}>`;

const marks: Record<string, (html: string, attrs: BlockNode["attrs"], loop: Loop) => string> = {
  bold: wrap("strong"),
  italic: wrap("em"),
  underline: wrap("u"),
  strike: wrap("s"),
  subscript: wrap("sub"),
  superscript: wrap("sup"),
  code: (html) => `<code style="padding:2px 4px;border-radius:4px;background-color:${shadeInk}">${html}</code>`,
  textStyle: (html, attrs) => `<span${style({ color: styleValue(attrs.color) })}>${html}</span>`,
  highlight: (html, attrs) => `<span${style({ "background-color": styleValue(attrs.color) })}>${html}</span>`,
  link: (html, attrs, loop) => {
    const target = escapeHtml(oneOf(attrs.target, ["_self", "_blank", "_parent", "_top"], "_blank"));
    const link = href(attrs.href, attrs.isUrlVariable, loop);
    return `<a${link} target="${target}" rel="noopener noreferrer"${style({ color: ink, "text-decoration": "underline" })}>${html}</a>`;
  },
};

/** One block as part of a Liquid template; `inside` renders its content. */
export function blockHtml(node: BlockNode, place: Place, inside: (place?: Place) => string): string {
  const render = Object.hasOwn(blocks, node.type) ? blocks[node.type] : undefined;
  let html = render ? render({ node, attrs: node.attrs, place, inside }) : inside();
  for (const { type, attrs } of node.marks) {
    if (Object.hasOwn(marks, type)) html = marks[type]?.(html, attrs, place.loop) ?? html;
  }
  return showIfTemplate(node.attrs, place.loop, html);
}
