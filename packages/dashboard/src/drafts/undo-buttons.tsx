// The way back of a draft, and forward again.
import { IconButton } from "../kit/inputs/button.tsx";
import { words } from "./words.ts";

type UndoButtonsProps = { editor: { canUndo: boolean; canRedo: boolean; undo: () => void; redo: () => void } };

export const UndoButtons = ({ editor: { canUndo, canRedo, undo, redo } }: UndoButtonsProps) => (
  <>
    <IconButton label={words.undo} icon="undo" disabled={!canUndo} onClick={undo} />
    <IconButton label={words.redo} icon="redo" disabled={!canRedo} onClick={redo} />
  </>
);
