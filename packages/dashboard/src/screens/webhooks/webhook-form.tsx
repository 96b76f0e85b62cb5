// A new endpoint, or the address and the events of one.
import type { Webhook, WebhookEventType } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Checkbox, Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { DialogEnd, Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { staleAfterChange } from "./use-webhook-changes.tsx";
import css from "./webhooks.module.css";
import { words } from "./words.ts";

const text = words.form;
const types = Object.keys(words.events) as WebhookEventType[];

type WebhookFormProps = {
  /** Absent: a new one is created. */
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (secret: string) => void;
};

export function WebhookForm({ webhook, onClose, onCreated }: WebhookFormProps) {
  const environment = useEnvironment();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [chosen, setChosen] = useState<readonly WebhookEventType[]>(webhook?.eventTypes ?? []);
  const [which, setWhich] = useState<"every" | "some">(chosen.length > 0 ? "some" : "every");
  const create = useChange("webhooks.create", staleAfterChange);
  const update = useChange("webhooks.update", staleAfterChange);
  const error = create.error ?? update.error;
  const urlFault = error?.fields.url;
  const body = { url: url.trim(), eventTypes: which === "every" ? [] : [...chosen] };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (webhook) {
      const done = () => {
        showToast({ title: kitWords.saved });
        onClose();
      };
      update.mutate({ params: { webhookId: webhook.id }, body }, { onSuccess: done });
    } else create.mutate({ body }, { onSuccess: ({ secret }) => onCreated?.(secret) });
  };
  const toggle = (type: WebhookEventType, isOn: boolean) =>
    setChosen(isOn ? [...chosen, type] : chosen.filter((one) => one !== type));
  return (
    <Dialog isOpen onClose={onClose} title={webhook ? text.editTitle : text.addTitle}>
      <form onSubmit={save}>
        <Stack>
          {error && !urlFault && <ErrorPanel error={error} />}
          <TextField
            label={text.url}
            hint={text.urlHint}
            error={urlFault}
            value={url}
            type="url"
            required
            spellCheck={false}
            placeholder="https://example.com/webhooks"
            onChange={({ target }) => setUrl(target.value)}
          />
          <Field label={text.which} error={which === "some" && chosen.length === 0 ? text.choose : undefined}>
            {({ id }) => (
              <Select
                id={id}
                isWide
                name={text.which}
                value={which}
                onChange={setWhich}
                choices={[
                  { value: "every", label: text.every },
                  { value: "some", label: text.some },
                ]}
              />
            )}
          </Field>
          {which === "some" && (
            <fieldset className={css.types} aria-label={text.which}>
              {types.map((type) => (
                <Checkbox
                  key={type}
                  checked={chosen.includes(type)}
                  onChange={({ target }) => toggle(type, target.checked)}
                  label={
                    <>
                      <code>{type}</code> <span className={css.note}>{words.events[type]}</span>
                    </>
                  }
                />
              ))}
            </fieldset>
          )}
          {environment.type === "prod" && <Notice tone="warn">{kitWords.confirm.production(environment.name)}</Notice>}
          <DialogEnd>
            <Button onClick={onClose}>{kitWords.cancel}</Button>
            <Button
              type="submit"
              look="primary"
              disabled={create.isPending || update.isPending || (which === "some" && chosen.length === 0)}
            >
              {webhook ? text.save : text.add}
            </Button>
          </DialogEnd>
        </Stack>
      </form>
    </Dialog>
  );
}
