// A list of any length with rows of any height: only those near the visible part are in the document. Their heights are measured, the
// others count as high as a usual one, and what is being read stays in its place when rows above it come, go or are measured.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InboxNotification } from "../client/types.ts";

/** Rows drawn above and below the visible ones, so that a fast scroll does not show gaps. */
const spareRows = 12;
/** The window moves by this many rows at once. */
const stepRows = 4;
/** Until rows have been measured. */
const usualHeightPx = 84;

type Ref<T> = { current: T };

export type RowWindow = {
  /** Places of the rows to draw, in order. */
  rows: number[];
  /** Scrolled by the person or by the list. */
  onScroll: () => void;
  /** Moves the focus to a row, which is brought into view unless the list is to stay where it is. */
  focusRow: (index: number, isStill?: boolean) => void;
  /** Goes to the first row, and stays there when others come before it. */
  goToTop: () => void;
};

/** `kept`: place of a row that stays in the document wherever the list is scrolled to, for the focus. `hasMore`: older ones are not loaded. */
export function useRowWindow(
  scroller: Ref<HTMLElement | null>,
  items: InboxNotification[],
  kept: number,
  hasMore: boolean,
): RowWindow {
  const [{ from, to }, setRange] = useState({ from: 0, to: 2 * spareRows });
  const heights = useRef(new Map<string, number>());
  const usual = useRef(0);
  const width = useRef(0);
  /** Where each row begins, and at the end of the list the height of all. */
  const tops = useRef<number[]>([0]);
  /** The first visible row, and how far it is from the upper edge. */
  const anchor = useRef<{ id: string; offset: number } | null>(null);
  const wanted = useRef<{ id: string; isStill: boolean } | null>(null);
  const shown = useRef(items);
  shown.current = items;

  const end = Math.min(to, items.length);
  const start = Math.max(0, Math.min(from, end - 2 * spareRows));
  const rows = Array.from({ length: end - start }, (_, index) => start + index);
  if (items[kept] && kept < start) rows.unshift(kept);
  if (items[kept] && kept >= end) rows.push(kept);

  const rowAt = (y: number): number => {
    let [low, high] = [0, shown.current.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops.current[middle]! <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  };

  const note = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    const first = rowAt(scrollTop);
    const item = shown.current[first];
    anchor.current = item && scrollTop > 0 ? { id: item.id, offset: tops.current[first]! - scrollTop } : null;
    const step = (index: number) => Math.max(0, index - (index % stepRows));
    const next = { from: step(first - spareRows), to: step(rowAt(scrollTop + clientHeight) + spareRows + stepRows) };
    setRange((range) => (range.from === next.from && range.to === next.to ? range : next));
  };

  const place = () => {
    const element = scroller.current;
    const list = element?.querySelector<HTMLElement>(".items");
    // Without a width it is hidden.
    if (!element?.clientWidth || !list) return;
    const drawn = [...list.children] as HTMLElement[];
    if (width.current !== element.clientWidth) {
      heights.current.clear();
      usual.current = 0;
      width.current = element.clientWidth;
    }
    for (const row of drawn) heights.current.set(row.dataset.id!, row.getBoundingClientRect().height);
    // Taken once: with every change of it, all rows that were not measured would move.
    usual.current ||= drawn.reduce((sum, row) => sum + heights.current.get(row.dataset.id!)!, 0) / drawn.length;
    const all = shown.current;
    const next = [0];
    for (const { id } of all) next.push(next.at(-1)! + (heights.current.get(id) ?? (usual.current || usualHeightPx)));
    tops.current = next;
    let last = -1;
    for (const [at, index] of rows.entries()) {
      const row = drawn[at];
      if (!row) continue;
      row.style.marginTop = `${next[index]! - next[last + 1]!}px`;
      row.ariaPosInSet = String(index + 1);
      row.ariaSetSize = String(hasMore ? -1 : all.length);
      last = index;
    }
    list.style.paddingBottom = `${next.at(-1)! - next[last + 1]!}px`;
    // The newest first: in place of a row that has gone comes the one after it.
    const { id = "", offset = 0 } = anchor.current ?? {};
    const kept = all.findIndex((item) => item.id <= id);
    if (id && kept >= 0 && element.scrollTop !== next[kept]! - offset) element.scrollTop = next[kept]! - offset;
    note();
    const { current: asked } = wanted;
    const target = asked && drawn.find((row) => row.dataset.id === asked.id);
    if (!target) return;
    wanted.current = null;
    target.querySelector<HTMLElement>(".main")?.focus({ preventScroll: asked.isStill });
  };

  useLayoutEffect(place);
  const latest = useRef(place);
  latest.current = place;
  const isEmpty = items.length === 0;
  useEffect(() => {
    // Pictures that arrive late, another width, another size of the text.
    const observer = new ResizeObserver(() => latest.current());
    for (const element of [scroller.current!, ...scroller.current!.querySelectorAll(".items")])
      observer.observe(element);
    return () => observer.disconnect();
  }, [isEmpty]);

  return {
    rows,
    onScroll: note,
    focusRow: (index, isStill = false) => {
      const item = shown.current[index];
      if (!item) return;
      wanted.current = { id: item.id, isStill };
      const [top, bottom] = [tops.current[index] ?? 0, tops.current[index + 1] ?? 0];
      const element = scroller.current!;
      const isInView = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight;
      if (!isInView && !isStill) element.scrollTop = top < element.scrollTop ? top : bottom - element.clientHeight;
      note();
      latest.current();
    },
    goToTop: () => {
      scroller.current!.scrollTop = 0;
      anchor.current = null;
    },
  };
}
