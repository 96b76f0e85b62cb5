// The plain-text part of an email, made from its HTML: links keep their address, lists their bullets, tables with
// headings their columns. Hidden elements, such as a preview text, are left out.
import { Parser } from "htmlparser2";
import { chargeHtml } from "./html-size.ts";
import { isSafeMailLink } from "./safe-urls.ts";

const skipped = new Set(["head", "title", "style", "script", "template", "noscript", "object", "iframe", "svg"]);

/** Line ends before and after these elements. */
const breaks: Record<string, number> = {
  ...Object.fromEntries(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table"].map((name) => [name, 2])),
  ...Object.fromEntries(["blockquote", "section", "pre", "hr", "div", "article", "center"].map((name) => [name, 2])),
  ...Object.fromEntries(["li", "tr", "dt", "dd"].map((name) => [name, 1])),
};

/** An `&` that starts no entity: only names with a semicolon count, so `?a=1&copy=2` has none. */
const noEntity = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi;

/** Plain text with entities to plain text with characters, once: `&amp;lt;` becomes `&lt;`. Unknown names stay. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  const parts: string[] = [];
  const parser = new Parser({ ontext: (data) => parts.push(data) }, { decodeEntities: true });
  parser.end(text.replace(noEntity, "&amp;").replaceAll("<", "&lt;"));
  return parts.join("");
}

type Attributes = Record<string, string>;
type List = { isOrdered: boolean; index: number };
type Table = { hasHeadings: boolean; isFirstCell: boolean };

/** The text so far, and what separates it from the next text; separators are written only when more text follows. */
type TextState = {
  parts: string[];
  /** Line ends before the next text; without any, `gap`. */
  lines: number;
  gap: string;
  /** The bullet or number of a list item. */
  mark: string;
  /** Open elements, the innermost last; `from` is the part at which the label of a link begins. */
  lists: List[];
  tables: Table[];
  links: { href: string; from: number }[];
  hiddenDepth: number;
  /** Open `pre` elements: their lines and spaces are kept. */
  preDepth: number;
};

const isHidden = (name: string, { style = "", hidden }: Attributes): boolean =>
  skipped.has(name) || hidden !== undefined || /display\s*:\s*none/i.test(style);

/** A label of more parts is not compared with the address. */
const maxLabelParts = 20;

export function htmlToText(html: string): string {
  chargeHtml(html, 0.5);
  const state: TextState = {
    parts: [],
    lines: 0,
    gap: "",
    mark: "",
    lists: [],
    tables: [],
    links: [],
    hiddenDepth: 0,
    preDepth: 0,
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => openElement(state, name, attributes),
      onclosetag: (name) => closeElement(state, name),
      ontext: (data) => addText(state, data),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return state.parts.join("");
}

function endLine(state: TextState, count: number): void {
  state.lines = Math.max(state.lines, state.lists.length > 0 ? Math.min(count, 1) : count);
  state.gap = "";
}

function write(state: TextState, text: string): void {
  if (state.parts.length > 0) state.parts.push(state.lines > 0 ? "\n".repeat(state.lines) : state.gap);
  state.parts.push(state.mark, text);
  state.lines = 0;
  state.gap = state.mark = "";
}

function addText(state: TextState, data: string): void {
  if (state.hiddenDepth > 0) return;
  if (state.preDepth > 0) {
    addLines(state, data.replace(/\r\n?/g, "\n"));
    return;
  }
  const text = data.trim();
  if (/^\s/.test(data) && state.gap === "") state.gap = " ";
  if (text === "") return;
  write(state, text.replace(/\s+/g, " "));
  state.gap = /\s$/.test(data) ? " " : "";
}

/** Line ends around the text separate it from what is next to it. */
function addLines(state: TextState, data: string): void {
  const text = data.replace(/^\n+/, "").trimEnd();
  if (/^\n/.test(data)) state.lines = Math.max(state.lines, 1);
  if (text !== "") write(state, text);
  const rest = data.slice(data.trimEnd().length);
  if (rest.includes("\n")) state.lines = Math.max(state.lines, 1);
  else if (rest !== "") state.gap = " ";
}

function openElement(state: TextState, name: string, attributes: Attributes): void {
  if (state.hiddenDepth > 0 || isHidden(name, attributes)) {
    state.hiddenDepth += 1;
    return;
  }
  const { alt = "", href = "" } = attributes;
  if (name === "br") state.lines = Math.min(state.lines + 1, 2);
  else if (name === "img" && alt.trim()) write(state, alt.trim().replace(/\s+/g, " "));
  else if (name === "a") state.links.push({ href: href.trim(), from: state.parts.length });
  else if (name === "td" || name === "th") openCell(state, name);
  else if (breaks[name]) openBlock(state, name, breaks[name]);
}

function openBlock(state: TextState, name: string, lineEnds: number): void {
  const { lists, tables } = state;
  if (name === "pre") state.preDepth += 1;
  if (state.mark === "") endLine(state, lineEnds);
  const table = tables.at(-1);
  if (name === "ul" || name === "ol") lists.push({ isOrdered: name === "ol", index: 0 });
  else if (name === "table") tables.push({ hasHeadings: false, isFirstCell: true });
  else if (name === "tr" && table) table.isFirstCell = true;
  else if (name === "li") openItem(state);
  else if (name === "hr") {
    write(state, "---");
    endLine(state, 2);
  }
}

function openItem(state: TextState): void {
  const list = state.lists.at(-1);
  if (!list) return;
  list.index += 1;
  state.mark = "  ".repeat(Math.min(state.lists.length, 10) - 1) + (list.isOrdered ? `${list.index}. ` : "- ");
}

function openCell(state: TextState, name: "td" | "th"): void {
  const table = state.tables.at(-1);
  if (!table) return;
  if (name === "th") table.hasHeadings = true;
  if (!table.isFirstCell && table.hasHeadings) state.gap = " | ";
  // A table without headings is layout: its cells become lines.
  if (!table.isFirstCell && !table.hasHeadings) endLine(state, 1);
  table.isFirstCell = false;
}

function closeElement(state: TextState, name: string): void {
  if (state.hiddenDepth > 0) {
    state.hiddenDepth -= 1;
    return;
  }
  if (name === "a") closeLink(state);
  if (!breaks[name] || name === "hr") return;
  if (name === "ul" || name === "ol") state.lists.pop();
  if (name === "table") state.tables.pop();
  if (name === "li") state.mark = "";
  if (name === "pre") state.preDepth -= 1;
  endLine(state, breaks[name]);
}

function closeLink(state: TextState): void {
  const { href, from } = state.links.pop() ?? { href: "", from: 0 };
  if (!isSafeMailLink(href)) return;
  const address = href.replace(/^(mailto|tel|sms):/i, "");
  const label = state.parts
    .slice(from, from + maxLabelParts)
    .join("")
    .trim();
  if (label === address) return;
  state.gap = label === "" ? state.gap : " ";
  write(state, label === "" ? address : `(${address})`);
}
