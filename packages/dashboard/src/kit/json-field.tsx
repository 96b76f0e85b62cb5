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

/** Where a text stops being JSON, in the words of the browser: "line 3: expected ','". Empty when it is JSON. */
export function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    const { message } = error as Error;
    const line = /line (\d+)/.exec(message)?.[1] ?? lineAt(text, message);
    const [what = ""] = message.replace(/^JSON\.parse: /, "").split(/ in JSON at| at line| \(line|, "/);
    return [line && `line ${line}`, what.charAt(0).toLowerCase() + what.slice(1)].filter(Boolean).join(": ");
  }
}

function lineAt(text: string, message: string): string | undefined {
  if (/end of (?:JSON|data)|unterminated/i.test(message)) return String(text.trimEnd().split("\n").length);
  const position = /position (\d+)/.exec(message)?.[1];
  return position && String(text.slice(0, Number(position)).split("\n").length);
}

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
