// A text that is code: a template, or JSON.
import { lazy, Suspense, useRef } from "react";
import { Field } from "../kit/inputs/field.tsx";
import type { Fault, SelectedText } from "./code-editor.tsx";
import { type Names, noNames } from "./completion/names.ts";
import css from "./fields.module.css";

const CodeEditor = lazy(() => import("./code-editor.tsx").then((module) => ({ default: module.CodeEditor })));

type CodeFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  isReadOnly: boolean;
  language: "html" | "json" | "text";
  text: string;
  faults?: readonly Fault[];
  warning?: string;
  /** What completion offers, with samples … */
  names?: Names;
  /** … or names alone. */
  variables?: readonly string[];
  isAlone?: boolean;
  onChange: (text: string) => void;
};

/** Until the editor of code is loaded, and where it cannot be, a plain text area. */
export function CodeField({ label, hint, error, warning, variables, names, ...code }: CodeFieldProps) {
  const { text, isReadOnly, onChange } = code;
  const offered = names ?? { ...noNames, variables: variables ?? [] };
  // The editor continues where the text area is left, so that the keyboard never loses its place.
  const selected = useRef<SelectedText | null>(null);
  return (
    <Field label={label} hint={hint} error={error} warning={warning}>
      {(described) => (
        <Suspense
          fallback={
            <textarea
              className={`${css.area} ${css.codeLater}`}
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
          <CodeEditor label={label} selected={selected} isWrong={error !== undefined} names={offered} {...code} />
        </Suspense>
      )}
    </Field>
  );
}
