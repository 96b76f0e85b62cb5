// The body of an email between its text and the editor. The text of an unchanged document is kept byte by byte. Pure.
import type { Node as PmNode } from "prosemirror-model";
import { isTyped, type Json } from "./json.ts";
import { readDocument, type Sources } from "./read.ts";
import { emptyBody } from "./start.ts";
import { writeNode } from "./write.ts";

export type Body = {
  doc: PmNode;
  /** The text that `doc` was read from, or written as. */
  text: string;
  sources: Sources;
};

/** null: the text is not a block document. An empty text is an empty one. */
export function readBody(text: string, sources: Sources = new WeakMap()): Body | null {
  const json = parse(text.trim() === "" ? emptyBody : text);
  if (!isTyped(json) || json.type !== "doc") return null;
  return { doc: readDocument(json, sources), text, sources };
}

/** The body after a change; a document that equals the one before keeps its text. */
export function changeBody(body: Body, doc: PmNode): Body {
  if (doc.eq(body.doc)) return { ...body, doc };
  return { ...body, doc, text: JSON.stringify(writeNode(doc, body.sources)) };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
