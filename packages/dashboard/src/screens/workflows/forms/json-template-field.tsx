// JSON text with variables: completion, and a warning where it will not be JSON.
import { CodeField } from "../../../fields/code-field.tsx";
import type { Names } from "../../../fields/completion/names.ts";
import { templateFault } from "./json-template.ts";
import { words } from "./words.ts";

type JsonTemplateFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  text: string;
  names: Names;
  isReadOnly: boolean;
  onChange: (text: string | undefined) => void;
};

export function JsonTemplateField({ text, onChange, ...field }: JsonTemplateFieldProps) {
  const fault = templateFault(text);
  return (
    <CodeField
      {...field}
      language="json"
      text={text}
      warning={fault === "" ? undefined : words.notJson(fault)}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}
