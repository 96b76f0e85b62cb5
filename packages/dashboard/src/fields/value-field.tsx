// One field of a form that is described by data, by its kind.
import { lazy, Suspense, useMemo } from "react";
import { Checkbox, Field } from "../kit/inputs/field.tsx";
import { Select } from "../kit/inputs/select.tsx";
import type { Fault } from "./code-editor.tsx";
import { CodeField } from "./code-field.tsx";
import { type Names, noNames } from "./completion/names.ts";
import { TemplateInput } from "./completion/template-input.tsx";
import { unknownNames } from "./completion/unknown-names.ts";
import css from "./fields.module.css";
import { JsonField } from "./json-field.tsx";
import { LayoutField } from "./layout-field.tsx";
import { SeveralField } from "./several-field.tsx";
import type { ValueSpec } from "./value-spec.ts";
import { words } from "./words.ts";

const CronField = lazy(() => import("./cron-field.tsx").then((module) => ({ default: module.CronField })));

type ValueFieldProps = {
  spec: ValueSpec;
  value: unknown;
  error?: string;
  faults?: readonly Fault[];
  names?: Names;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
};

export function ValueField({ spec, value, error, faults, names = noNames, isReadOnly, onChange }: ValueFieldProps) {
  const { label, hint, kind, choices = {}, fallback = "" } = spec;
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  const hasTemplate = kind === "html" || kind === "text" || kind === "line";
  const unknown = useMemo(() => (hasTemplate ? unknownNames(text, names) : []), [hasTemplate, text, names]);
  const warning = unknown.map(({ name, meant }) => words.completion.unknown(name, meant)).join(" ") || undefined;
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
    case "several":
      return (
        <SeveralField
          label={label}
          hint={hint}
          error={error}
          choices={choices}
          value={value}
          isReadOnly={isReadOnly}
          onChange={onChange}
        />
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
        <Suspense>
          <CronField label={label} hint={hint} value={text} error={error} isReadOnly={isReadOnly} onChange={setText} />
        </Suspense>
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
          warning={warning}
          language={/^\s*\{(?![{%])/.test(text) ? "json" : "html"}
          text={text}
          faults={faults}
          names={names}
          isReadOnly={isReadOnly}
          onChange={setText}
        />
      );
    case "text":
      return (
        <Field label={label} hint={hint} error={error} warning={warning}>
          {(described) => (
            <TemplateInput
              described={described}
              className={css.area}
              isArea
              text={text}
              names={names}
              isReadOnly={isReadOnly}
              onChange={setText}
            />
          )}
        </Field>
      );
    default:
      return (
        <Field label={label} hint={hint} error={error} warning={warning}>
          {(described) => (
            <TemplateInput
              described={described}
              className={kind === "plain" ? css.mono : css.input}
              text={text}
              names={kind === "line" || spec.isPath ? names : noNames}
              isPath={spec.isPath}
              isReadOnly={isReadOnly}
              spellCheck={kind === "line"}
              onChange={setText}
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
