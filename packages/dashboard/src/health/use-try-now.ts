// Tries an integration that keeps failing now. What comes of it shows within seconds, so it is read more often for a
// while.
import { useChange } from "../api/hooks.ts";
import { showError, showToast } from "../kit/overlays/toast.tsx";
import { words } from "./words.ts";

/** Responses that are outdated after a change of an integration. */
export const staleAfterChange = ["integrations.list", "system.retrieve"] as const;

export function useTryNow() {
  const change = useChange("integrations.tryNow", staleAfterChange);
  const tryNow = (integrationId: string, name: string) =>
    change.mutate(
      { params: { integrationId } },
      {
        onError: showError,
        onSuccess: ({ health }) => {
          const isBack = health?.state === "closed" && !health.failingSince;
          const summary = health?.lastError?.summary;
          if (isBack) showToast({ title: words.outage.back(name) });
          else if ((health?.waiting ?? 0) > 0) showToast({ title: words.outage.tried(name) });
          else showToast({ title: words.outage.stillAway(name, summary) });
        },
      },
    );
  return { tryNow, isBusy: change.isPending };
}
