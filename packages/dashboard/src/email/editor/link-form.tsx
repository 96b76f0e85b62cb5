// The address of a link.
import type { EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { schema } from "../document/schema.ts";
import css from "../email.module.css";
import { words } from "../words.ts";
import { setMark } from "./commands.ts";

type LinkFormProps = { view: EditorView; state: EditorState; onClose: () => void };

export function LinkForm({ view, state, onClose }: LinkFormProps) {
  const current = schema.marks.link!.isInSet(state.selection.$from.marks())?.attrs.values?.href;
  const [address, setAddress] = useState(typeof current === "string" ? current : "");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector("input")?.focus();
  }, []);
  const put = (href: string) => {
    setMark("link", href === "" ? null : { href })(view.state, view.dispatch);
    onClose();
    view.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The page around it may be a form as well.
    event.stopPropagation();
    put(address.trim());
  };
  return (
    <form ref={form} className={css.panel} aria-label={words.link.title} onSubmit={submit}>
      <header>
        <h3>{words.link.title}</h3>
        <IconButton size="small" label={words.close} icon="x" onClick={onClose} />
      </header>
      <TextField
        label={words.link.address}
        hint={words.link.hint}
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        spellCheck={false}
      />
      <div className={css.actions}>
        {current !== undefined && (
          <Button size="small" onClick={() => put("")}>
            {words.link.remove}
          </Button>
        )}
        <Button size="small" type="submit">
          {words.link.apply}
        </Button>
      </div>
    </form>
  );
}
