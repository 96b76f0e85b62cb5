// A JSON object as text that can be edited, such as a payload.
import { TextArea } from "./field.tsx";

type JsonFieldProps = { label: string; text: string; hint?: string; fault: string; onChange: (text: string) => void };

/** `fault`: shown while the text is no JSON object. */
export const JsonField = ({ label, text, hint, fault, onChange }: JsonFieldProps) => (
  <TextArea
    label={label}
    value={text}
    rows={12}
    spellCheck={false}
    hint={hint}
    error={parseObject(text) === null ? fault : undefined}
    onChange={({ target }) => onChange(target.value)}
  />
);

/** Null when the text is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
