// The blocks that the menu offers, and what each starts with. Pure.
import type { Node as PmNode } from "prosemirror-model";
import type { Json } from "../document/json.ts";
import { readDocument } from "../document/read.ts";
import { words } from "../words.ts";

export type Insertable = keyof typeof words.blocks;

const line = { type: "paragraph" };
const cell = (type: string) => ({ type, content: [line] });
const row = (type: string) => ({ type: "tableRow", content: [cell(type), cell(type)] });

const starts: Record<Exclude<Insertable, "variable">, Json> = {
  paragraph: line,
  heading1: { type: "heading", attrs: { level: 1 } },
  heading2: { type: "heading", attrs: { level: 2 } },
  heading3: { type: "heading", attrs: { level: 3 } },
  bulletList: { type: "bulletList", content: [{ type: "listItem", content: [line] }] },
  orderedList: { type: "orderedList", content: [{ type: "listItem", content: [line] }] },
  button: { type: "button", attrs: { text: "", url: "", alignment: "left" } },
  image: { type: "image", attrs: { src: "", alt: "", alignment: "center" } },
  columns: {
    type: "columns",
    content: [
      { type: "column", content: [line] },
      { type: "column", content: [line] },
    ],
  },
  section: { type: "section", attrs: { backgroundColor: "#f3f4f6", padding: 24, borderRadius: 8 }, content: [line] },
  repeat: { type: "repeat", attrs: { each: "" }, content: [line] },
  horizontalRule: { type: "horizontalRule" },
  spacer: { type: "spacer", attrs: { height: "md" } },
  blockquote: { type: "blockquote", content: [line] },
  table: { type: "table", content: [row("tableHeader"), row("tableCell"), row("tableCell")] },
  socialLinks: { type: "socialLinks", attrs: { alignment: "center", links: [] } },
  footer: { type: "footer", attrs: { textAlign: "center" } },
  codeBlock: { type: "codeBlock" },
  htmlCodeBlock: { type: "htmlCodeBlock" },
};

export const blockOf = (json: Json): PmNode =>
  readDocument({ type: "doc", content: [json] }, new WeakMap()).firstChild!;

export const startOf = (kind: Exclude<Insertable, "variable">): PmNode => blockOf(starts[kind]);

const allKinds = Object.keys(words.blocks) as Insertable[];

/** Those with the typed text at the start of a word of their name first. */
export function matchingBlocks(query: string): Insertable[] {
  const typed = query.trim().toLowerCase();
  const textOf = (kind: Insertable) => `${words.blocks[kind].label} ${kind}`.toLowerCase();
  const starting = allKinds.filter((kind) =>
    textOf(kind)
      .split(" ")
      .some((word) => word.startsWith(typed)),
  );
  const others = allKinds.filter((kind) => !starting.includes(kind) && textOf(kind).includes(typed));
  return [...starting, ...others];
}

const most = 40;

/** Names with the typed text in them; at the start first. A name that is not known can be used as well. */
export function matchingVariables(query: string, names: readonly string[]): string[] {
  const typed = query.toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(typed));
  const starting = found.filter((name) => name.toLowerCase().startsWith(typed));
  const list = [...starting, ...found.filter((name) => !starting.includes(name))].slice(0, most);
  return /\w/.test(query) && !list.includes(query) ? [...list, query] : list;
}
