// Keys of the editor, wherever the focus is: save, undo, redo.
import { useEffect, useRef } from "react";

type Keyed = {
  isReadOnly: boolean;
  isChanged: boolean;
  isSaving: boolean;
  save: () => void;
  undo: () => void;
  redo: () => void;
};

/** Ctrl-S alone, for a record whose fields have their own way back. The browser's dialog never opens. */
export function useSaveShortcut(editor: Pick<Keyed, "isReadOnly" | "isChanged" | "isSaving" | "save">): void {
  const latest = useRef(editor);
  latest.current = editor;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey || event.defaultPrevented) return;
      const { save, isReadOnly, isChanged, isSaving } = latest.current;
      if (event.key.toLowerCase() !== "s" || document.querySelector("[role=dialog]")) return;
      if (!isReadOnly && isChanged && !isSaving) save();
      event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

export function useShortcuts(editor: Keyed): void {
  const latest = useRef(editor);
  latest.current = editor;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // A field that has its own undo has used the key.
      if (!(event.metaKey || event.ctrlKey) || event.altKey || event.defaultPrevented) return;
      const { save, undo, redo, isReadOnly, isChanged, isSaving } = latest.current;
      const key = event.key.toLowerCase();
      // A field in a dialog keeps its own way back.
      if (isReadOnly || document.querySelector("[role=dialog]")) return;
      if (key === "s" && isChanged && !isSaving) save();
      else if (key === "z") event.shiftKey ? redo() : undo();
      else if (key === "y") redo();
      else if (key !== "s") return;
      event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
