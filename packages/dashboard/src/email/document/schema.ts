// The schema of the email editor. Nodes are named as in the stored JSON, and keep what the JSON has: `values` are its
// `attrs`, `rest` its other members. So a member that the editor does not know is stored again unchanged.
import { type MarkSpec, type NodeSpec, Schema } from "prosemirror-model";
import { domOf, type NodeDom } from "./dom.ts";

const kept = { values: { default: null }, rest: { default: null } };

const cell = { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null }, ...kept };

const text = { content: "inline*", group: "block" };
const container = { content: "block+", group: "block", defining: true };
const leaf = { group: "block", atom: true, draggable: true };
const inlineLeaf = { group: "inline", inline: true, atom: true };

const plain: Record<string, NodeSpec> = {
  // First of its group: what Enter creates.
  paragraph: { ...text, attrs: { ...kept, isFiller: { default: false } } },
  heading: { ...text, defining: true },
  bulletList: { content: "(listItem | kept)+", group: "block" },
  orderedList: { content: "(listItem | kept)+", group: "block" },
  listItem: { content: "block+", defining: true },
  blockquote: container,
  codeBlock: { content: "(text | keptInline)*", group: "block", marks: "", code: true, defining: true },
  htmlCodeBlock: {
    content: "(text | variable | keptInline)*",
    group: "block",
    marks: "",
    code: true,
    defining: true,
    isolating: true,
  },
  horizontalRule: leaf,
  spacer: leaf,
  button: leaf,
  image: leaf,
  logo: leaf,
  linkCard: leaf,
  socialLinks: leaf,
  section: container,
  columns: { content: "(column | kept)+", group: "block", isolating: true },
  column: { content: "block+", isolating: true },
  footer: { ...text, defining: true },
  repeat: container,
  for: container,
  table: { content: "tableRow+", group: "block", isolating: true, tableRole: "table" },
  tableRow: { content: "(tableCell | tableHeader)*", tableRole: "row" },
  tableCell: { content: "block+", isolating: true, tableRole: "cell", attrs: cell },
  tableHeader: { content: "block+", isolating: true, tableRole: "header_cell", attrs: cell },
  hardBreak: { ...inlineLeaf, atom: false, selectable: false, linebreakReplacement: true },
  variable: inlineLeaf,
  inlineImage: inlineLeaf,
};

/** What the schema cannot hold: a fixed block with the JSON that it was read from. */
const fixed: Record<string, NodeSpec> = {
  kept: { ...leaf, attrs: { value: { default: null } } },
  keptInline: { ...inlineLeaf, attrs: { value: { default: null } } },
};

const markNames = [
  "link",
  "bold",
  "italic",
  "underline",
  "strike",
  "subscript",
  "superscript",
  "highlight",
  "textStyle",
  "code",
] as const;
export type MarkName = (typeof markNames)[number];

const withDom = (name: string, spec: NodeSpec): NodeSpec => {
  const { parse, draw }: NodeDom = domOf(name);
  return { attrs: kept, ...spec, ...(parse && { parseDOM: parse }), toDOM: draw };
};

const marks: Record<string, MarkSpec> = {
  ...Object.fromEntries(markNames.map((name) => [name, markSpec(name)])),
  /** A mark of an unknown type. Several may be on one text. */
  otherMark: { attrs: { value: {} }, excludes: "", toDOM: () => ["span", 0] },
  /** Unknown members of a text. */
  textRest: { attrs: { rest: {} }, inclusive: false, toDOM: () => ["span", 0] },
};

function markSpec(name: MarkName): MarkSpec {
  const { parse, draw } = domOf(name);
  return {
    attrs: kept,
    ...(name === "link" && { inclusive: false }),
    ...(parse && { parseDOM: parse }),
    toDOM: draw,
  } as MarkSpec;
}

export const schema = new Schema({
  nodes: {
    doc: { content: "block+", attrs: kept },
    ...Object.fromEntries(Object.entries({ ...plain, ...fixed }).map(([name, spec]) => [name, withDom(name, spec)])),
    text: { group: "inline" },
  },
  marks,
});

/** The types that are read from JSON as what they are. */
export const isKnownNode = (type: string): boolean => Object.hasOwn(plain, type);
export const isKnownMark = (type: string): boolean => (markNames as readonly string[]).includes(type);
