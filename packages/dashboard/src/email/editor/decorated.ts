// Decorations of single nodes, kept up to date where the document changes: a key press in a long email costs as much as
// in a short one.
import type { Node as PmNode } from "prosemirror-model";
import { Plugin, PluginKey, type Transaction } from "prosemirror-state";
import { type Decoration, DecorationSet } from "prosemirror-view";

type Decorate = (node: PmNode, pos: number, parent: PmNode | null) => Decoration[];

/** Set on a transaction, all decorations are drawn again: what they show has changed, not the document. */
export const redrawKey = new PluginKey("redraw");

/** Decorations must not go beyond the node that they are of. */
export function decoratedPlugin(decorate: Decorate): Plugin<DecorationSet> {
  const between = (doc: PmNode, from: number, to: number): Decoration[] => {
    const found: Decoration[] = [];
    doc.nodesBetween(from, to, (node, pos, parent) => void found.push(...decorate(node, pos, parent)));
    return found;
  };
  const all = (doc: PmNode) => DecorationSet.create(doc, between(doc, 0, doc.content.size));
  const plugin: Plugin<DecorationSet> = new Plugin<DecorationSet>({
    state: {
      init: (_config, { doc }) => all(doc),
      apply(tr, before) {
        if (tr.getMeta(redrawKey)) return all(tr.doc);
        if (!tr.docChanged) return before;
        const [from, to] = changedRange(tr);
        const kept = before.map(tr.mapping, tr.doc);
        return kept.remove(kept.find(from, to)).add(tr.doc, between(tr.doc, from, to));
      },
    },
    props: { decorations: (state) => plugin.getState(state) },
  });
  return plugin;
}

/** What the steps touched, up to the ends of its outermost blocks. */
function changedRange({ doc, mapping }: Transaction): [from: number, to: number] {
  let [first, last] = [doc.content.size, 0];
  mapping.maps.forEach((map, index) => {
    map.forEach((_oldFrom, _oldTo, from, to) => {
      const after = mapping.slice(index + 1);
      first = Math.min(first, after.map(from, -1));
      last = Math.max(last, after.map(to, 1));
    });
  });
  const [start, end] = [doc.resolve(Math.min(first, last)), doc.resolve(Math.max(first, last))];
  return [start.depth > 0 ? start.before(1) : start.pos, end.depth > 0 ? end.after(1) : end.pos];
}
