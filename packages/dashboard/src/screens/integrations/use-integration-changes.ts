// What can be done with an integration in one click, in the list and on its page.
import { useNavigate } from "@tanstack/react-router";
import type { Integration } from "@tidings/contract";
import { useChange } from "../../api/hooks.ts";
import { staleAfterChange } from "../../health/use-try-now.ts";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

export function useIntegrationChanges() {
  const { confirm, dialog } = useConfirm();
  const navigate = useNavigate();
  const update = useChange("integrations.update", staleAfterChange);
  const setPrimary = useChange("integrations.setPrimary", staleAfterChange);
  const remove = useChange("integrations.delete", staleAfterChange);
  const paramsOf = ({ _id = "" }: Integration) => ({ params: { integrationId: _id } });
  return {
    dialog,
    isBusy: update.isPending || setPrimary.isPending || remove.isPending,
    turn: (integration: Integration, active: boolean) =>
      confirm({ title: words.changeTitle(integration.name), label: active ? words.on : words.turnOff }, () =>
        update.mutate({ ...paramsOf(integration), body: { active } }, { onError: showError }),
      ),
    makePrimary: (integration: Integration) =>
      confirm({ title: words.changeTitle(integration.name), text: words.primaryNote, label: words.makePrimary }, () =>
        setPrimary.mutate(paramsOf(integration), {
          onError: showError,
          onSuccess: () => showToast({ title: words.madePrimary(integration.name) }),
        }),
      ),
    remove: (integration: Integration) =>
      confirm(
        {
          title: words.deleteTitle(integration.name),
          text: words.deleteText,
          label: words.delete,
          isDanger: true,
          isAlways: true,
        },
        () =>
          remove.mutate(paramsOf(integration), {
            onError: showError,
            onSuccess: () => {
              showToast({ title: words.deleted });
              void navigate({ to: "/integrations" });
            },
          }),
      ),
  };
}

export const hasPrimary = ({ channel }: Integration): boolean => channel === "email" || channel === "sms";
