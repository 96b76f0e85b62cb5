// The retentions of an environment as a form. A shorter one deletes for good, so the form shows first what would go.
import type { Output, Retention } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { formatDay } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { formatBytes } from "../../kit/files.ts";
import { TextField } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { changesOf, deletesMore, editableClasses, fieldsOf, findInvalid } from "./retention-form.ts";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.data;

type RetentionPreview = Output<"retention.preview">;

export function RetentionDialog({ retention, onClose }: { retention: Retention; onClose: () => void }) {
  const [fields, setFields] = useState(() => fieldsOf(retention));
  const [preview, setPreview] = useState<RetentionPreview | null>(null);
  const show = useChange("retention.preview");
  const update = useChange("retention.update", ["retention.retrieve"]);
  const changes = changesOf(retention, fields);
  const invalid = findInvalid(fields);
  const isShorter = deletesMore(retention, changes);
  const input = { params: { environmentId: retention.environmentId }, body: changes };
  const save = () =>
    update.mutate(input, {
      onSuccess: () => {
        showToast({ title: text.saved });
        onClose();
      },
    });
  // One button, two presses: the first shows what a shorter retention deletes, the second saves it.
  const submit = () => (isShorter && !preview ? show.mutate(input, { onSuccess: setPreview }) : save());
  const error = show.error ?? update.error;
  const errors: Record<string, string | undefined> = error?.fields ?? {};
  return (
    <FormDialog
      onClose={onClose}
      title={text.change}
      description={text.changeText}
      submit={isShorter ? (preview ? text.saveAndDelete : text.preview) : text.save}
      isDanger={isShorter && preview !== null}
      isDisabled={show.isPending || update.isPending || invalid.length > 0 || Object.keys(changes).length === 0}
      error={Object.keys(errors).length === 0 && error}
      onSubmit={submit}
    >
      {editableClasses.map((name) => {
        const { defaultDays, minDays, maxDays } = retention.classes.find((one) => one.name === name)!;
        return (
          <TextField
            key={name}
            label={text.daysOf(text.classes[name])}
            value={fields[name]}
            inputMode="numeric"
            autoComplete="off"
            placeholder={text.default(defaultDays)}
            hint={text.limits(minDays, maxDays)}
            error={invalid.includes(name) ? text.wholeNumber : errors[name]}
            onChange={({ target }) => {
              setFields({ ...fields, [name]: target.value });
              setPreview(null);
              show.reset();
              update.reset();
            }}
          />
        );
      })}
      {preview && <PreviewNotice preview={preview} />}
    </FormDialog>
  );
}

function PreviewNotice({ preview: { classes, months, at } }: { preview: RetentionPreview }) {
  const deleted = classes.filter(({ rows }) => rows > 0);
  if (deleted.length === 0) return <Notice icon="circleCheck">{text.deletesNothing}</Notice>;
  return (
    <Notice tone="warn">
      <p>{text.deletes(formatDay(at))}</p>
      <ul className={css.preview}>
        {deleted.map(({ name, rows, isEstimate, bytes, before, keptRows }) => (
          <li key={name}>
            {text.deleted(text.classes[name], text.rows(rows, isEstimate), formatBytes(bytes), formatDay(before))}
            {keptRows > 0 && ` ${text.waiting(keptRows)}`}
          </li>
        ))}
      </ul>
      {months.length > 0 && <p>{text.dropped(months.join(", "))}</p>}
    </Notice>
  );
}
