// A new key, or a new language.
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../words.ts";
import { LocaleField } from "./locale-field.tsx";
import { readLocale } from "./locales.ts";
import { words } from "./words.ts";

const say = words.group;

type NameDialogProps = {
  kind: "key" | "locale";
  isTaken: (name: string) => boolean;
  onAdd: (name: string) => void;
  onClose: () => void;
};

export function NameDialog({ kind, isTaken, onAdd, onClose }: NameDialogProps) {
  const [text, setText] = useState("");
  const form = useId();
  const isKey = kind === "key";
  const name = isKey ? text.trim() : (readLocale(text) ?? "");
  const isGood = isKey ? /^[^\s.]+(?:\.[^\s.]+)*$/.test(name) : name !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isGood || isTaken(name)) return;
    onAdd(name);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isKey ? say.addKeyTitle : say.addLocaleTitle}
      description={isKey ? say.addKeyText : say.addLocaleText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={!isGood || isTaken(name)}>
            {say.add}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        {isKey ? (
          <TextField
            label={say.key}
            error={isTaken(name) ? say.keyTaken : undefined}
            value={text}
            maxLength={255}
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
          />
        ) : (
          <LocaleField value={text} error={isTaken(name) ? say.localeTaken : undefined} onChange={setText} />
        )}
      </form>
    </Dialog>
  );
}
