// A JSON object that can be edited, such as a payload.
import type { JsonObject } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import { CodeField } from "./code-field.tsx";
import { jsonFault } from "./json-fault.ts";
import { parseObject } from "./json-object.ts";
import { words } from "./words.ts";

type JsonFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  value: unknown;
  /** Also lists, texts and numbers. */
  isAny?: boolean;
  isReadOnly: boolean;
  onChange: (value: JsonObject | undefined) => void;
};

/** Text that is not an object stays in the field, and the value stays what it was. */
export function JsonField({ label, hint, error, value, isAny, isReadOnly, onChange }: JsonFieldProps) {
  const parse = (from: string): JsonObject | null =>
    isAny && jsonFault(from) === "" ? JSON.parse(from) : parseObject(from);
  const outside = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [text, setText] = useState(outside);
  const reported = useRef(outside);
  useEffect(() => {
    if (outside === reported.current) return;
    reported.current = outside;
    setText(outside);
  }, [outside]);
  const parsed = text.trim() === "" ? undefined : parse(text);
  const change = (next: string) => {
    setText(next);
    const object = next.trim() === "" ? undefined : parse(next);
    if (object === null) return;
    reported.current = object === undefined ? "" : JSON.stringify(object, null, 2);
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
