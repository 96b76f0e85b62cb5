// One stop of the Tab key for the whole list; arrow keys, Page Up and Down, Home and End move between its rows.
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";

type Window = { count: number; from: number; to: number; rowHeight: number };

const pageRows = 10;

const placeOf = (element: EventTarget): number | undefined => {
  const text = (element as HTMLElement).dataset?.row;
  return text === undefined ? undefined : Number(text);
};

export const focusFirstRow = (): void => document.querySelector<HTMLElement>("[data-row]")?.focus();

export function useRowKeys(list: RefObject<HTMLElement | null>, { count, from, to, rowHeight }: Window) {
  const [place, setPlace] = useState(0);
  /** The row that gets the focus once it is drawn. */
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus();
  });
  const move = (target: number) => {
    const next = Math.max(0, Math.min(count - 1, target));
    wanted.current = next;
    setPlace(next);
    // Rows far away are drawn after the page was scrolled to them.
    const isDrawn = next >= from && next < to;
    if (!isDrawn && list.current) {
      const top = list.current.getBoundingClientRect().top + window.scrollY;
      window.scrollTo({ top: Math.max(0, top + next * rowHeight - window.innerHeight / 2) });
    }
  };
  return {
    stop: Math.max(from, Math.min(to - 1, place)),
    onFocus: ({ target }: FocusEvent) => {
      const focused = placeOf(target);
      if (focused === undefined) return;
      if (focused !== wanted.current) wanted.current = null;
      setPlace(focused);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const focused = placeOf(event.target);
      if (focused === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      // Keys come faster than rows are drawn: each counts from where the one before leads.
      const at = wanted.current ?? focused;
      const targets: Record<string, number> = {
        ArrowDown: at + 1,
        ArrowUp: at - 1,
        PageDown: at + pageRows,
        PageUp: at - pageRows,
        Home: 0,
        End: count - 1,
      };
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      move(target);
    },
  };
}
