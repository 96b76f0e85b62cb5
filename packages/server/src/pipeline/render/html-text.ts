// The text part of an email, made from its html, for those who read mail as text: links keep their address, lists their
// marks, tables with headings their columns. What is hidden in the html (a preview text, say) is left out.
import { Parser } from "htmlparser2";
import { chargeHtml } from "./html-size.ts";
import { isSafeMailLink } from "./url.ts";

const skipped = new Set(["head", "title", "style", "script", "template", "noscript", "object", "iframe", "svg"]);

/** Line ends before and after these elements. */
const breaks: Record<string, number> = {
  ...Object.fromEntries(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table"].map((name) => [name, 2])),
  ...Object.fromEntries(["blockquote", "section", "pre", "hr", "div", "article", "center"].map((name) => [name, 2])),
  ...Object.fromEntries(["li", "tr", "dt", "dd"].map((name) => [name, 1])),
};

/** An entity has its semicolon: in `?a=1&copy=2` there is none. */
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

const isHidden = (name: string, { style = "", hidden }: Attributes): boolean =>
  skipped.has(name) || hidden !== undefined || /display\s*:\s*none/i.test(style);

/** A label of more parts is not an address. */
const mostLabelParts = 20;

export function htmlToText(html: string): string {
  chargeHtml(html, 0.5);
  const parts: string[] = [];
  const lists: List[] = [];
  const tables: Table[] = [];
  const links: { href: string; from: number }[] = [];
  /** What stands between the text so far and the next, written only when more text comes. */
  let lines = 0;
  let gap = "";
  let mark = "";
  let hiddenDepth = 0;

  const endLine = (count: number) => {
    lines = Math.max(lines, lists.length > 0 ? Math.min(count, 1) : count);
    gap = "";
  };
  const write = (text: string) => {
    if (parts.length > 0) parts.push(lines > 0 ? "\n".repeat(lines) : gap);
    parts.push(mark, text);
    lines = 0;
    gap = mark = "";
  };

  const open = (name: string, attributes: Attributes) => {
    if (hiddenDepth > 0 || isHidden(name, attributes)) {
      hiddenDepth += 1;
      return;
    }
    if (name === "br") lines = Math.min(lines + 1, 2);
    else if (name === "img" && attributes.alt?.trim()) write(attributes.alt.trim().replace(/\s+/g, " "));
    else if (name === "a") links.push({ href: (attributes.href ?? "").trim(), from: parts.length });
    else if (name === "td" || name === "th") openCell(name);
    else if (breaks[name]) openBlock(name);
  };
  const openBlock = (name: string) => {
    if (mark === "") endLine(breaks[name]!);
    if (name === "ul" || name === "ol") lists.push({ isOrdered: name === "ol", index: 0 });
    if (name === "table") tables.push({ hasHeadings: false, isFirstCell: true });
    if (name === "tr" && tables.length > 0) tables.at(-1)!.isFirstCell = true;
    if (name === "hr") write("---");
    if (name === "hr") endLine(2);
    const list = lists.at(-1);
    if (name !== "li" || !list) return;
    list.index += 1;
    mark = "  ".repeat(Math.min(lists.length, 10) - 1) + (list.isOrdered ? `${list.index}. ` : "- ");
  };
  const openCell = (name: string) => {
    const table = tables.at(-1);
    if (!table) return;
    if (name === "th") table.hasHeadings = true;
    if (!table.isFirstCell && table.hasHeadings) gap = " | ";
    // Without headings it is there for the looks, and its cells are read one after the other.
    if (!table.isFirstCell && !table.hasHeadings) endLine(1);
    table.isFirstCell = false;
  };

  const close = (name: string) => {
    if (hiddenDepth > 0) {
      hiddenDepth -= 1;
      return;
    }
    if (name === "a") closeLink();
    if (!breaks[name] || name === "hr") return;
    if (name === "ul" || name === "ol") lists.pop();
    if (name === "table") tables.pop();
    if (name === "li") mark = "";
    endLine(breaks[name]);
  };
  const closeLink = () => {
    const { href, from } = links.pop() ?? { href: "", from: 0 };
    if (!isSafeMailLink(href)) return;
    const address = href.replace(/^(mailto|tel):/i, "");
    const label = parts
      .slice(from, from + mostLabelParts)
      .join("")
      .trim();
    if (label === address) return;
    gap = label === "" ? gap : " ";
    write(label === "" ? address : `(${address})`);
  };

  const parser = new Parser(
    {
      onopentag: open,
      onclosetag: close,
      ontext(data) {
        if (hiddenDepth > 0) return;
        const text = data.trim();
        if (/^\s/.test(data) && gap === "") gap = " ";
        if (text === "") return;
        write(text.replace(/\s+/g, " "));
        gap = /\s$/.test(data) ? " " : "";
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return parts.join("");
}
