// One dead letter, sent again: unchanged, with another payload, or through another integration.
import type { DeadLetter } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { parseObject } from "../../fields/json-object.ts";
import { JsonTextField } from "../../fields/json-text-field.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { DialogEnd, Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { staleAfterReplay, Through } from "./replay-dialog.tsx";
import { words } from "./words.ts";

const text = words.letter;

export function LetterDialog({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const { type } = useEnvironment();
  const may = useMay();
  const [content, setContent] = useState<"keep" | "edit">("keep");
  const [edited, setEdited] = useState<string | null>(null);
  const [through, setThrough] = useState("");
  const start = useChange("deadLetterReplays.create", staleAfterReplay);
  const run = useOperation("notifications.retrieve", { params: { notificationId: letter.notificationId } });
  const payloadText = edited ?? JSON.stringify(run.data?.payload ?? {}, null, 2);
  const payload = parseObject(payloadText);
  const isEdit = content === "edit";
  const send = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(
      {
        body: {
          ids: [letter.id],
          ...(isEdit && payload && { payload }),
          ...(through !== "" && { integrationIdentifier: through }),
        },
      },
      {
        onSuccess: () => {
          showToast({ title: text.sent });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.title(letter.subscriberId)}>
      <form onSubmit={send}>
        <Stack>
          {start.error && <ErrorPanel error={start.error} />}
          <Field label={text.content}>
            {({ id }) => (
              <Select
                id={id}
                isWide
                name={text.content}
                value={content}
                onChange={setContent}
                choices={[
                  { value: "keep", label: text.keep },
                  // Other content is sent by those who trigger events.
                  ...(may("events.trigger") ? [{ value: "edit" as const, label: text.edit }] : []),
                ]}
              />
            )}
          </Field>
          {isEdit && !run.data && !run.error && <Skeleton rows={3} />}
          {isEdit && run.error && <ErrorPanel error={run.error} onRetry={run.refetch} />}
          {isEdit && run.data && (
            <JsonTextField
              label={text.payload}
              text={payloadText}
              hint={text.text}
              badJson={text.badJson}
              onChange={setEdited}
            />
          )}
          <Through channel={letter.channel} value={through} onChange={setThrough} />
          {type === "prod" && <Notice tone="warn">{words.replay.production(1, letter.channel)}</Notice>}
          <DialogEnd>
            <Button onClick={onClose}>{kitWords.cancel}</Button>
            <Button
              type="submit"
              look="primary"
              disabled={start.isPending || (isEdit && (payload === null || !run.data))}
            >
              {text.send}
            </Button>
          </DialogEnd>
        </Stack>
      </form>
    </Dialog>
  );
}
