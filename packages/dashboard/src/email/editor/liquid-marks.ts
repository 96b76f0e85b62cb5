// Liquid that was written as text, such as a condition inside a sentence, looks like the chips of variables.
import type { Node as PmNode } from "prosemirror-model";
import { Plugin } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";

const liquid = /\{\{[^{}]*\}\}|\{%[^{}%]*%\}/g;

function marked(doc: PmNode): DecorationSet {
  const marks: Decoration[] = [];
  doc.descendants((node, pos, parent) => {
    if (!node.isText || parent?.type.spec.code) return;
    for (const { index, 0: found } of (node.text ?? "").matchAll(liquid))
      marks.push(Decoration.inline(pos + index, pos + index + found.length, { class: "email-liquid" }));
  });
  return DecorationSet.create(doc, marks);
}

export const liquidPlugin = (): Plugin<DecorationSet> => {
  const plugin: Plugin<DecorationSet> = new Plugin<DecorationSet>({
    state: {
      init: (_config, { doc }) => marked(doc),
      apply: (tr, before) => (tr.docChanged ? marked(tr.doc) : before),
    },
    props: { decorations: (state) => plugin.getState(state) },
  });
  return plugin;
};
