// The operations of a key: a list to search in, those that are chosen first.
import { useState } from "react";
import { Checkbox, Fault, SearchField } from "../../../kit/inputs/field.tsx";
import { Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { keyOperations } from "./key-operations.gen.ts";
import css from "./keys.module.css";
import { keyWords } from "./words.ts";

const text = keyWords.form;
const maxOperations = 200;
/** Drawing all of them at every letter would be slow. */
const maxShown = 60;

type OperationsFieldProps = { chosen: readonly string[]; error?: string; onChange: (chosen: string[]) => void };

export function OperationsField({ chosen, error, onChange }: OperationsFieldProps) {
  const [search, setSearch] = useState("");
  // Boxes stay where they are while they are ticked: only what was chosen before the search is first.
  const [first, setFirst] = useState<ReadonlySet<string>>(() => new Set(chosen));
  const wanted = search.trim().toLowerCase();
  const found = keyOperations.filter((row) => row.some((part) => part.toLowerCase().includes(wanted)));
  const sorted = [...found.filter(([id]) => first.has(id)), ...found.filter(([id]) => !first.has(id))];
  const shown = sorted.slice(0, maxShown);
  const isFull = chosen.length >= maxOperations;
  const toggle = (id: string, isOn: boolean) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
    <div role="group" aria-label={text.operations}>
      <Stack isSmall>
        <div className={css.operationsHead}>
          <strong>{text.operations}</strong>
          <span className={css.weak} role="status">
            {text.chosen(chosen.length)}
          </span>
        </div>
        <SearchField
          label={text.search}
          value={search}
          onChange={({ target }) => {
            setSearch(target.value);
            setFirst(new Set(chosen));
          }}
        />
        <div className={css.operations}>
          {shown.map(([id, summary]) => (
            <Checkbox
              key={id}
              checked={chosen.includes(id)}
              disabled={isFull && !chosen.includes(id)}
              onChange={({ target }) => toggle(id, target.checked)}
              label={
                <span className={css.operation}>
                  <code>{id}</code> <Note>{summary}</Note>
                </span>
              }
            />
          ))}
          {shown.length === 0 && <Muted>{text.noMatch}</Muted>}
          {sorted.length > shown.length && <Muted>{text.more(sorted.length - shown.length)}</Muted>}
        </div>
        {isFull && <Muted>{text.tooMany(maxOperations)}</Muted>}
        {error && <Fault>{error}</Fault>}
      </Stack>
    </div>
  );
}
