// What the address of a group of texts carries. That of the list is a place in a list.
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

export type GroupSearch = { q?: string; show?: "missing" | "changed" | "faulty" | "extra" };

export const readGroupSearch = ({ q, show }: RawSearch): GroupSearch =>
  present({ q: textParam(q), show: choiceParam(show, ["missing", "changed", "faulty", "extra"]) });
