// The same event again, with a payload that can be changed first.

import { useNavigate } from "@tanstack/react-router";
import type { TriggerEvent } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../app/session.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { JsonField, parseObject } from "../../kit/json-field.tsx";
import { ErrorPanel } from "../../kit/states.tsx";
import { showToast } from "../../kit/toast.tsx";
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
      <JsonField label={words.payload} text={text} fault={words.badJson} onChange={setText} />
    </Dialog>
  );
}
