// A JSON object as plain text, for a dialog that needs the text while it is not an object.
import { TextArea } from "../kit/inputs/field.tsx";
import { parseObject } from "./json-object.ts";

type JsonTextFieldProps = {
  label: string;
  text: string;
  hint?: string;
  /** Shown while the text is not a JSON object. */
  badJson: string;
  error?: string;
  /** An empty text is fine. */
  isOptional?: boolean;
  rows?: number;
  disabled?: boolean;
  onChange: (text: string) => void;
};

export const JsonTextField = (props: JsonTextFieldProps) => {
  const { text, badJson, error, isOptional, rows = 12, onChange, ...field } = props;
  const isBad = parseObject(text) === null && !(isOptional && text.trim() === "");
  return (
    <TextArea
      value={text}
      rows={rows}
      spellCheck={false}
      error={isBad ? badJson : error}
      onChange={({ target }) => onChange(target.value)}
      {...field}
    />
  );
};
