// The list that opens while typing. The text keeps the focus: its keys choose, and it names the chosen entry.
import type { EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import css from "../email.module.css";
import { words } from "../words.ts";
import { EditorIcon } from "./icons.tsx";
import { chooseItem, itemsOf, type MenuItem, type OpenMenu, openMenuOf } from "./menu.ts";

type MenuPopupProps = {
  view: EditorView;
  state: EditorState;
  variables: readonly string[];
  id: string;
  openSettings: () => void;
};

export function MenuPopup({ state, ...rest }: MenuPopupProps) {
  const open = openMenuOf(state);
  return open ? <List {...rest} open={open} /> : null;
}

function List({ view, open, variables, id, openSettings }: Omit<MenuPopupProps, "state"> & { open: OpenMenu }) {
  const items = itemsOf(open, variables);
  const list = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  // A shorter list that is above the text has to come down to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of entries is the height of the list
  useLayoutEffect(() => setPlace(placeOf(view, open.from, list.current!)), [view, open.from, items.length]);
  useEffect(() => {
    // Newer browsers return a promise here, which React would call.
    void list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  return (
    <div
      ref={list}
      id={id}
      className={css.menu}
      role="listbox"
      // Its entries have no focus: the list is scrolled with the keys of the text, or with those of the list.
      tabIndex={0}
      aria-label={open.kind === "block" ? words.insertMenu : words.variableMenu}
      style={place}
    >
      {items.length === 0 && <p className={css.weak}>{words.noMatch}</p>}
      {items.map((item, index) => (
        <Entry
          key={item.kind === "block" ? item.block : item.name}
          id={`${id}-${index}`}
          item={item}
          isChosen={index === open.index}
          isKnown={item.kind === "block" || variables.includes(item.name)}
          onChoose={() => chooseItem(view, open, item, openSettings)}
        />
      ))}
    </div>
  );
}

type EntryProps = { id: string; item: MenuItem; isChosen: boolean; isKnown: boolean; onChoose: () => void };

const Entry = ({ id, item, isChosen, isKnown, onChoose }: EntryProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus and names the entry
  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text
  <div
    id={id}
    className={css.entry}
    role="option"
    aria-selected={isChosen}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    <EditorIcon name={item.kind === "block" ? item.block : "variable"} size={16} />
    {item.kind === "block" ? (
      <span>
        {words.blocks[item.block].label}
        <small>{words.blocks[item.block].hint}</small>
      </span>
    ) : (
      <code>{isKnown ? item.name : words.typedName(item.name)}</code>
    )}
  </div>
);

/** Below the typed text; above it where the window ends. */
function placeOf(view: EditorView, from: number, list: HTMLElement): { left: number; top: number } {
  const at = view.coordsAtPos(from);
  const box = list.offsetParent!.getBoundingClientRect();
  const isBelow = at.bottom + list.offsetHeight + 8 < window.innerHeight || at.top < list.offsetHeight + 8;
  return {
    left: Math.max(0, Math.min(at.left - box.left, box.width - list.offsetWidth)),
    top: (isBelow ? at.bottom + 4 : at.top - list.offsetHeight - 4) - box.top,
  };
}
