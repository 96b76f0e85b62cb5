// A new category, or changes of one.
import type { Category, Channel } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { identifierFrom, isIdentifier } from "../../fields/identifier.ts";
import { Checkbox, Field, TextArea, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { channelNames, channels } from "../../outcomes/channel-names.ts";
import css from "./categories.module.css";
import { words } from "./words.ts";

type Choice = keyof typeof words.choices;

const choiceOf = (value: boolean | undefined): Choice => (value === undefined ? "unset" : value ? "on" : "off");

/** Without `category`: a new one. */
export function CategoryDialog({ category, onClose }: { category?: Category; onClose: () => void }) {
  const [name, setName] = useState(category?.name ?? "");
  const [ownId, setOwnId] = useState<string | null>(null);
  const [description, setDescription] = useState(category?.description ?? "");
  const [required, setRequired] = useState(category?.required ?? false);
  const [defaults, setDefaults] = useState(category?.channels ?? {});
  const create = useChange("categories.create", ["categories.list"]);
  const update = useChange("categories.update", ["categories.list"]);
  const error = create.error ?? update.error;
  const categoryId = category?.categoryId ?? ownId ?? identifierFrom(name);
  const idError = error?.code === "CATEGORY_ID_TAKEN" ? words.idTaken : error?.fields.categoryId;
  const body = { name: name.trim(), description: description.trim(), required, channels: defaults };
  const done = {
    onSuccess: () => {
      showToast({ title: words.saved(body.name) });
      onClose();
    },
  };
  const choose = (channel: Channel, choice: Choice) => {
    const { [channel]: _before, ...others } = defaults;
    setDefaults(choice === "unset" ? others : { ...others, [channel]: choice === "on" });
  };
  return (
    <FormDialog
      title={category ? words.editTitle(category.name) : words.createTitle}
      submit={category ? words.save : words.add}
      isDisabled={create.isPending || update.isPending || name.trim() === "" || !isIdentifier(categoryId)}
      error={idError === undefined ? error : undefined}
      onClose={onClose}
      onSubmit={() =>
        category
          ? update.mutate({ params: { categoryId }, body }, done)
          : create.mutate({ body: { categoryId, ...body } }, done)
      }
    >
      <TextField
        label={words.nameField}
        value={name}
        maxLength={128}
        required
        onChange={({ target }) => setName(target.value)}
      />
      {!category && (
        <TextField
          label={words.id}
          value={categoryId}
          maxLength={100}
          spellCheck={false}
          hint={words.idHint}
          error={idError}
          onChange={({ target }) => setOwnId(target.value)}
        />
      )}
      <TextArea
        label={words.description}
        hint={words.descriptionHint}
        value={description}
        maxLength={500}
        rows={2}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Checkbox label={words.requiredField} checked={required} onChange={({ target }) => setRequired(target.checked)} />
      <div className={css.defaults}>
        {channels.map((channel) => (
          <Field key={channel} label={words.channel(channelNames[channel])}>
            {({ id }) => (
              <Select
                id={id}
                name={words.channel(channelNames[channel])}
                isWide
                value={choiceOf(defaults[channel])}
                choices={(Object.keys(words.choices) as Choice[]).map((value) => ({
                  value,
                  label: words.choices[value],
                }))}
                onChange={(choice) => choose(channel, choice)}
              />
            )}
          </Field>
        ))}
      </div>
    </FormDialog>
  );
}
