// The place in a searched list, as it is in the address; apart from the list, since routes are in the first bundle.
import { pageParam, present, type RawSearch, textParam } from "../search-params.ts";

export type ListPlace = { q?: string; page?: number };

export const readListPlace = ({ q, page }: RawSearch): ListPlace => present({ q: textParam(q), page: pageParam(page) });
