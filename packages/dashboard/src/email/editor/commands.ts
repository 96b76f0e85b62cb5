// What the editor does to blocks, as ProseMirror commands.
import { setBlockType, toggleMark, wrapIn } from "prosemirror-commands";
import type { Node as PmNode } from "prosemirror-model";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import {
  type Command,
  type EditorState,
  NodeSelection,
  PluginKey,
  Selection,
  TextSelection,
  type Transaction,
} from "prosemirror-state";
import { type JsonMembers, withMembers } from "../document/json.ts";
import { type MarkName, schema } from "../document/schema.ts";
import { type Insertable, startOf } from "./insertable.ts";
import { type BlockPlace, isCell, movablePlace } from "./places.ts";

type BlockKind = Exclude<Insertable, "variable">;

const textKinds: Partial<Record<BlockKind, { type: string; values: JsonMembers | null }>> = {
  paragraph: { type: "paragraph", values: null },
  heading1: { type: "heading", values: { level: 1 } },
  heading2: { type: "heading", values: { level: 2 } },
  heading3: { type: "heading", values: { level: 3 } },
};

/** Text becomes a heading, list, quote or section; anything else is put in the place of an empty line, or after it. */
export const insertBlock =
  (kind: BlockKind): Command =>
  (state, dispatch) => {
    const { $from } = state.selection;
    const isText = $from.parent.isTextblock && !$from.parent.type.spec.code;
    const text = textKinds[kind];
    if (text && isText) return setBlockType(schema.nodes[text.type]!, { values: text.values })(state, dispatch);
    const start = startOf(kind);
    const hasText = isText && $from.parent.content.size > 0;
    if (hasText && (kind === "bulletList" || kind === "orderedList") && wrapInList(start.type)(state, dispatch))
      return true;
    if (
      hasText &&
      ["blockquote", "section", "repeat"].includes(kind) &&
      wrapIn(start.type, start.attrs)(state, dispatch)
    )
      return true;
    return putBlock(state, dispatch, start);
  };

function putBlock(state: EditorState, dispatch: ((tr: Transaction) => void) | undefined, block: PmNode): boolean {
  const { $from, $to } = state.selection;
  const isEmptyLine = $from.parent.isTextblock && $from.parent.content.size === 0 && $from.depth > 0;
  const tr = state.tr;
  for (let depth = isEmptyLine ? $from.depth : Math.max($from.depth, 0); depth >= 0; depth--) {
    const isHere = isEmptyLine && depth === $from.depth;
    const parent = isHere ? $from.node(depth - 1) : $from.node(depth);
    const index = isHere ? $from.index(depth - 1) : $to.indexAfter(depth);
    const end = isHere ? index + 1 : index;
    if (!parent.canReplaceWith(index, end, block.type)) continue;
    const at = isHere ? $from.before(depth) : depth === $to.depth ? $to.pos : $to.after(depth + 1);
    if (dispatch) {
      tr.replaceWith(at, isHere ? $from.after(depth) : at, block);
      dispatch(selectIn(tr, at, block).scrollIntoView());
    }
    return true;
  }
  return false;
}

/** A block without text is selected, so that its settings are shown; otherwise the cursor goes into it. */
function selectIn(tr: Transaction, at: number, block: PmNode): Transaction {
  const isSelected = block.isLeaf || block.type.name === "repeat";
  if (isSelected) return tr.setSelection(NodeSelection.create(tr.doc, at));
  return tr.setSelection(Selection.near(tr.doc.resolve(at + 1)));
}

/** Up or down among its neighbours; at the edge of its container, out of it. */
export const moveBlock =
  (direction: -1 | 1): Command =>
  (state, dispatch) => {
    const place = movablePlace(state);
    if (!place) return false;
    const $pos = state.doc.resolve(place.pos);
    const index = $pos.index();
    const neighbour = $pos.parent.maybeChild(index + direction);
    const end = place.pos + place.node.nodeSize;
    let target: number;
    if (neighbour) target = direction < 0 ? place.pos - neighbour.nodeSize : end + neighbour.nodeSize;
    else {
      const outer = $pos.depth > 0 ? $pos.node($pos.depth - 1) : null;
      const outerIndex = outer ? $pos.index($pos.depth - 1) + (direction > 0 ? 1 : 0) : 0;
      if (!outer?.canReplaceWith(outerIndex, outerIndex, place.node.type)) return false;
      target = direction < 0 ? $pos.before() : $pos.after();
    }
    if (dispatch) dispatch(moved(state, place, target));
    return true;
  };

function moved(state: EditorState, { node, pos }: BlockPlace, target: number): Transaction {
  const { selection } = state;
  const offset = selection.from - pos;
  const tr = state.tr.delete(pos, pos + node.nodeSize);
  const at = tr.mapping.map(target);
  tr.insert(at, node);
  const isNode = selection instanceof NodeSelection && selection.from === pos;
  tr.setSelection(
    isNode
      ? NodeSelection.create(tr.doc, at)
      : Selection.near(tr.doc.resolve(Math.min(at + offset, tr.doc.content.size))),
  );
  return tr.scrollIntoView();
}

export const duplicateBlock: Command = (state, dispatch) => {
  const place = movablePlace(state);
  if (!place) return false;
  const at = place.pos + place.node.nodeSize;
  if (dispatch) dispatch(selectIn(state.tr.insert(at, place.node), at, place.node).scrollIntoView());
  return true;
};

export const removeBlock: Command = (state, dispatch) => {
  const found = movablePlace(state);
  if (!found) return false;
  if (dispatch) {
    const place = withoutRest(state, found);
    const tr = state.tr.delete(place.pos, place.pos + place.node.nodeSize);
    dispatch(
      tr.setSelection(Selection.near(tr.doc.resolve(Math.min(place.pos, tr.doc.content.size)), -1)).scrollIntoView(),
    );
  }
  return true;
};

/** The last item of a list and the last column go with what they are in. */
function withoutRest({ doc }: EditorState, place: BlockPlace): BlockPlace {
  const $pos = doc.resolve(place.pos);
  const isPart = ["listItem", "column"].includes(place.node.type.name);
  return isPart && $pos.parent.childCount === 1 ? { node: $pos.parent, pos: $pos.before() } : place;
}

/** From the text to its block, from a block to the one around it. */
export const selectOuter: Command = (state, dispatch) => {
  const { $from } = state.selection;
  let depth = $from.depth;
  // Cells are selected as cells; the next block is their table.
  while (depth > 0 && isCell($from.node(depth))) depth--;
  if (depth === 0) return false;
  const pos = $from.before(depth);
  if (dispatch) dispatch(state.tr.setSelection(NodeSelection.create(state.doc, pos)));
  return true;
};

/** From a selected block with content to the text inside it, from a chip to the text after it. */
export const enterBlock: Command = ({ selection, doc, tr }, dispatch) => {
  if (!(selection instanceof NodeSelection)) return false;
  if (selection.node.isInline) {
    dispatch?.(tr.setSelection(TextSelection.create(doc, selection.to)));
    return true;
  }
  if (selection.node.isLeaf) return false;
  dispatch?.(tr.setSelection(Selection.near(doc.resolve(selection.from + 1))));
  return true;
};

/** A line after the selected block. */
export const addLineAfter: Command = ({ selection, tr }, dispatch) => {
  const line = schema.nodes.paragraph!;
  const { $to } = selection;
  if (!(selection instanceof NodeSelection) || !selection.node.isBlock) return false;
  if (!$to.parent.canReplaceWith($to.indexAfter(), $to.indexAfter(), line)) return false;
  if (dispatch) {
    tr.insert(selection.to, line.create());
    dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to + 1)).scrollIntoView());
  }
  return true;
};

/** The step of a setting, for undo. */
export const settingKey = new PluginKey("setting");

/** Changes values of the block at a position; `undefined` removes one. */
export function changeValues(
  state: EditorState,
  { pos }: BlockPlace,
  changed: JsonMembers,
  rest?: JsonMembers,
): Transaction {
  const node = state.doc.nodeAt(pos)!;
  const isSelected = state.selection instanceof NodeSelection && state.selection.from === pos;
  const attrs = {
    ...node.attrs,
    values: withMembers(node.attrs.values, changed),
    ...(rest && { rest: withMembers(node.attrs.rest, rest) }),
  };
  const step = `setting.${pos}.${Object.keys(changed).join()}`;
  const tr = state.tr.setNodeMarkup(pos, null, attrs, node.marks).setMeta(settingKey, step);
  return isSelected ? tr.setSelection(NodeSelection.create(tr.doc, pos)) : tr;
}

export const toggle = (name: MarkName, values: JsonMembers | null = null): Command =>
  toggleMark(schema.marks[name]!, { values, rest: null });

/** Text becomes a list, a list the other kind, and a list of this kind text. */
export const toggleList =
  (name: "bulletList" | "orderedList"): Command =>
  (state, dispatch) => {
    const { $from } = state.selection;
    const type = schema.nodes[name]!;
    const depth = $from.depth - 2;
    const list = depth > 0 && $from.node(depth + 1).type.name === "listItem" ? $from.node(depth) : null;
    if (!list) return wrapInList(type)(state, dispatch);
    if (list.type === type) return liftListItem(schema.nodes.listItem!)(state, dispatch);
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), type, list.attrs));
    return true;
  };

/** The link, colour or highlight of the selected text, or of the link that the cursor is in. */
export const setMark =
  (name: MarkName, values: JsonMembers | null): Command =>
  (state, dispatch) => {
    const type = schema.marks[name]!;
    const { from, to } = markedRange(state, name);
    if (from === to) return false;
    const tr = state.tr.removeMark(from, to, type);
    if (values) tr.addMark(from, to, type.create({ values, rest: null }));
    dispatch?.(tr);
    return true;
  };

function markedRange({ selection, doc }: EditorState, name: MarkName): { from: number; to: number } {
  const { from, to, $from } = selection;
  if (from !== to) return { from, to };
  let range = { from, to };
  const start = $from.start();
  $from.parent.forEach((child, offset) => {
    const [first, last] = [start + offset, start + offset + child.nodeSize];
    if (first <= from && from <= last && child.marks.some(({ type }) => type.name === name))
      range = { from: first, to: Math.min(last, doc.content.size) };
  });
  return range;
}

export const clearMarks: Command = (state, dispatch) => {
  const { from, to, empty } = state.selection;
  if (empty) return false;
  dispatch?.(state.tr.removeMark(from, to));
  return true;
};

/** Replaces the typed text by a variable. */
export function insertVariable(state: EditorState, id: string, from: number, to: number): Transaction {
  const variable = schema.nodes.variable!.create({ values: { id } });
  const tr = state.tr.replaceWith(from, to, variable);
  return tr.setSelection(TextSelection.create(tr.doc, from + 1)).scrollIntoView();
}
