// The same event again, with a payload that can be changed first.

import { useNavigate } from "@tanstack/react-router";
import type { TriggerEvent } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { parseObject } from "../../fields/json-object.ts";
import { JsonTextField } from "../../fields/json-text-field.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

type TriggerAgainProps = { event: { name: string; to: unknown; payload: object }; onClose: () => void };

export function TriggerAgain({ event, onClose }: TriggerAgainProps) {
  const [text, setText] = useState(() => JSON.stringify(event.payload, null, 2));
  const navigate = useNavigate();
  const trigger = useChange("events.trigger");
  const environment = useEnvironment();
  const payload = parseObject(text);
  const send = () =>
    trigger.mutate(
      { body: { ...event, payload } as TriggerEvent },
      {
        onSuccess: ({ transactionId }) => {
          showToast({ title: words.triggered });
          onClose();
          if (transactionId) void navigate({ to: "/activity/$transactionId", params: { transactionId } });
        },
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.againTitle}
      description={environment.type === "prod" ? `${words.againText} ${words.againProduction}` : words.againText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" onClick={send} disabled={payload === null || trigger.isPending}>
            {words.send}
          </Button>
        </>
      }
    >
      {trigger.error && <ErrorPanel error={trigger.error} />}
      <JsonTextField label={words.payload} text={text} badJson={words.badJson} onChange={setText} />
    </Dialog>
  );
}
