// The payload fields that events of the workflow are searched by.
import type { Workflow } from "@tidings/contract";
import { useState } from "react";
import { TextField } from "../../../kit/inputs/field.tsx";
import type { Draft } from "./model.ts";
import { words } from "./settings-words.ts";

const maxKeys = 5;

type SearchKeysFieldProps = {
  draft: Draft;
  workflow: Workflow;
  isReadOnly: boolean;
  error?: string;
  onChange: (searchKeys: string[]) => void;
};

/** The text is kept as it is typed; a comma or a space ends a key. */
export function SearchKeysField({ draft, workflow, isReadOnly, error, onChange }: SearchKeysFieldProps) {
  const outside = draft.searchKeys.join(", ");
  const [text, setText] = useState(outside);
  const shown = readKeys(text).join(", ") === outside ? text : outside;
  return (
    <TextField
      label={words.searchKeys}
      hint={warningOf(workflow, draft) ?? words.searchKeysHint}
      value={shown}
      readOnly={isReadOnly}
      spellCheck={false}
      error={draft.searchKeys.length > maxKeys ? words.tooManySearchKeys : error}
      onChange={({ target }) => {
        setText(target.value);
        onChange(readKeys(target.value));
      }}
    />
  );
}

/** People write `payload.order` as in a template. */
const readKeys = (text: string): string[] =>
  [...new Set(text.split(/[\s,]+/).map((key) => key.replace(/^payload\./, "")))].filter(Boolean);

/** The service's warnings about the saved keys, as long as the form shows those keys. */
function warningOf({ issues, searchKeys = [] }: Workflow, draft: Draft): string | undefined {
  if (searchKeys.join() !== draft.searchKeys.join()) return undefined;
  const found = Object.entries(issues ?? {}).filter(([field]) => field.startsWith("searchKeys."));
  return found.length > 0 ? found.map(([, issue]) => String(issue.message)).join(". ") : undefined;
}
