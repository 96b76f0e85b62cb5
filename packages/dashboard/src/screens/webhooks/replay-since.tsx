// Delivers again what has failed for good since a time.
import type { Webhook } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

const text = words.deliveries;
const hourMs = 3_600_000;
const ranges = { "1h": hourMs, "24h": 24 * hourMs, "7d": 168 * hourMs, "30d": 720 * hourMs };
type Range = keyof typeof ranges;

export function ReplaySince({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { type, name } = useEnvironment();
  const [range, setRange] = useState<Range>("7d");
  const replay = useChange("webhooks.replay", ["webhooks.listDeliveries", "system.retrieve"]);
  const send = () =>
    replay.mutate(
      {
        params: { webhookId: webhook.id },
        body: { since: new Date(Date.now() - ranges[range]).toISOString() },
      },
      {
        onSuccess: ({ replayed, hasMore }) => {
          showToast({ title: text.replayed(replayed), description: hasMore ? text.more : undefined });
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.sinceTitle}
      description={text.sinceText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" onClick={send} disabled={!webhook.active || replay.isPending}>
            {text.again}
          </Button>
        </>
      }
    >
      <Stack>
        {replay.error && <ErrorPanel error={replay.error} />}
        {!webhook.active && <Notice tone="warn">{text.needsOn}</Notice>}
        {type === "prod" && <Notice tone="warn">{kitWords.confirm.production(name)}</Notice>}
        <Field label={text.sinceLabel}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.sinceLabel}
              value={range}
              onChange={setRange}
              choices={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: text.ranges[value] }))}
            />
          )}
        </Field>
      </Stack>
    </Dialog>
  );
}
