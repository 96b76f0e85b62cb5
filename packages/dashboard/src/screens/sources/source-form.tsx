// A new source, or the name, address and schema of one. The service connects to the database before it saves.
import { useNavigate } from "@tanstack/react-router";
import type { Source } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Code } from "../../kit/data/code.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Muted } from "../../kit/layout/layout.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { placeOf } from "./address.ts";
import { AddressField } from "./address-field.tsx";
import css from "./sources.module.css";
import { staleAfterChange } from "./use-source-changes.ts";
import { words } from "./words.ts";

const text = words.form;
const defaultSchema = "tidings";

/** Without a source, a new one is created. */
type SourceFormProps = { source?: Source; onClose: () => void };

export function SourceForm({ source, onClose }: SourceFormProps) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [name, setName] = useState(source?.name ?? "");
  const [url, setUrl] = useState("");
  const [schema, setSchema] = useState(source?.schema ?? defaultSchema);
  const create = useChange("sources.create", staleAfterChange);
  const update = useChange("sources.update", staleAfterChange);
  const change = source ? update : create;
  const { error } = change;
  const { fields = {} } = error ?? {};
  const isLocal = source?.kind === "local";
  const isChecked = !source || url !== "" || schema !== source.schema;
  const busy = change.isPending && (isChecked ? text.checking : text.saving);
  /** What was said about the last attempt is about what was typed then. */
  const typed = (set: (value: string) => void) => (value: string) => {
    change.reset();
    set(value);
  };
  const save = () => {
    if (!source)
      return create.mutate(
        { body: { name: name.trim(), url: url.trim(), schema } },
        {
          onSuccess: ({ id }) => {
            showToast({ title: text.added });
            void navigate({ to: "/sources/$sourceId", params: { sourceId: id } });
          },
        },
      );
    const body = {
      name: name.trim(),
      ...(url !== "" && { url: url.trim() }),
      ...(schema !== source.schema && { schema }),
    };
    update.mutate(
      { params: { sourceId: source.id }, body },
      {
        onSuccess: () => {
          showToast({ title: kitWords.saved });
          onClose();
        },
      },
    );
  };
  const isAtField = Boolean(fields.name ?? fields.url ?? fields.schema);
  return (
    <FormDialog
      title={source ? text.editTitle : text.addTitle}
      description={source ? undefined : text.text}
      submit={busy || (source ? text.save : text.add)}
      isDisabled={change.isPending}
      error={isAtField ? undefined : error}
      onClose={onClose}
      onSubmit={save}
    >
      {!source && <Code text={words.installCommand} label={words.first.other.installLabel} />}
      <TextField
        label={text.name}
        hint={text.nameHint}
        error={fields.name}
        value={name}
        required
        maxLength={100}
        onChange={({ target }) => typed(setName)(target.value)}
      />
      {!isLocal && (
        <>
          <AddressField value={url} error={fields.url} stored={source && placeOf(source)} onChange={typed(setUrl)} />
          <TextField
            label={text.schema}
            hint={text.schemaHint}
            error={fields.schema}
            value={schema}
            required
            maxLength={63}
            pattern="[a-z_][a-z0-9_]*"
            spellCheck={false}
            autoCapitalize="off"
            onChange={({ target }) => typed(setSchema)(target.value)}
          />
        </>
      )}
      {/* It is there before the text: otherwise screen readers would not announce it. */}
      <div role="status" className={css.status}>
        {change.isPending && isChecked && <Muted>{text.checkingText}</Muted>}
      </div>
      {environment.type === "prod" && <Notice tone="warn">{kitWords.confirm.production(environment.name)}</Notice>}
    </FormDialog>
  );
}
