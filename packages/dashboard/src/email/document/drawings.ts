// What each node and mark looks like in the editor: its element, its styles, and for blocks without text what is
// inside. email.module.css has the rest.
import { words } from "../words.ts";
import type { Json, JsonMembers } from "./json.ts";
import { isTyped, textOf } from "./json.ts";

type Styles = Partial<
  Record<
    | "textAlign"
    | "color"
    | "backgroundColor"
    | "padding"
    | "borderRadius"
    | "border"
    | "height"
    | "flexGrow"
    | "flexBasis"
    | "alignSelf"
    | "justifyContent",
    string
  >
>;

export type Drawing = {
  tag: string | ((values: JsonMembers) => string);
  style?: (values: JsonMembers) => Styles;
  /** Data attributes, some of which the style sheet shows as labels. */
  data?: (values: JsonMembers, value: Json) => Record<string, string>;
  /** The element inside that has the content. */
  hole?: string;
  /** The inside of what has no content to edit. */
  inside?: (values: JsonMembers, value: Json) => (Node | string)[];
};

const say = words.drawn;

/** A number is pixels. */
const lengthOf = (value: Json): string => {
  const text = textOf(value).trim();
  return /^\d{1,4}(?:\.\d+)?$/.test(text) ? `${text}px` : /^\d{1,4}(?:\.\d+)?(?:px|%)$/.test(text) ? text : "";
};

/** Colours may be Liquid, which only the renderer can resolve. */
const colorOf = (value: Json): string => (textOf(value).includes("{") ? "" : textOf(value));

const aligned = ({ textAlign }: JsonMembers): Styles => ({ textAlign: textOf(textAlign) });

const placed = (values: JsonMembers): Styles => ({ textAlign: textOf(values.alignment ?? values.align) || "left" });

function element(tag: string, text = "", style: Partial<CSSStyleDeclaration> = {}): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  Object.assign(made.style, style);
  return made;
}

const spaces: Record<string, string> = { sm: "8px", md: "16px", lg: "32px", xl: "64px" };
const corners: Record<string, string> = { sharp: "0", smooth: "6px", round: "9999px" };

/** The text of a button: its own content is older than the attribute. */
const labelOf = (values: JsonMembers): string => textOf(values.text) || say.noLabel;

function button(values: JsonMembers): (Node | string)[] {
  const color = colorOf(values.buttonColor ?? values.backgroundColor) || "var(--email-primary, #000000)";
  const isFilled = values.variant !== "outline";
  const drawn = element("span", labelOf(values), {
    borderRadius: corners[textOf(values.borderRadius)] ?? (lengthOf(values.borderRadius) || "var(--email-radius, 6px)"),
    border: `2px solid ${color}`,
    backgroundColor: isFilled ? color : "transparent",
    color: colorOf(values.textColor ?? values.color) || (isFilled ? "var(--email-primary-text, #ffffff)" : color),
  });
  drawn.dataset.part = "button";
  return [drawn];
}

/** The page may load images of the service alone; others are shown by their text. */
const isOwn = (src: string): boolean =>
  src.startsWith("data:image/") ||
  (URL.canParse(src, location.href) && new URL(src, location.href).origin === location.origin);

function picture(values: JsonMembers): (Node | string)[] {
  const src = textOf(values.src);
  const alt = textOf(values.alt);
  if (src !== "" && !src.includes("{") && isOwn(src)) {
    const image = document.createElement("img");
    image.src = src;
    image.alt = alt;
    image.draggable = false;
    image.style.width = lengthOf(values.width);
    image.style.height = lengthOf(values.height);
    image.style.borderRadius = lengthOf(values.borderRadius);
    return [image];
  }
  const box = element("span");
  box.dataset.part = "picture";
  box.append(element("strong", alt || say.noAlt), element("span", src === "" ? say.noImage : src));
  if (src !== "") box.append(element("small", src.includes("{") ? say.laterImage : say.otherSite));
  return [box];
}

const networkNames = (links: Json): string[] =>
  (Array.isArray(links) ? links : []).map((link) => textOf((link as JsonMembers | null)?.network)).filter(Boolean);

const sides = (values: JsonMembers): string =>
  ["Top", "Right", "Bottom", "Left"]
    .map((side) => lengthOf(values[`padding${side}`] ?? values.padding) || "0")
    .join(" ");

const repeat: Drawing = { tag: "div", data: ({ each }) => ({ label: say.repeat(textOf(each)) }) };

export const drawings: Record<string, Drawing> = {
  paragraph: { tag: "p", style: aligned },
  heading: {
    tag: ({ level }) => `h${Math.min(3, Math.max(1, Math.trunc(Number(textOf(level))) || 1))}`,
    style: aligned,
  },
  bulletList: { tag: "ul" },
  orderedList: { tag: "ol" },
  listItem: { tag: "li" },
  blockquote: { tag: "blockquote" },
  codeBlock: { tag: "pre" },
  htmlCodeBlock: { tag: "pre", data: () => ({ label: say.html }) },
  horizontalRule: { tag: "div", inside: () => [element("hr")] },
  spacer: {
    tag: "div",
    style: ({ height }) => ({ height: spaces[textOf(height)] ?? (lengthOf(height) || "8px") }),
    inside: () => [],
  },
  button: { tag: "div", style: placed, inside: button },
  image: { tag: "div", style: placed, inside: picture },
  logo: {
    tag: "div",
    style: placed,
    inside: (values) =>
      picture({ ...values, width: undefined, height: { sm: 40, md: 48, lg: 64 }[textOf(values.size)] ?? 40 }),
  },
  inlineImage: { tag: "span", inside: (values) => picture({ width: 20, height: 20, ...values }) },
  linkCard: {
    tag: "div",
    inside: ({ title, description }) => [element("strong", textOf(title)), element("span", textOf(description))],
  },
  socialLinks: {
    tag: "div",
    style: placed,
    inside: ({ links }) => {
      const names = networkNames(links);
      return names.length === 0 ? [element("span", say.noLinks)] : names.map((name) => element("span", name));
    },
  },
  section: {
    tag: "div",
    style: (values) => ({
      backgroundColor: colorOf(values.backgroundColor),
      padding: sides(values),
      borderRadius: lengthOf(values.borderRadius),
      border: /^[1-9]/.test(lengthOf(values.borderWidth))
        ? `${lengthOf(values.borderWidth)} solid ${colorOf(values.borderColor) || "#e5e7eb"}`
        : "",
      textAlign: textOf(values.align),
    }),
  },
  columns: { tag: "div" },
  column: {
    tag: "div",
    style: ({ width, verticalAlign }) => ({
      flexBasis: typeof width === "number" ? `${width}%` : lengthOf(width).replace("px", "%") || "0",
      flexGrow: lengthOf(width) === "" ? "1" : "0",
      alignSelf: { middle: "center", bottom: "end" }[textOf(verticalAlign)] ?? "start",
    }),
  },
  footer: { tag: "p", style: aligned },
  repeat,
  for: repeat,
  table: { tag: "table", hole: "tbody" },
  tableRow: { tag: "tr" },
  tableCell: { tag: "td", style: cellStyle },
  tableHeader: { tag: "th", style: cellStyle },
  hardBreak: { tag: "br" },
  variable: {
    tag: "span",
    inside: ({ id, fallback }) => {
      const name = element("span", textOf(id) || say.noVariable);
      return textOf(fallback) === "" ? [name] : [name, element("small", say.orElse(textOf(fallback)))];
    },
  },
  kept: { tag: "div", inside: (_values, value) => [element("span", say.fixed(nameOf(value)))] },
  keptInline: { tag: "span", inside: (_values, value) => [element("span", say.fixedInline(nameOf(value)))] },
  bold: { tag: "strong" },
  italic: { tag: "em" },
  underline: { tag: "u" },
  strike: { tag: "s" },
  subscript: { tag: "sub" },
  superscript: { tag: "sup" },
  code: { tag: "code" },
  textStyle: { tag: "span", style: ({ color }) => ({ color: colorOf(color) }) },
  highlight: { tag: "span", style: ({ color }) => ({ backgroundColor: colorOf(color) || "#fef08a" }) },
  link: { tag: "span" },
};

function cellStyle({ align, backgroundColor }: JsonMembers): Styles {
  return { textAlign: textOf(align), backgroundColor: colorOf(backgroundColor) };
}

const nameOf = (value: Json): string => (isTyped(value) && value.type !== "" ? value.type : say.noType);
