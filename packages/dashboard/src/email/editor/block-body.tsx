// A body of blocks: in the visual editor, or as code where it cannot be read.
import { useState } from "react";
import type { Fault } from "../../fields/code-editor.tsx";
import { CodeField } from "../../fields/code-field.tsx";
import { jsonFault } from "../../fields/json-fault.ts";
import { readBody } from "../document/body.ts";
import { words } from "../words.ts";
import { BlockEditor } from "./block-editor.tsx";

export { extractTexts } from "../document/translatable.ts";

export type BlockBodyProps = {
  label: string;
  text: string;
  isReadOnly: boolean;
  error?: string;
  faults?: readonly Fault[];
  variables: readonly string[];
  sampleOf?: (name: string) => unknown;
  onChange: (text: string, step?: string) => void;
};

export function BlockBody({ error, faults, ...editor }: BlockBodyProps) {
  const { label, text, isReadOnly, variables, onChange } = editor;
  const [body, setBody] = useState(() => readBody(text));
  if (body) return <BlockEditor {...editor} body={body} isWrong={error !== undefined} />;
  const fault = jsonFault(text);
  return (
    <CodeField
      label={label}
      error={error ?? (fault === "" ? words.notBlocks : words.brokenJson(fault))}
      language="json"
      text={text}
      faults={faults}
      variables={variables}
      isReadOnly={isReadOnly}
      onChange={(next) => {
        setBody(readBody(next));
        onChange(next);
      }}
    />
  );
}
