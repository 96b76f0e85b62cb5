// Below the text: where the cursor is, and what can be done with that block.
import { type Command, type EditorState, NodeSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { Icon } from "../../icons.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import css from "../email.module.css";
import { words } from "../words.ts";
import { duplicateBlock, moveBlock, removeBlock } from "./commands.ts";
import { nameOf, pathOf } from "./places.ts";

type BlockBarProps = {
  view: EditorView;
  state: EditorState;
  isReadOnly: boolean;
  isOpen: boolean;
  onToggle: () => void;
};

export function BlockBar({ view, state, isReadOnly, isOpen, onToggle }: BlockBarProps) {
  const path = pathOf(state);
  const run = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const select = (pos: number) => {
    view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, pos)).scrollIntoView());
    view.focus();
  };
  return (
    <div className={css.bar}>
      <ol className={css.path} aria-label={words.path}>
        {path.map(({ node, pos }, index) => (
          <li key={pos}>
            {index > 0 && <Icon name="chevronRight" size={12} />}
            <button
              type="button"
              aria-current={index === path.length - 1 ? "true" : undefined}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => select(pos)}
            >
              {nameOf(node)}
            </button>
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div className={css.actions} role="toolbar" aria-label={words.blockBar}>
          <IconButton size="small" label={words.moveUp} icon="arrowUp" onClick={() => run(moveBlock(-1))} />
          <IconButton size="small" label={words.moveDown} icon="arrowDown" onClick={() => run(moveBlock(1))} />
          <IconButton size="small" label={words.duplicate} icon="copy" onClick={() => run(duplicateBlock)} />
          <IconButton size="small" label={words.remove} icon="trash" onClick={() => run(removeBlock)} />
          <Button size="small" icon="settings" aria-expanded={isOpen} disabled={path.length === 0} onClick={onToggle}>
            {words.settings}
          </Button>
        </div>
      )}
    </div>
  );
}
