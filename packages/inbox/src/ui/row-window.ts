// A list of any length with rows of any height: only those near the visible part are in the document. Their heights are measured, the
// others count as high as a usual one, and what is being read stays in its place when rows above it come, go or are measured.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InboxNotification } from "../client/types.ts";

/** Rows drawn above and below the visible ones, so that a fast scroll does not show gaps. The window moves by four rows at once. */
const spareRows = 12;
const usualHeightPx = 80;

type Ref<T> = { current: T };

type RowWindow = {
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
  const heights = useRef(new Map<string, number>()).current;
  /** Where each row begins, and where the last one ends. */
  const tops = useRef([0]);
  /** The first visible row, and how far it is from the upper edge. */
  const anchor = useRef<{ id: string; offset: number } | null>(null);
  const wanted = useRef<{ id: string | undefined; isStill: boolean } | null>(null);

  const end = Math.min(to, items.length);
  const start = Math.max(0, Math.min(from, end - 2 * spareRows));
  const rows = Array.from({ length: end - start }, (_, index) => start + index);
  if (kept < start) rows.unshift(kept);
  else if (kept >= end && items[kept]) rows.push(kept);

  const onScroll = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    const rowAt = (y: number) =>
      Math.max(
        0,
        tops.current.findLastIndex((top) => top <= y),
      );
    const first = rowAt(scrollTop);
    const id = items[first]?.id;
    anchor.current = id && scrollTop > 0 ? { id, offset: tops.current[first]! - scrollTop } : null;
    const next = { from: (first - spareRows) & ~3, to: (rowAt(scrollTop + clientHeight) + spareRows + 4) & ~3 };
    setRange((range) => (range.from === next.from && range.to === next.to ? range : next));
  };

  const place = () => {
    const element = scroller.current;
    const list = element?.querySelector<HTMLElement>(".items");
    // Without a width it is hidden.
    if (!element?.clientWidth || !list) return;
    const drawn = [...list.children] as HTMLElement[];
    for (const row of drawn) heights.set(row.dataset.id!, row.getBoundingClientRect().height);
    let top = 0;
    const next = [0, ...items.map(({ id }) => (top += heights.get(id) ?? usualHeightPx))];
    tops.current = next;
    let bottom = 0;
    for (const [at, row] of drawn.entries()) {
      const index = rows[at]!;
      row.style.marginTop = `${next[index]! - bottom}px`;
      row.ariaPosInSet = `${index + 1}`;
      row.ariaSetSize = `${hasMore ? -1 : items.length}`;
      bottom = next[index + 1]!;
    }
    list.style.paddingBottom = `${top - bottom}px`;
    // The newest first: in place of a row that has gone comes the one after it.
    const { id, offset } = anchor.current ?? { id: "", offset: 0 };
    const at = items.findIndex((item) => item.id <= id);
    const wantedTop = next[at]! - offset;
    // Also the same value, once set, would stop a list that is still moving.
    if (at >= 0 && element.scrollTop !== wantedTop) element.scrollTop = wantedTop;
    onScroll();
    const { current: asked } = wanted;
    const target = drawn.find((row) => row.dataset.id === asked?.id);
    if (!target) return;
    wanted.current = null;
    target.querySelector<HTMLElement>(".main")?.focus({ preventScroll: asked?.isStill });
  };

  useLayoutEffect(place);
  const latest = useRef(place);
  latest.current = place;
  const isEmpty = items.length === 0;
  useEffect(() => {
    // Pictures that arrive late, another width, another size of the text.
    const observer = new ResizeObserver(() => latest.current());
    const element = scroller.current!;
    for (const one of [element, ...element.querySelectorAll(".items")]) observer.observe(one);
    return () => observer.disconnect();
  }, [isEmpty]);

  return {
    rows,
    onScroll,
    focusRow: (index, isStill = false) => {
      wanted.current = { id: items[index]?.id, isStill };
      if (!rows.includes(index)) scroller.current!.scrollTop = tops.current[index] ?? 0;
      onScroll();
      latest.current();
    },
    goToTop: () => {
      scroller.current!.scrollTop = 0;
      anchor.current = null;
    },
  };
}
