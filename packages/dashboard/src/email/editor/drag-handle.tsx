// The handle at the left of the block under the pointer: dragged it moves the block, pressed it selects it. Keys do
// the same: Escape, and Alt with the arrows.
import { type EditorState, NodeSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type DragEvent, useEffect, useState } from "react";
import css from "../email.module.css";
import { words } from "../words.ts";
import { EditorIcon } from "./icons.tsx";
import { movableAt } from "./places.ts";

type DragHandleProps = { view: EditorView; state: EditorState; onSelect: () => void };

export function DragHandle({ view, state, onSelect }: DragHandleProps) {
  const [at, setAt] = useState<{ pos: number; top: number } | null>(null);
  useEffect(() => {
    const area = view.dom.parentElement!.parentElement!;
    const follow = ({ clientX, clientY }: MouseEvent) => {
      const box = view.dom.getBoundingClientRect();
      const left = Math.max(box.left + 24, Math.min(clientX, box.right - 24));
      const found = view.posAtCoords({ left, top: clientY });
      const place = found && movableAt(view.state.doc, found.inside);
      const dom = place && view.nodeDOM(place.pos);
      if (!place || !(dom instanceof HTMLElement)) return;
      const top = dom.getBoundingClientRect().top - area.getBoundingClientRect().top + area.scrollTop;
      setAt((before) => (before?.pos === place.pos && before.top === top ? before : { pos: place.pos, top }));
    };
    const leave = () => setAt(null);
    area.addEventListener("mousemove", follow);
    area.addEventListener("mouseleave", leave);
    return () => {
      area.removeEventListener("mousemove", follow);
      area.removeEventListener("mouseleave", leave);
    };
  }, [view]);
  if (!at || at.pos >= state.doc.content.size || !state.doc.nodeAt(at.pos)) return null;
  const select = () => {
    const selection = NodeSelection.create(view.state.doc, at.pos);
    view.dispatch(view.state.tr.setSelection(selection));
    return selection;
  };
  const start = (event: DragEvent) => {
    const node = select();
    const dom = view.nodeDOM(at.pos);
    if (dom instanceof HTMLElement) event.dataTransfer.setDragImage(dom, 0, 0);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    view.dragging = Object.assign({ slice: node.content(), move: true }, { node });
  };
  return (
    <button
      type="button"
      className={css.handle}
      style={{ top: at.top }}
      draggable
      tabIndex={-1}
      aria-label={words.drag}
      title={words.drag}
      onDragStart={start}
      onClick={() => {
        select();
        view.focus();
        onSelect();
      }}
    >
      <EditorIcon name="grip" size={14} />
    </button>
  );
}
