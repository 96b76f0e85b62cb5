// What can be done with an endpoint, in the list and on its page: turned on and off, deleted, given a new secret.
import { useNavigate } from "@tanstack/react-router";
import type { Webhook } from "@tidings/contract";
import { type ReactNode, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { words } from "./words.ts";

/** Operations whose responses are outdated after an endpoint has changed. */
export const staleAfterChange = ["webhooks.list", "webhooks.retrieve", "system.retrieve"] as const;

export function useWebhookChanges() {
  const { confirm, dialog } = useConfirm();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  const update = useChange("webhooks.update", staleAfterChange);
  // Not the endpoint itself: its page would ask for it once more before it is left.
  const remove = useChange("webhooks.delete", ["webhooks.list", "system.retrieve"]);
  const rotate = useChange("webhooks.rotateSecret", staleAfterChange);
  const inputOf = ({ id }: Webhook) => ({ params: { webhookId: id } });
  const dialogs: ReactNode = (
    <>
      {dialog}
      {secret !== null && <SecretDialog secret={secret} isRotated onClose={() => setSecret(null)} />}
    </>
  );
  return {
    dialogs,
    isBusy: update.isPending || remove.isPending || rotate.isPending,
    turn: (webhook: Webhook, active: boolean) =>
      confirm({ title: words.changeTitle, label: words.change }, () =>
        update.mutate({ ...inputOf(webhook), body: { active } }, { onError: showError }),
      ),
    rotate: (webhook: Webhook) =>
      confirm(
        { title: words.secret.rotateTitle, text: words.secret.rotatedText, label: words.secret.rotate, isAlways: true },
        () => rotate.mutate(inputOf(webhook), { onError: showError, onSuccess: (made) => setSecret(made.secret) }),
      ),
    remove: (webhook: Webhook) =>
      confirm(
        {
          title: words.deleteTitle,
          text: words.deleteText,
          label: words.delete,
          isDanger: true,
          isAlways: true,
        },
        () =>
          remove.mutate(inputOf(webhook), {
            onError: showError,
            onSuccess: () => {
              showToast({ title: words.deleted });
              void navigate({ to: "/webhooks" });
            },
          }),
      ),
  };
}
