// Paging of lists, by cursor and by page number: parameters of the request read, and the response assembled.
import { faultCollector } from "../failure.ts";
import { type CursorPage, type CursorRequest, decodeCursor } from "../store/paging.ts";

type CursorQuery = {
  after?: string;
  before?: string;
  limit?: number;
  orderBy?: string;
  orderDirection?: "ASC" | "DESC";
  includeCursor?: boolean;
};

export function readCursor(query: CursorQuery): CursorRequest {
  const faults = faultCollector();
  const read = (field: "after" | "before") => {
    const text = query[field];
    if (!text) return undefined;
    const cursor = decodeCursor(text, query.orderBy === "identifier" ? "text" : "time");
    if (!cursor) faults.add(field, `${field} is not a valid cursor`, text);
    return cursor ?? undefined;
  };
  const after = read("after");
  const before = read("before");
  if (query.after && query.before) faults.add("before", "before and after cannot be used together");
  faults.throwIfAny();
  return {
    after,
    before,
    includeCursor: query.includeCursor ?? false,
    limit: query.limit ?? 10,
    direction: query.orderDirection ?? "DESC",
  };
}

export const toCursorList = <Row, Item>(page: CursorPage<Row>, toItem: (row: Row) => Item) => ({
  data: page.rows.map(toItem),
  next: page.next,
  previous: page.previous,
  totalCount: page.totalCount,
  totalCountCapped: page.totalCountCapped,
});

/** The offset is capped at what the database can read: a page beyond it is empty, and no error. */
export function pageRange(query: { page?: number; limit?: number }) {
  const limit = query.limit ?? 10;
  return { offset: Math.min((query.page ?? 0) * limit, Number.MAX_SAFE_INTEGER), limit };
}

/** The store reads one row beyond the page, so `hasMore` is exact. */
export function toPage<Row, Item>(rows: Row[], query: { page?: number; limit?: number }, toItem: (row: Row) => Item) {
  const limit = query.limit ?? 10;
  const items = rows.slice(0, limit).map(toItem);
  return { hasMore: rows.length > limit, data: items, pageSize: items.length, page: query.page ?? 0 };
}
