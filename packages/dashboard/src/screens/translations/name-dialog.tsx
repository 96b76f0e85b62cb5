// A new key, or a new language.
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../words.ts";
import { isLocale } from "./file-dialogs.tsx";
import { words } from "./words.ts";

const say = words.group;

/** As the service writes it: en-us becomes en_US. */
const normalLocale = (text: string): string => {
  const [language = "", ...rest] = text.trim().split(/[_-]/);
  const parts = rest.map((part) =>
    part.length === 2
      ? part.toUpperCase()
      : part.length === 4
        ? part.charAt(0).toUpperCase() + part.slice(1).toLowerCase()
        : part.toLowerCase(),
  );
  return [language.toLowerCase(), ...parts].join("_");
};

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
  const name = isKey ? text.trim() : normalLocale(text);
  const isGood = isKey ? /^[^\s.]+(?:\.[^\s.]+)*$/.test(name) : isLocale(name);
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
        <TextField
          label={isKey ? say.key : words.files.locale}
          hint={isKey ? undefined : words.files.localeHint}
          error={isTaken(name) ? (isKey ? say.keyTaken : say.localeTaken) : undefined}
          value={text}
          maxLength={255}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
    </Dialog>
  );
}
