// The settings of a workflow.
import { useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { JsonField } from "../../../fields/json-field.tsx";
import { Checkbox, Field, TextArea, TextField } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { channelNames, channels } from "../../../outcomes/channel-names.ts";
import { AttentionFields } from "./attention-fields.tsx";
import { ChoiceField } from "./choice-field.tsx";
import css from "./editor.module.css";
import type { Draft } from "./model.ts";
import { SearchKeysField } from "./search-keys-field.tsx";
import { words } from "./settings-words.ts";
import type { Editor } from "./use-editor.ts";

export function SettingsTab({ editor }: { editor: Editor }) {
  const { draft, change } = editor;
  const set = (changed: Partial<Draft>) => change({ ...draft, ...changed }, Object.keys(changed).join());
  return (
    <div className={css.settings}>
      <AboutCard editor={editor} set={set} />
      <RulesCard editor={editor} set={set} />
      <PreferencesCard editor={editor} set={set} />
      <PayloadCard editor={editor} set={set} />
    </div>
  );
}

type CardProps = { editor: Editor; set: (changed: Partial<Draft>) => void };

function AboutCard({ editor, set }: CardProps) {
  const { draft, isReadOnly, issues, workflow } = editor;
  return (
    <Card title={words.about}>
      <div className={css.fields}>
        <TextField
          label={words.name}
          value={draft.name}
          maxLength={128}
          readOnly={isReadOnly}
          error={issues.of("", "name")}
          onChange={({ target }) => set({ name: target.value })}
        />
        <TextField label={words.identifier} value={workflow.workflowId} disabled />
        <TextArea
          label={words.description}
          value={draft.description}
          maxLength={256}
          rows={2}
          readOnly={isReadOnly}
          error={issues.of("", "description")}
          onChange={({ target }) => set({ description: target.value })}
        />
        <TagsField draft={draft} isReadOnly={isReadOnly} error={issues.of("", "tags")} onChange={set} />
        <Checkbox
          label={words.active}
          checked={draft.active}
          disabled={isReadOnly}
          onChange={({ target }) => set({ active: target.checked })}
        />
      </div>
    </Card>
  );
}

function RulesCard({ editor, set }: CardProps) {
  const { draft, isReadOnly } = editor;
  return (
    <Card title={words.rules}>
      <div className={css.fields}>
        <ChoiceField
          label={words.severity}
          value={draft.severity}
          names={words.severities}
          isReadOnly={isReadOnly}
          onChange={(severity) => set({ severity })}
        />
        <AttentionFields draft={draft} isReadOnly={isReadOnly} onChange={set} />
        <ChoiceField
          label={words.outside}
          value={draft.outsideSchedule}
          names={words.outsides}
          isReadOnly={isReadOnly}
          onChange={(outsideSchedule) => set({ outsideSchedule })}
        />
        <ChoiceField
          label={words.unknown}
          value={draft.onUnknownOutcome}
          names={words.unknowns}
          isReadOnly={isReadOnly}
          onChange={(onUnknownOutcome) => set({ onUnknownOutcome })}
        />
        <Checkbox
          label={words.translated}
          checked={draft.isTranslationEnabled}
          disabled={isReadOnly}
          onChange={({ target }) => set({ isTranslationEnabled: target.checked })}
        />
      </div>
    </Card>
  );
}

type CategoryFieldProps = {
  value: string | null;
  isReadOnly: boolean;
  error?: string;
  onChange: (categoryId: string | null) => void;
};

/** A category that was deleted since stays in the list, by its identifier. */
function CategoryField({ value, isReadOnly, error, onChange }: CategoryFieldProps) {
  const { data } = useOperation("categories.list", {});
  const known = (data?.categories ?? []).map(({ categoryId, name }) => ({ value: categoryId, label: name }));
  const isUnknown = value !== null && !known.some((choice) => choice.value === value);
  return (
    <Field label={words.category} hint={words.categoryHint} error={error}>
      {({ id }) => (
        <Select
          id={id}
          name={words.category}
          isWide
          value={value ?? ""}
          choices={[{ value: "", label: words.noCategory }, ...known, ...(isUnknown ? [{ value, label: value }] : [])]}
          disabled={isReadOnly}
          onChange={(chosen) => onChange(chosen === "" ? null : chosen)}
        />
      )}
    </Field>
  );
}

function PreferencesCard({ editor, set }: CardProps) {
  const { draft, isReadOnly, issues } = editor;
  const { user, workflow: byDefault } = draft.preferences;
  const shown = user ?? byDefault;
  const setPreference = (next: typeof byDefault) =>
    set({ preferences: user === null ? { user, workflow: next } : { user: next, workflow: byDefault } });
  return (
    <Card title={words.preferences}>
      <div className={css.fields}>
        <CategoryField
          value={draft.categoryId}
          isReadOnly={isReadOnly}
          error={issues.of("", "categoryId")}
          onChange={(categoryId) => set({ categoryId })}
        />
        <Checkbox
          label={words.critical}
          checked={shown.all?.readOnly ?? false}
          disabled={isReadOnly}
          onChange={({ target }) => setPreference({ ...shown, all: { ...shown.all, readOnly: target.checked } })}
        />
        <Checkbox
          label={words.commercial}
          checked={draft.isCommercial}
          disabled={isReadOnly}
          onChange={({ target }) => set({ isCommercial: target.checked })}
        />
        {draft.isCommercial && shown.all?.readOnly && <p>{words.commercialCritical}</p>}
        <fieldset className={css.channels}>
          <legend>{words.channels}</legend>
          {channels.map((channel) => (
            <Checkbox
              key={channel}
              label={channelNames[channel]}
              checked={shown.channels?.[channel]?.enabled ?? true}
              disabled={isReadOnly}
              onChange={({ target }) =>
                setPreference({ ...shown, channels: { ...shown.channels, [channel]: { enabled: target.checked } } })
              }
            />
          ))}
        </fieldset>
      </div>
    </Card>
  );
}

function PayloadCard({ editor, set }: CardProps) {
  const { draft, isReadOnly, issues, workflow } = editor;
  return (
    <Card title={words.payload}>
      <div className={css.fields}>
        <Checkbox
          label={words.validate}
          checked={draft.validatePayload}
          disabled={isReadOnly}
          onChange={({ target }) => set({ validatePayload: target.checked })}
        />
        <JsonField
          label={words.schema}
          hint={words.schemaHint}
          error={issues.of("", "payloadSchema")}
          value={draft.payloadSchema ?? undefined}
          isReadOnly={isReadOnly}
          onChange={(payloadSchema) => set({ payloadSchema: payloadSchema ?? null })}
        />
        <SearchKeysField
          draft={draft}
          workflow={workflow}
          isReadOnly={isReadOnly}
          error={
            issues.of("", "searchKeys") ??
            draft.searchKeys.map((_, at) => issues.of("", `searchKeys.${at}`)).find(Boolean)
          }
          onChange={(searchKeys) => set({ searchKeys })}
        />
      </div>
    </Card>
  );
}

type TagsFieldProps = {
  draft: Draft;
  isReadOnly: boolean;
  error?: string;
  onChange: (changed: Partial<Draft>) => void;
};

/** The text is kept as typed; the tags are what its commas separate. */
function TagsField({ draft, isReadOnly, error, onChange }: TagsFieldProps) {
  const outside = draft.tags.join(", ");
  const [text, setText] = useState(outside);
  const read = (from: string) =>
    from
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean);
  const shown = read(text).join(", ") === outside ? text : outside;
  return (
    <TextField
      label={words.tags}
      hint={words.tagsHint}
      value={shown}
      readOnly={isReadOnly}
      error={error}
      onChange={({ target }) => {
        setText(target.value);
        onChange({ tags: read(target.value) });
      }}
    />
  );
}
