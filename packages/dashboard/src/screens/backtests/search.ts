// What the address of the list carries.
import { pageParam, present, type RawSearch } from "../../kit/search-params.ts";

export const readBacktestsSearch = ({ page }: RawSearch): { page?: number } => present({ page: pageParam(page) });
