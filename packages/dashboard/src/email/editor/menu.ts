// The menus that open while typing: blocks after a slash, variables after two braces.
import { type EditorState, Plugin, PluginKey, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { insertBlock, insertVariable } from "./commands.ts";
import { type Insertable, matchingBlocks, matchingVariables } from "./insertable.ts";

export type OpenMenu = { kind: "block" | "variable"; from: number; to: number; query: string; index: number };
type MenuState = { open: OpenMenu | null /** Where Escape closed it. */; dismissed: number | null };
type Meta = { index: number } | "close";

const menuKey = new PluginKey<MenuState>("menu");
const none: MenuState = { open: null, dismissed: null };

/** Marks what the page puts into the editor, such as an undone text: it was not typed. */
export const shownKey = new PluginKey("shown");

export const openMenuOf = (state: EditorState): OpenMenu | null => menuKey.getState(state)?.open ?? null;

export type MenuItem = { kind: "block"; block: Insertable } | { kind: "variable"; name: string };

export const itemsOf = ({ kind, query }: OpenMenu, variables: readonly string[]): MenuItem[] =>
  kind === "block"
    ? matchingBlocks(query).map((block) => ({ kind, block }))
    : matchingVariables(query, variables).map((name) => ({ kind, name }));

const triggers: [kind: OpenMenu["kind"], typed: RegExp][] = [
  ["variable", /\{\{-?\s*([\w.]{0,200})$/],
  ["block", /(?<=^|\s)\/([\p{L}\d]{0,20})$/u],
];

function triggerAt({ selection }: EditorState): Omit<OpenMenu, "index"> | null {
  const { $from, empty } = selection;
  if (!(selection instanceof TextSelection) || !empty || $from.parent.type.spec.code) return null;
  const before = $from.parent.textBetween(Math.max(0, $from.parentOffset - 210), $from.parentOffset, null, "\ufffc");
  for (const [kind, typed] of triggers) {
    const found = typed.exec(before);
    if (found) return { kind, from: $from.pos - found[0].length, to: $from.pos, query: found[1] ?? "" };
  }
  return null;
}

/** `variables`: those known at the time of a key press. */
export const menuPlugin = (
  variables: (state: EditorState) => readonly string[],
  openSettings: () => void,
): Plugin<MenuState> =>
  new Plugin<MenuState>({
    key: menuKey,
    state: {
      init: () => none,
      apply(tr, before, _old, state) {
        const meta: Meta | undefined = tr.getMeta(menuKey);
        if (meta === "close") return { open: null, dismissed: before.open?.from ?? null };
        if (meta) return before.open ? { ...before, open: { ...before.open, index: meta.index } } : before;
        if (!tr.docChanged && !tr.selectionSet) return before;
        const found = tr.getMeta(shownKey) ? null : triggerAt(state);
        if (!found) return none;
        if (found.from === before.dismissed || (!before.open && !tr.docChanged)) return { ...before, open: null };
        const isSame = before.open?.kind === found.kind && before.open.query === found.query;
        return { open: { ...found, index: isSame ? before.open!.index : 0 }, dismissed: null };
      },
    },
    props: {
      handleKeyDown(view, event) {
        const open = openMenuOf(view.state);
        if (!open) return false;
        const items = itemsOf(open, variables(view.state));
        const put = (meta: Meta) => view.dispatch(view.state.tr.setMeta(menuKey, meta));
        if (event.key === "Escape") put("close");
        else if (items.length === 0) return false;
        else if (event.key === "ArrowDown") put({ index: (open.index + 1) % items.length });
        else if (event.key === "ArrowUp") put({ index: (open.index + items.length - 1) % items.length });
        else if (event.key === "Enter" || event.key === "Tab")
          chooseItem(view, open, items[open.index] ?? items[0]!, openSettings);
        else return false;
        event.stopPropagation();
        return true;
      },
    },
  });

export function chooseItem(view: EditorView, { from, to }: OpenMenu, item: MenuItem, openSettings: () => void): void {
  if (item.kind === "variable") view.dispatch(insertVariable(view.state, item.name, from, to));
  else view.dispatch(view.state.tr.delete(from, to));
  view.focus();
  if (item.kind === "block") insertAny(view, item.block, openSettings);
}

/** Blocks that are nothing without their settings. */
const empties: readonly Insertable[] = ["button", "image", "repeat", "socialLinks"];
export const needsSettings = (kind: Insertable): boolean => empties.includes(kind);

/** A block, or for a variable the braces that open its menu. */
export function insertAny(view: EditorView, kind: Insertable, openSettings: () => void): void {
  if (kind === "variable") view.dispatch(view.state.tr.insertText("{{"));
  else insertBlock(kind)(view.state, view.dispatch);
  if (needsSettings(kind)) openSettings();
}
