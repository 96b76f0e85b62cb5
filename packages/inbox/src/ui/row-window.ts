// A list of any length with rows of any height: only those near the visible part are in the document. Their heights are
// measured, the others count as high as a usual one, and what is being read stays in its place when rows above it come,
// go or are measured.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InboxNotification } from "../client/types.ts";

/**
 * Rows drawn above and below the visible ones, so that a fast scroll does not show gaps. The window moves by four rows
 * at once.
 */
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
};

/**
 * `kept`: place of a row that stays in the document wherever the list is scrolled to, for the focus. `hasMore`: older
 * ones are not loaded.
 */
export function useRowWindow(
  scroller: Ref<HTMLElement | null>,
  items: InboxNotification[],
  kept: number,
  hasMore: boolean,
): RowWindow {
  const [{ from, to }, setRange] = useState({ from: 0, to: 2 * spareRows });
  const heights = useRef(new Map<string, number>()).current;
  /** The list as it was placed last: where each row begins, and where the last one ends. */
  const placed = useRef<{ items: InboxNotification[]; tops: number[] }>({ items, tops: [0] });
  const wanted = useRef<{ id: string | undefined; isStill: boolean } | null>(null);

  const end = Math.min(to, items.length);
  const start = Math.max(0, Math.min(from, end - 2 * spareRows));
  const rows = Array.from({ length: end - start }, (_, index) => start + index);
  if (kept < start) rows.unshift(kept);
  else if (kept >= end && items[kept]) rows.push(kept);

  const rowAt = (y: number) =>
    Math.max(
      0,
      placed.current.tops.findLastIndex((top) => top <= y),
    );
  const onScroll = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    const next = {
      from: (rowAt(scrollTop) - spareRows) & ~3,
      to: (rowAt(scrollTop + clientHeight) + spareRows + 4) & ~3,
    };
    setRange((range) => (range.from === next.from && range.to === next.to ? range : next));
  };

  /** `scrollTop`: before rows were exchanged, which may have moved the list. */
  const place = (scrollTop = scroller.current?.scrollTop ?? 0) => {
    const element = scroller.current;
    const list = element?.querySelector<HTMLElement>(".items");
    // Without a width it is hidden.
    if (!element?.clientWidth || !list) return;
    // The first visible row stays where it is. The newest first: instead of a row that has gone comes the one after it.
    const first = rowAt(scrollTop);
    const id = scrollTop > 0 ? (placed.current.items[first]?.id ?? "") : "";
    const offset = placed.current.tops[first]! - scrollTop;
    const drawn = [...list.children] as HTMLElement[];
    for (const row of drawn) heights.set(row.dataset.id!, row.getBoundingClientRect().height);
    let top = 0;
    const next = [0, ...items.map(({ id }) => (top += heights.get(id) ?? usualHeightPx))];
    placed.current = { items, tops: next };
    let bottom = 0;
    for (const [at, row] of drawn.entries()) {
      const index = rows[at]!;
      row.style.marginTop = `${next[index]! - bottom}px`;
      row.ariaPosInSet = `${index + 1}`;
      row.ariaSetSize = `${hasMore ? -1 : items.length}`;
      bottom = next[index + 1]!;
    }
    list.style.paddingBottom = `${top - bottom}px`;
    const at = items.findIndex((item) => item.id <= id);
    // Also the same value, once set, would stop a list that is still moving.
    if (at >= 0 && element.scrollTop !== next[at]! - offset) element.scrollTop = next[at]! - offset;
    onScroll();
    const { current: asked } = wanted;
    const target = drawn.find((row) => row.dataset.id === asked?.id);
    if (!target) return;
    wanted.current = null;
    target.querySelector<HTMLElement>(".main")?.focus({ preventScroll: asked?.isStill });
  };

  const before = scroller.current?.scrollTop;
  useLayoutEffect(() => place(before));
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
      if (!rows.includes(index)) scroller.current!.scrollTop = placed.current.tops[index] ?? 0;
      onScroll();
      latest.current();
    },
  };
}
