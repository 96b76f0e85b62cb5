// A list that is searched and read page by page: the search, one of the four states, and the pages below. Search and
// page are in the URL; a new search begins at the first page.
import type { ApiError } from "../../api/api-error.ts";
import type { IconName } from "../../icons.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../feedback/states.tsx";
import { Button } from "../inputs/button.tsx";
import { useSettledText } from "../use-settled.ts";
import { ListBar } from "./list.tsx";
import type { ListPlace } from "./list-place.ts";
import { type Column, Pager, Table } from "./table.tsx";

export const listPageSize = 25;

type PagedListProps<Row> = {
  place: ListPlace;
  onMove: (place: ListPlace, isReplaced?: boolean) => void;
  /** The rows of the page; undefined until they have loaded. */
  rows: readonly Row[] | undefined;
  totalCount: number | undefined;
  error: ApiError | null;
  onRetry: () => void;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Shown where there is no row at all. */
  icon: IconName;
  words: {
    title: string;
    search: string;
    none: string;
    noneText: string;
    noMatch: string;
    noMatchText: string;
    clear: string;
    count: (from: number, to: number, total: number) => string;
  };
};

export function PagedList<Row>({
  place: { q, page = 0 },
  onMove,
  rows,
  totalCount = 0,
  error,
  onRetry,
  columns,
  keyOf,
  icon,
  words,
}: PagedListProps<Row>) {
  const search = (settled: string) => onMove(settled.trim() ? { q: settled.trim() } : {}, true);
  const [text, setText] = useSettledText(q ?? "", search);
  const go = (to: number) => onMove({ ...(q && { q }), page: to });
  const from = page * listPageSize;
  const to = from + (rows?.length ?? 0);
  return (
    <>
      <ListBar search={{ label: words.search, value: text, onChange: setText }} />
      {error && <ErrorPanel error={error} onRetry={onRetry} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && (
        <EmptyState
          icon={q === undefined ? icon : "search"}
          title={q === undefined ? words.none : words.noMatch}
          text={q === undefined ? words.noneText : words.noMatchText}
          action={q !== undefined && <Button onClick={() => onMove({})}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && <Table label={words.title} rows={rows} keyOf={keyOf} columns={columns} />}
      {totalCount > listPageSize && (
        <Pager
          note={words.count(from + 1, to, totalCount)}
          onPrevious={page > 0 ? () => go(page - 1) : undefined}
          onNext={to < totalCount ? () => go(page + 1) : undefined}
        />
      )}
    </>
  );
}
