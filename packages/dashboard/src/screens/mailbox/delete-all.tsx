// Empties the mailbox, or what the filter on a channel leaves of it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../api/client.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import type { CapturedChannel } from "./search.ts";
import { words } from "./words.ts";

/** One request deletes 10,000 at most; a mailbox has few more than that at any time. */
const maxRequests = 20;

export function DeleteAll({ channel, count }: { channel: CapturedChannel | undefined; count: number }) {
  const may = useMay();
  const { _id } = useEnvironment();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const { confirm, dialog } = useConfirm();
  if (!may("captured.delete")) return null;
  const empty = async () => {
    setBusy(true);
    try {
      let total = 0;
      for (let request = 0; request < maxRequests; request++) {
        const { deleted, hasMore } = await callOperation("captured.delete", { query: { channel } }, _id);
        total += deleted;
        if (!hasMore) break;
      }
      showToast({ title: words.deletedAll(total) });
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      await client.invalidateQueries({ queryKey: [_id, "captured.list"] });
    }
  };
  const ask = () =>
    confirm(
      {
        title: words.deleteAllTitle(channel && channelNames[channel]),
        text: words.deleteAllText(words.count(count, false)),
        label: words.deleteAll,
        isDanger: true,
        isAlways: true,
      },
      () => void empty(),
    );
  return (
    <>
      <Button icon="trash" onClick={ask} disabled={isBusy}>
        {words.deleteAll}
      </Button>
      {dialog}
    </>
  );
}
