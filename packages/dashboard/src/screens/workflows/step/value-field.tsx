// One field of a step's form, by its kind.
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { Checkbox, Field } from "../../../kit/field.tsx";
import { jsonFault } from "../../../kit/json-fault.ts";
import { Select } from "../../../kit/select.tsx";
import type { Values } from "../editor/model.ts";
import type { Fault, SelectedText } from "./code-editor.tsx";
import type { FieldSpec } from "./fields.ts";
import css from "./step.module.css";
import { words } from "./words.ts";

const CodeEditor = lazy(() => import("./code-editor.tsx").then((module) => ({ default: module.CodeEditor })));

type ValueFieldProps = {
  spec: FieldSpec;
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

const defaultLayout = "\u0000default";
const noLayout = "\u0000none";

function LayoutField({
  value,
  onChange,
  isReadOnly,
  ...field
}: Common & { value: unknown; onChange: (value: unknown) => void }) {
  const { data } = useOperation("layouts.list", { query: { limit: 100 } });
  const known = (data?.layouts ?? []).map(({ layoutId, name }) => ({ value: layoutId, label: name }));
  const shown = value === undefined ? defaultLayout : value === null ? noLayout : String(value);
  return (
    <Field {...field}>
      {({ id }) => (
        <Select
          id={id}
          name={field.label}
          isWide
          value={shown}
          choices={[
            { value: defaultLayout, label: words.fields.layoutDefault },
            { value: noLayout, label: words.fields.layoutNone },
            ...known,
          ]}
          disabled={isReadOnly}
          onChange={(next) => onChange(next === defaultLayout ? undefined : next === noLayout ? null : next)}
        />
      )}
    </Field>
  );
}

type CodeFieldProps = Common & {
  language: "html" | "json" | "text";
  text: string;
  faults?: readonly Fault[];
  variables?: readonly string[];
  isAlone?: boolean;
  onChange: (text: string) => void;
};

/** Until the editor of code is loaded, and where it cannot be, a plain text area. */
export function CodeField({ label, hint, error, ...code }: CodeFieldProps) {
  const { text, isReadOnly, onChange } = code;
  // The editor goes on where the text area is left, so that the keyboard never loses its place.
  const selected = useRef<SelectedText | null>(null);
  return (
    <Field label={label} hint={hint} error={error}>
      {(described) => (
        <Suspense
          fallback={
            <textarea
              className={css.area}
              rows={10}
              value={text}
              readOnly={isReadOnly}
              spellCheck={false}
              onChange={({ target }) => onChange(target.value)}
              onSelect={({ currentTarget }) => {
                selected.current = { from: currentTarget.selectionStart, to: currentTarget.selectionEnd };
              }}
              onBlur={() => {
                selected.current = null;
              }}
              {...described}
            />
          }
        >
          <CodeEditor label={label} selected={selected} isWrong={error !== undefined} {...code} />
        </Suspense>
      )}
    </Field>
  );
}

/** An object as JSON. What is not one is kept in the field, and the value stays as it was. */
export function JsonField({
  label,
  hint,
  error,
  value,
  isReadOnly,
  onChange,
}: Common & { value: unknown; onChange: (value: Values | undefined) => void }) {
  const outside = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [text, setText] = useState(outside);
  const told = useRef(outside);
  useEffect(() => {
    if (outside === told.current) return;
    told.current = outside;
    setText(outside);
  }, [outside]);
  const parsed = text.trim() === "" ? undefined : parseObject(text);
  const change = (next: string) => {
    setText(next);
    const object = next.trim() === "" ? undefined : parseObject(next);
    if (object === null) return;
    told.current = object === undefined ? "" : JSON.stringify(object, null, 2);
    onChange(object);
  };
  return (
    <CodeField
      label={label}
      hint={hint}
      error={parsed === null ? words.badJson(jsonFault(text)) : error}
      language="json"
      text={text}
      isReadOnly={isReadOnly}
      onChange={change}
    />
  );
}

export function parseObject(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : null;
  } catch {
    return null;
  }
}
