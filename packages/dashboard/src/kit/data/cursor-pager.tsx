// The pager of a list that is read by cursors; nothing where there is one page only.

import { words } from "../../words.ts";
import { Pager } from "./table.tsx";

type CursorPagerProps = {
  page: { next: string | null; previous: string | null; totalCount: number; totalCountCapped: boolean };
  onShow: (cursor: { after?: string; before?: string }) => void;
};

export function CursorPager({ page: { next, previous, totalCount, totalCountCapped }, onShow }: CursorPagerProps) {
  if (!next && !previous) return null;
  return (
    <Pager
      note={words.pages.count(totalCount, totalCountCapped)}
      onPrevious={previous ? () => onShow({ before: previous }) : undefined}
      onNext={next ? () => onShow({ after: next }) : undefined}
    />
  );
}
