// Where a name from the list of variables goes: the field that had the focus last.
import { createContext, type RefObject, useContext } from "react";

/** Inserts at the caret, and gives the field the focus again. */
export type Insert = (name: string) => void;

const Context = createContext<RefObject<Insert | null> | null>(null);
export const InsertionProvider = Context.Provider;

/** The field calls this when it gets the focus. */
export function useInsertion(): (insert: Insert) => void {
  const last = useContext(Context);
  return (insert) => {
    if (last) last.current = insert;
  };
}
