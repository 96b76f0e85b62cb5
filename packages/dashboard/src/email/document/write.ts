// A document of the editor as the JSON that is stored. Pure.
import type { Mark, Node as PmNode } from "prosemirror-model";
import { isSame } from "../../kit/is-same.ts";
import { type Json, type JsonMembers, withMembers } from "./json.ts";
import { type Sources, spansOf } from "./read.ts";

export function writeNode(node: PmNode, sources: Sources): Json {
  const known = sources.get(node);
  if (known !== undefined) return known;
  const json = node.isText ? textJson(node) : nodeJson(node, sources);
  sources.set(node, json);
  return json;
}

function nodeJson(node: PmNode, sources: Sources): Json {
  if (node.type.name === "kept" || node.type.name === "keptInline") return node.attrs.value;
  const values = valuesOf(node);
  const content = childrenJson(node, sources);
  const marks = node.isInline ? marksJson(node.marks) : [];
  return {
    type: node.type.name,
    ...(values && { attrs: values }),
    ...node.attrs.rest,
    ...(content.length > 0 && { content }),
    ...(marks.length > 0 && { marks }),
  };
}

function childrenJson(node: PmNode, sources: Sources): Json[] {
  const content: Json[] = [];
  node.forEach((child) => {
    const isUnused = node.childCount === 1 && child.attrs.isFiller === true && child.content.size === 0;
    if (!isUnused) content.push(writeNode(child, sources));
  });
  return content;
}

/** The `attrs` of a node. Those of a cell may have been changed by a table command. */
function valuesOf(node: PmNode): JsonMembers | null {
  const values: JsonMembers | null = node.attrs.values;
  if (!node.type.spec.tableRole?.endsWith("cell")) return values;
  const before = spansOf(values) as Record<string, Json> | null;
  const changed = ["colspan", "rowspan", "colwidth"].filter((name) => !isSame(before?.[name], node.attrs[name]));
  return changed.length === 0
    ? values
    : withMembers(values, Object.fromEntries(changed.map((name) => [name, node.attrs[name]])));
}

function textJson(node: PmNode): Json {
  const marks = marksJson(node.marks);
  const rest = node.marks.find(({ type }) => type.name === "textRest")?.attrs.rest;
  return { type: "text", ...rest, ...(marks.length > 0 && { marks }), text: node.text };
}

const marksJson = (marks: readonly Mark[]): Json[] =>
  marks.flatMap(({ type, attrs }) => {
    if (type.name === "textRest") return [];
    if (type.name === "otherMark") return [attrs.value];
    return [{ type: type.name, ...(attrs.values && { attrs: attrs.values }), ...attrs.rest }];
  });
