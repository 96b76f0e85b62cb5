// The filters of the audience in the address: a changed filter begins at the first page.
import { getRouteApi } from "@tanstack/react-router";
import { useSettledText } from "../../kit/use-settled.ts";
import type { TopicsSearch } from "./search.ts";

const topicsRoute = getRouteApi("/shell/topics");

export function useTopicsSearch() {
  const search = topicsRoute.useSearch();
  const navigate = topicsRoute.useNavigate();
  const show = (changed: TopicsSearch, replace = false) =>
    void navigate({ search: (old) => ({ ...old, after: undefined, before: undefined, ...changed }), replace });
  const [text, setText] = useSettledText(search.q ?? "", (settled) => show({ q: settled.trim() || undefined }, true));
  const clear = () => show({ q: undefined, channel: undefined, reason: undefined });
  return { search, show, text, setText, clear };
}
