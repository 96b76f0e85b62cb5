// The filters of the audience in the address: a changed filter begins at the first page.
import { useSettledText } from "../../kit/use-settled.ts";
import { type AudienceSearch, audienceRoute } from "./routes.ts";

export function useAudienceSearch() {
  const search = audienceRoute.useSearch();
  const navigate = audienceRoute.useNavigate();
  const show = (changed: AudienceSearch, replace = false) =>
    void navigate({ search: (old) => ({ ...old, after: undefined, before: undefined, ...changed }), replace });
  const [text, setText] = useSettledText(search.q ?? "", (settled) => show({ q: settled.trim() || undefined }, true));
  const clear = () => show({ q: undefined, channel: undefined, reason: undefined });
  return { search, show, text, setText, clear };
}
