// Long lists: of any number of rows of one height, only those near the visible part of the page are in the document.
import { type RefObject, useEffect, useRef, useState } from "react";

/** Rows drawn above and below the visible ones, so that a fast scroll does not show gaps. */
const spareRows = 12;

export type RowWindow = {
  ref: RefObject<HTMLDivElement | null>;
  from: number;
  to: number;
  /** Heights of what stands for the rows that are not drawn. */
  before: number;
  after: number;
};

export function useRowWindow(count: number, rowHeight: number): RowWindow {
  const ref = useRef<HTMLDivElement>(null);
  // First the rows that the window has room for; the spare ones follow once those are on the screen.
  const [[from, to], setRange] = useState<[number, number]>(() => [0, Math.ceil(window.innerHeight / rowHeight)]);
  useEffect(() => {
    const measure = () => {
      const top = ref.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - spareRows);
      const last = Math.ceil((window.innerHeight - top) / rowHeight) + spareRows;
      setRange((range) => (range[0] === first && range[1] === last ? range : [first, Math.max(first, last)]));
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [rowHeight]);
  const end = Math.min(to, count);
  const start = Math.min(from, end);
  return { ref, from: start, to: end, before: start * rowHeight, after: (count - end) * rowHeight };
}
