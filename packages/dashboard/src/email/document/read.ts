// A block document as a document of the editor. Everything is kept: what the schema cannot hold becomes a fixed block
// that stores its JSON. Pure.
import { type Attrs, Fragment, type Mark, type NodeType, type Node as PmNode } from "prosemirror-model";
import { isEmpty, isMembers, isTyped, type Json, type JsonMembers, type TypedJson } from "./json.ts";
import { isKnownMark, isKnownNode, schema } from "./schema.ts";

/** The JSON that a node was read from, which is written again if the node is unchanged. */
export type Sources = WeakMap<PmNode, Json>;

/** The renderer refuses documents that are nested deeper than 50 levels. */
const maxDepth = 60;
/** A cell that spans more would make the editor lay out millions of cells. */
const maxSpan = 100;

export function readDocument(json: TypedJson, sources: Sources): PmNode {
  const { type: _type, content, ...others } = json;
  const doc = schema.nodes.doc!;
  const nodes = Array.isArray(content) ? childrenOf(content, doc, { sources, depth: 1 }) : null;
  const members = Array.isArray(content) && content.length > 0 ? others : { ...others, ...contentOf(json) };
  return doc.create(attrsOf(members) ?? { values: null, rest: members }, nodes ?? [filler()]);
}

type Place = { sources: Sources; depth: number };

/** null: the parent cannot hold one of them, not even as a fixed block. */
function childrenOf(content: readonly Json[], parent: NodeType, place: Place): PmNode[] | null {
  if (content.length === 0 && parent.contentMatch.matchType(schema.nodes.paragraph!)) return [filler()];
  const nodes: PmNode[] = [];
  for (const json of content) {
    const node = nodeOf(json, parent, place) ?? fixedIn(parent, json);
    if (!node) return null;
    place.sources.set(node, json);
    nodes.push(node);
  }
  return parent.validContent(Fragment.from(nodes)) ? nodes : null;
}

/** An empty container has a paragraph to write into. It is stored when it has content. */
const filler = (): PmNode => schema.nodes.paragraph!.create({ isFiller: true });

function fixedIn(parent: NodeType, value: Json): PmNode | null {
  const { kept, keptInline } = schema.nodes;
  const type = parent.inlineContent ? keptInline! : kept!;
  return parent.contentMatch.matchType(type) ? type.create({ value }) : null;
}

/** null: it does not fit into the schema at this place. */
function nodeOf(json: Json, parent: NodeType, place: Place): PmNode | null {
  if (!isTyped(json) || place.depth > maxDepth) return null;
  if (json.type === "text") return textOf(json, parent);
  const type = isKnownNode(json.type) ? schema.nodes[json.type]! : null;
  if (!type || !parent.contentMatch.matchType(type)) return null;
  const marks = type.isInline ? marksOf(json.marks) : [];
  if (!marks || !parent.allowsMarks(marks)) return null;
  const { type: _type, content, ...others } = json;
  if (type.isInline) delete others.marks;
  const isContainer = !type.isLeaf;
  if (isContainer && content !== undefined && !Array.isArray(content)) return null;
  const list = isContainer && Array.isArray(content) ? content : [];
  const nodes = isContainer ? childrenOf(list, type, { ...place, depth: place.depth + 1 }) : [];
  const attrs = attrsOf(list.length > 0 ? others : { ...others, ...contentOf(json) });
  const spans = type.spec.tableRole?.endsWith("cell") ? spansOf(attrs?.values) : {};
  const isBare = type.name === "tableRow" && list.length === 0;
  if (!nodes || !attrs || !spans || isBare) return null;
  return type.create({ ...attrs, ...spans }, nodes, marks);
}

/** `content` that has no children: an empty list, or what a block without children has. */
const contentOf = (json: JsonMembers): JsonMembers => (Object.hasOwn(json, "content") ? { content: json.content } : {});

function attrsOf(others: JsonMembers): Attrs | null {
  if (!Object.hasOwn(others, "attrs")) return { values: null, rest: isEmpty(others) ? null : others };
  const { attrs, ...rest } = others;
  return isMembers(attrs) ? { values: attrs, rest: isEmpty(rest) ? null : rest } : null;
}

function textOf(json: TypedJson, parent: NodeType): PmNode | null {
  const { type: _type, text, marks: given, ...rest } = json;
  if (typeof text !== "string" || text === "" || !parent.inlineContent) return null;
  const marks = marksOf(given);
  if (!marks) return null;
  const all = isEmpty(rest) ? marks : schema.mark("textRest", { rest }).addToSet(marks);
  return parent.allowsMarks(all) ? schema.text(text, all) : null;
}

/** null: marks that cannot be on one text, such as two links. */
function marksOf(given: Json): readonly Mark[] | null {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return null;
  let marks: readonly Mark[] = [];
  for (const one of given) marks = markOf(one).addToSet(marks);
  return marks.length === given.length ? marks : null;
}

function markOf(json: Json): Mark {
  if (isTyped(json) && isKnownMark(json.type)) {
    const { type, ...others } = json;
    const attrs = attrsOf(others);
    if (attrs) return schema.mark(type, attrs);
  }
  return schema.mark("otherMark", { value: json });
}

type Spans = { colspan: number; rowspan: number; colwidth: number[] | null };

/** What the table commands need of a cell; null where it is not usable. */
export function spansOf(values: JsonMembers | null | undefined): Spans | null {
  const span = (value: Json): number =>
    value === undefined || value === null ? 1 : typeof value === "number" ? value : 0;
  const colspan = span(values?.colspan);
  const rowspan = span(values?.rowspan);
  const widths = values?.colwidth ?? null;
  const isSpan = (value: number) => Number.isInteger(value) && value >= 1 && value <= maxSpan;
  const isWidths =
    widths === null || (Array.isArray(widths) && widths.length === colspan && widths.every(Number.isFinite));
  return isSpan(colspan) && isSpan(rowspan) && isWidths
    ? { colspan, rowspan, colwidth: widths as number[] | null }
    : null;
}
