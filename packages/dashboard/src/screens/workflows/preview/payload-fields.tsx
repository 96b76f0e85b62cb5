// The sample payload as a form: a field for each value. JSON is one press away.
import { useMemo } from "react";
import inputs from "../../../fields/fields.module.css";
import { Button } from "../../../kit/inputs/button.tsx";
import { Checkbox } from "../../../kit/inputs/field.tsx";
import type { Values } from "../editor/model.ts";
import css from "./preview.module.css";
import { completed, leavesOf, typedLike, withLeaf } from "./used-values.ts";
import { words } from "./words.ts";

type MissingValuesProps = { values: Values; payload: Values; onFill: (payload: Values) => void };

/** What the step uses and the payload does not have, and a way to add it. */
export function MissingValues({ values, payload, onFill }: MissingValuesProps) {
  const more = useMemo(() => completed(values, payload), [values, payload]);
  if (!more) return null;
  return (
    <p className={css.missing}>
      <span>{words.missing(more.missing)}</span>
      <Button size="small" icon="plus" onClick={() => onFill(more.payload)}>
        {words.fillIn}
      </Button>
    </p>
  );
}

type PayloadFieldsProps = { payload: Values; onChange: (payload: Values) => void };

export function PayloadFields({ payload, onChange }: PayloadFieldsProps) {
  const leaves = leavesOf(payload);
  if (leaves.length === 0) return <p className={css.weak}>{words.noValues}</p>;
  return (
    <div className={css.fields}>
      {leaves.map(({ path, value }) => {
        const label = labelOf(path);
        const set = (changed: unknown) => onChange(withLeaf(payload, path, changed) as Values);
        return typeof value === "boolean" ? (
          <Checkbox key={label} label={label} checked={value} onChange={({ target }) => set(target.checked)} />
        ) : (
          <label key={label} className={css.leaf}>
            <span>{label}</span>
            <input
              className={inputs.input}
              value={String(value)}
              autoComplete="off"
              onChange={({ target }) => set(typedLike(value, target.value))}
            />
          </label>
        );
      })}
    </div>
  );
}

/** `items 1 name`: people count from one. */
const labelOf = (path: readonly (string | number)[]): string =>
  path.map((part) => (typeof part === "number" ? part + 1 : part)).join(" ");
