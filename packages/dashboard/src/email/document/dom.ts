// How nodes and marks are drawn in the editor, and what of a pasted page becomes which of them. What is drawn carries
// its JSON, so that a copied block is pasted with everything that it has. Styles are set as properties: the policy of
// the page forbids style attributes.
import type { JsonObject } from "@tidings/contract";
import { conditionText } from "@tidings/contract/conditions";
import type { Mark, Node as PmNode, TagParseRule } from "prosemirror-model";
import { drawings } from "./drawings.ts";
import { isEmpty, isMembers, type JsonMembers, textIn } from "./json.ts";

type Drawn = { dom: HTMLElement; contentDOM?: HTMLElement };

export type NodeDom = { parse?: TagParseRule[]; draw: (one: PmNode | Mark) => Drawn };

export function domOf(name: string): NodeDom {
  return { parse: [own(name), ...(pasted[name] ?? [])], draw: (one) => drawOne(name, one) };
}

function drawOne(name: string, one: PmNode | Mark): Drawn {
  const drawing = drawings[name] ?? { tag: "div" };
  const { values, rest, value } = one.attrs;
  const dom = document.createElement(typeof drawing.tag === "string" ? drawing.tag : drawing.tag(values ?? {}));
  dom.dataset.type = name;
  if (values) dom.dataset.values = JSON.stringify(values);
  if (rest) dom.dataset.rest = JSON.stringify(rest);
  if (value !== undefined) dom.dataset.value = JSON.stringify(value);
  const label = name === "button" ? textIn(rest?.content) : "";
  const shown = { ...values, ...(label !== "" && { text: label }) };
  const condition = conditionLabel(shown);
  if (condition) dom.dataset.condition = condition;
  Object.assign(dom.style, drawing.style?.(shown) ?? {});
  for (const [key, text] of Object.entries(drawing.data?.(shown, value) ?? {})) dom.dataset[key] = text;
  for (const key of ["colspan", "rowspan"]) {
    if (Number(one.attrs[key]) > 1) dom.setAttribute(key, String(one.attrs[key]));
  }
  if (drawing.inside) {
    dom.append(...drawing.inside(shown, value));
    dom.contentEditable = "false";
    return { dom };
  }
  if ("isLeaf" in one && one.isLeaf) return { dom };
  if (!drawing.hole) return { dom, contentDOM: dom };
  const hole = dom.appendChild(document.createElement(drawing.hole));
  return { dom, contentDOM: hole };
}

const maxLabel = 60;

/** "if payload.total is more than 100": in the corner of the block. */
function conditionLabel({ showIfKey, showIf }: JsonMembers): string {
  if (typeof showIfKey === "string" && showIfKey.trim() !== "") return `if ${showIfKey}`;
  if (!isMembers(showIf) || isEmpty(showIf)) return "";
  const text = `if ${conditionText(showIf as JsonObject)}`;
  return text.length > maxLabel ? `${text.slice(0, maxLabel - 1)}…` : text;
}

/** What this editor has drawn. */
const own = (name: string): TagParseRule => ({
  tag: `[data-type="${name}"]`,
  priority: 60,
  getAttrs: (dom) => {
    const { values, rest, value } = dom.dataset;
    if (name.startsWith("kept")) return { value: parsed(value) ?? null };
    const span = (key: string) => Math.min(100, Math.max(1, Number(dom.getAttribute(key)) || 1));
    const spans =
      name === "tableCell" || name === "tableHeader" ? { colspan: span("colspan"), rowspan: span("rowspan") } : {};
    return { values: parsed(values) ?? null, rest: parsed(rest) ?? null, ...spans };
  },
});

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const withValues = (tag: string, read: (dom: HTMLElement) => JsonMembers | null | false): TagParseRule => ({
  tag,
  getAttrs: (dom) => {
    const values = read(dom);
    return values === false ? false : { values };
  },
});

const tags = (...names: string[]): TagParseRule[] => names.map((tag) => ({ tag }));
/** `data-style` has what a pasted page said with style attributes; see paste.ts. */
const styled = (name: string): TagParseRule => ({ tag: `[data-style~="${name}"]`, consuming: false });

const maxDataUrl = 50_000;
const address = (text: string | null): string => (text !== null && /^(?:https?:|mailto:|tel:)/i.test(text) ? text : "");

const spanned = (tag: string): TagParseRule => ({
  tag,
  getAttrs: (dom) => {
    const span = (key: string) => Math.min(100, Math.max(1, Number(dom.getAttribute(key)) || 1));
    return { colspan: span("colspan"), rowspan: span("rowspan") };
  },
});

/** Elements of web pages and text programs. Their classes, fonts and sizes are left behind. */
const pasted: Record<string, TagParseRule[]> = {
  paragraph: tags("p"),
  heading: [1, 2, 3, 4, 5, 6].map((level) => withValues(`h${level}`, () => ({ level: Math.min(level, 3) }))),
  bulletList: tags("ul"),
  orderedList: [
    withValues("ol", (dom) =>
      Number(dom.getAttribute("start")) > 1 ? { start: Number(dom.getAttribute("start")) } : null,
    ),
  ],
  listItem: tags("li"),
  blockquote: tags("blockquote"),
  codeBlock: [{ tag: "pre", preserveWhitespace: "full" }],
  horizontalRule: tags("hr"),
  hardBreak: tags("br"),
  image: [
    withValues("img[src]", (dom) => {
      const src = dom.getAttribute("src") ?? "";
      const isUsable = address(src) !== "" || (src.startsWith("data:image/") && src.length <= maxDataUrl);
      return isUsable && { src, alt: dom.getAttribute("alt") ?? "" };
    }),
  ],
  table: tags("table"),
  tableRow: tags("tr"),
  tableCell: [spanned("td")],
  tableHeader: [spanned("th")],
  link: [
    withValues("a[href]", (dom) => {
      const href = address(dom.getAttribute("href"));
      return href !== "" && { href };
    }),
  ],
  bold: [
    styled("bold"),
    { tag: "strong" },
    { tag: "b", getAttrs: (dom) => (dom.dataset.style?.includes("normal") ? false : null) },
  ],
  italic: [styled("italic"), ...tags("em", "i")],
  underline: [styled("underline"), ...tags("u")],
  strike: [styled("strike"), ...tags("s", "del", "strike")],
  subscript: tags("sub"),
  superscript: tags("sup"),
  code: tags("code"),
};
