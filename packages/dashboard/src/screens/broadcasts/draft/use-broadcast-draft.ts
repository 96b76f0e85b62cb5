// The state of a draft that is edited: kept in this browser until it is saved.
import { useQueryClient } from "@tanstack/react-query";
import type { Broadcast } from "@tidings/contract";
import { useEffect, useRef } from "react";
import { faultBeside } from "../../../api/api-error.ts";
import { useChange } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { type Base, useDraft } from "../../../drafts/use-draft.ts";
import { focusFault } from "../../../kit/focus.ts";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { beginSave, showNotSaved, showSaved } from "../../../kit/overlays/toast.tsx";
import { words } from "../words.ts";

export type BroadcastDraft = Pick<Broadcast, "name" | "content" | "audience" | "time" | "pace" | "expiresAt">;

const draftOf = ({ name, content, audience, time, pace, expiresAt }: Broadcast): BroadcastDraft => ({
  name,
  content,
  audience,
  time,
  pace,
  expiresAt,
});

const baseOf = (broadcast: Broadcast): Base<BroadcastDraft> => ({
  draft: draftOf(broadcast),
  version: broadcast.updatedAt,
});

export function useBroadcastDraft(broadcast: Broadcast, isReadOnly: boolean) {
  const { _id: broadcastId } = broadcast;
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  const held = useDraft<BroadcastDraft>({
    recordId: `broadcast.${broadcastId}`,
    saved: baseOf(broadcast),
    isReadOnly,
    isDraft: (found) => typeof found?.name === "string" && typeof found.audience === "object",
  });
  const { base, draft, isChanged, restart } = held;
  const { confirm, dialog } = useConfirm();
  const update = useChange("broadcasts.update", [
    "broadcasts.list",
    "broadcasts.retrieve",
    "broadcasts.retrieveCheck",
    "broadcasts.preview",
  ]);
  const isNewer = broadcast.updatedAt > (base.version ?? "");

  // A newer version is shown at once where there is nothing to lose.
  useEffect(() => {
    if (!isChanged && isNewer) restart(baseOf(broadcast));
  }, [broadcast, isChanged, isNewer, restart]);

  const put = (saved: Broadcast) =>
    client.setQueriesData<Broadcast>({ queryKey: [environmentId, "broadcasts.retrieve"] }, (old) =>
      old?._id === saved._id ? saved : old,
    );
  const send = (then?: () => void) => {
    beginSave();
    update.mutate(
      { params: { broadcastId }, body: { ...draft, name: draft.name.trim() } },
      {
        onSuccess: (saved) => {
          put(saved);
          held.adopt(baseOf(saved));
          if (then) then();
          else showSaved(words.saved);
        },
        onError: (error) => {
          showNotSaved(error, () => again.current(), Object.values(error.fields)[0]);
          focusFault();
        },
      },
    );
  };
  const save = () => confirm({ title: words.saveTitle(draft.name), label: words.save }, () => send());
  const again = useRef(save);
  again.current = save;
  return {
    ...held,
    broadcast,
    dialog,
    isReadOnly,
    isSaving: update.isPending,
    /** By field, such as `time.at`. */
    errors: Object.fromEntries(
      Object.entries(update.error?.fields ?? {}).map(([field, message]) => [field, faultBeside(field, message)]),
    ) as Record<string, string>,
    isOld: isChanged && isNewer,
    change: (changed: Partial<BroadcastDraft>, field: string) => {
      if (update.error) update.reset();
      held.change({ ...draft, ...changed }, field);
    },
    discard: () => restart(baseOf(broadcast)),
    save,
    /** Runs what needs the saved draft, and saves it first where it was changed. */
    withSaved: (run: () => void) => (isChanged && !isReadOnly ? send(run) : run()),
  };
}

export type DraftEditor = ReturnType<typeof useBroadcastDraft>;
