// The ProseMirror view of an email: its plugins, and how its document and the text of the page follow each other.
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import type { Node as PmNode, ResolvedPos } from "prosemirror-model";
import { EditorState, NodeSelection, Plugin, Selection, TextSelection, type Transaction } from "prosemirror-state";
import { tableEditing } from "prosemirror-tables";
import { EditorView } from "prosemirror-view";
import { type Body, changeBody, readBody } from "../document/body.ts";
import { words } from "../words.ts";
import { chipSamplesPlugin, type SampleOf } from "./chip-samples.ts";
import { settingKey } from "./commands.ts";
import { type KeyActions, keyPlugins } from "./keys.ts";
import { liquidPlugin } from "./liquid-marks.ts";
import { menuPlugin, openMenuOf, shownKey } from "./menu.ts";
import { pastePlugin } from "./paste.ts";

type ViewSettings = {
  body: Body;
  label: string;
  /** The id of the texts that describe the editor, and the start of those of menu entries. */
  helpId: string;
  menuId: string;
  isReadOnly: () => boolean;
  /** Those that may be used where the cursor is. */
  variables: (state: EditorState) => readonly string[];
  sampleOf: SampleOf;
  actions: KeyActions & { refusePaste: () => void; showSettings: () => void };
  onState: (state: EditorState) => void;
  /** Changes with the same `step` soon after each other are undone together. */
  onText: (text: string, step: string) => void;
};

export type BodyView = {
  view: EditorView;
  /** Shows another text, such as an undone one. */
  show: (text: string) => void;
  destroy: () => void;
};

/** From here on, blocks that are out of sight are not laid out. */
const manyBlocks = 300;

export function createBodyView(host: HTMLElement, settings: ViewSettings): BodyView {
  const { label, helpId, menuId, isReadOnly, onState, onText } = settings;
  /** As the page has it: a document that equals it has its text, byte by byte. */
  let shown = settings.body;
  let now = settings.body.text;
  let changes = 0;
  const view = new EditorView(host, {
    state: EditorState.create({ doc: shown.doc, plugins: pluginsOf(settings) }),
    editable: () => !isReadOnly(),
    attributes: (state) => {
      const open = openMenuOf(state);
      return {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": label,
        "aria-describedby": helpId,
        // Named, so that the scroller around it counts as reachable.
        tabindex: "0",
        "data-placeholder": words.placeholder,
        ...(state.doc.childCount > manyBlocks && { "data-long": "true" }),
        ...(isReadOnly() && { "aria-readonly": "true" }),
        ...(open && { "aria-controls": menuId, "aria-activedescendant": `${menuId}-${open.index}` }),
      };
    },
    dispatchTransaction(tr) {
      const before = view.state.doc;
      const state = view.state.apply(tr);
      view.updateState(state);
      if (tr.docChanged && !tr.getMeta(shownKey)) {
        now = changeBody(shown, state.doc).text;
        onText(now, tr.getMeta(settingKey) ?? typedPlace(before, state.doc) ?? `change.${changes++}`);
      }
      onState(state);
    },
  });
  return {
    view,
    show: (text) => {
      if (text === now) return;
      const next = readBody(text, shown.sources);
      if (!next) return;
      now = text;
      view.dispatch(difference(view.state, next.doc).setMeta(shownKey, true));
      // The nodes that stay in the document are those that its JSON is known of.
      shown = { ...next, doc: view.state.doc };
    },
    destroy: () => view.destroy(),
  };
}

/** The text that was typed into, by its place; null where blocks were added, moved or removed. */
function typedPlace(before: PmNode, after: PmNode): string | null {
  const from = before.content.findDiffStart(after.content);
  const end = before.content.findDiffEnd(after.content);
  if (from === null || !end) return null;
  const [one, other] = [before.resolve(from), after.resolve(from)];
  const isInside = ($pos: ResolvedPos, to: number) => $pos.parent.isTextblock && to <= $pos.end();
  return isInside(one, end.a) && isInside(other, end.b) ? `text.${one.start()}` : null;
}

const pluginsOf = ({ variables, sampleOf, actions }: ViewSettings): Plugin[] => [
  menuPlugin(variables, actions.openSettings),
  ...keyPlugins(actions),
  pastePlugin(actions.refusePaste),
  blockPlugin(actions.showSettings),
  liquidPlugin(),
  chipSamplesPlugin(sampleOf),
  dropCursor({ width: 2, class: "email-drop", color: false }),
  gapCursor(),
  tableEditing({ allowTableNodeSelection: true }),
];

const blockPlugin = (showSettings: () => void): Plugin =>
  new Plugin({
    props: {
      /** Undo and redo belong to the page. Left to itself, the view would use up their keys. */
      handleDOMEvents: {
        keydown: (_view, { key, ctrlKey, metaKey }) => (ctrlKey || metaKey) && /^[zy]$/i.test(key),
      },
      /** Typing never replaces a selected block or chip: that is what the delete key is for. */
      handleTextInput({ state: { selection, tr }, dispatch }, _from, _to, text) {
        if (!(selection instanceof NodeSelection)) return false;
        if (selection.node.isInline) {
          const at = selection.to + text.length;
          dispatch(tr.insertText(text, selection.to).setSelection(TextSelection.create(tr.doc, at)));
        }
        return true;
      },
      /** What has no text is edited in its settings. */
      handleClickOn(_view, _pos, node, _nodePos, _event, isDirect) {
        if (isDirect && node.isLeaf && !node.isText) showSettings();
        return false;
      },
    },
  });

/** Replaces the blocks that differ; the others keep their place on the page, and the cursor goes to the difference. */
export function difference(state: EditorState, next: PmNode): Transaction {
  const { doc, tr } = state;
  const most = Math.min(doc.childCount, next.childCount);
  let first = 0;
  while (first < most && doc.child(first).eq(next.child(first))) first++;
  let after = 0;
  while (after < most - first && doc.child(doc.childCount - 1 - after).eq(next.child(next.childCount - 1 - after)))
    after++;
  const from = sizeOf(doc, 0, first);
  const nodes = [];
  for (let index = first; index < next.childCount - after; index++) nodes.push(next.child(index));
  const end = doc.content.findDiffEnd(next.content);
  tr.replaceWith(from, from + sizeOf(doc, first, doc.childCount - after), nodes);
  for (const name of ["values", "rest"]) {
    if (doc.attrs[name] !== next.attrs[name]) tr.setDocAttribute(name, next.attrs[name]);
  }
  return tr.setSelection(selectionAfter(state, tr.doc, end?.b ?? from));
}

function sizeOf(doc: PmNode, first: number, end: number): number {
  let size = 0;
  for (let index = first; index < end; index++) size += doc.child(index).nodeSize;
  return size;
}

function selectionAfter({ selection, doc }: EditorState, next: PmNode, at: number): Selection {
  const isKept =
    selection instanceof NodeSelection &&
    selection.from < next.content.size &&
    next.nodeAt(selection.from)?.type === doc.nodeAt(selection.from)?.type;
  if (isKept) return NodeSelection.create(next, selection.from);
  return Selection.near(next.resolve(Math.max(0, Math.min(at, next.content.size))), -1);
}
