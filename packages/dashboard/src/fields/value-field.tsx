// One field of a form that is described by data, by its kind.
import { Checkbox, Field } from "../kit/inputs/field.tsx";
import { Select } from "../kit/inputs/select.tsx";
import type { Fault } from "./code-editor.tsx";
import { CodeField } from "./code-field.tsx";
import { CronField } from "./cron-field.tsx";
import css from "./fields.module.css";
import { JsonField } from "./json-field.tsx";
import { LayoutField } from "./layout-field.tsx";
import type { ValueSpec } from "./value-spec.ts";

type ValueFieldProps = {
  spec: ValueSpec;
  value: unknown;
  error?: string;
  faults?: readonly Fault[];
  variables?: readonly string[];
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
};

export function ValueField({ spec, value, error, faults, variables, isReadOnly, onChange }: ValueFieldProps) {
  const { label, hint, kind, choices = {}, fallback = "" } = spec;
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  // An empty field is an absent value, so that the service says what is missing.
  const setText = (next: string) => onChange(next === "" ? undefined : next);
  switch (kind) {
    case "flag":
      return (
        <div className={css.flag}>
          <Checkbox
            label={label}
            checked={value === true}
            disabled={isReadOnly}
            onChange={({ target }) => onChange(target.checked ? true : undefined)}
          />
          {hint && <p className={css.weak}>{hint}</p>}
        </div>
      );
    case "choice":
      return (
        <Field label={label} hint={hint} error={error}>
          {({ id }) => (
            <Select
              id={id}
              name={label}
              isWide
              value={text || fallback}
              choices={Object.entries(choices).map(([of, name]) => ({ value: of, label: name }))}
              disabled={isReadOnly}
              onChange={onChange}
            />
          )}
        </Field>
      );
    case "layout":
      return <LayoutField label={label} value={value} error={error} isReadOnly={isReadOnly} onChange={onChange} />;
    case "amount":
      return (
        <AmountField
          label={label}
          hint={hint}
          value={value}
          error={error}
          isReadOnly={isReadOnly}
          onChange={onChange}
        />
      );
    case "cron":
      return (
        <CronField label={label} hint={hint} value={text} error={error} isReadOnly={isReadOnly} onChange={setText} />
      );
    case "json":
      return (
        <JsonField label={label} hint={hint} value={value} error={error} isReadOnly={isReadOnly} onChange={onChange} />
      );
    case "html":
      return (
        <CodeField
          label={label}
          hint={hint}
          error={error}
          language={text.trimStart().startsWith("{") ? "json" : "html"}
          text={text}
          faults={faults}
          variables={variables}
          isReadOnly={isReadOnly}
          onChange={setText}
        />
      );
    case "text":
      return (
        <Field label={label} hint={hint} error={error}>
          {(described) => (
            <textarea
              className={css.area}
              rows={4}
              value={text}
              readOnly={isReadOnly}
              onChange={({ target }) => setText(target.value)}
              {...described}
            />
          )}
        </Field>
      );
    default:
      return (
        <Field label={label} hint={hint} error={error}>
          {(described) => (
            <input
              className={kind === "plain" ? css.mono : css.input}
              value={text}
              readOnly={isReadOnly}
              spellCheck={kind === "line"}
              autoComplete="off"
              onChange={({ target }) => setText(target.value)}
              {...described}
            />
          )}
        </Field>
      );
  }
}

type Common = { label: string; hint?: string; error?: string; isReadOnly: boolean };

function AmountField({
  value,
  onChange,
  isReadOnly,
  ...field
}: Common & { value: unknown; onChange: (value: unknown) => void }) {
  return (
    <Field {...field}>
      {(described) => (
        <input
          className={css.input}
          type="number"
          min={1}
          step={1}
          inputMode="numeric"
          value={typeof value === "number" ? value : ""}
          readOnly={isReadOnly}
          onChange={({ target }) => onChange(Number.isInteger(target.valueAsNumber) ? target.valueAsNumber : undefined)}
          {...described}
        />
      )}
    </Field>
  );
}
