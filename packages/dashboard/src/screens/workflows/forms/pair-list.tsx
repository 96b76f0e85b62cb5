// Rows of two fields, the first plain or a choice and the second with variables: headers, recipients.
import type { ReactNode } from "react";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import css from "./forms.module.css";

type PairListProps<T> = {
  label: string;
  hint?: string;
  error?: string;
  /** What is wrong with a row. */
  errorOf: (index: number) => string | undefined;
  rows: readonly T[];
  most: number;
  isReadOnly: boolean;
  add: string;
  removeName: (index: number) => string;
  /** A new row. */
  start: T;
  draw: (row: T, index: number, onChange: (row: T) => void) => ReactNode;
  onChange: (rows: T[], field: string) => void;
};

export function PairList<T>(props: PairListProps<T>) {
  const { label, hint, error, errorOf, rows, most, isReadOnly, add, removeName, start, draw, onChange } = props;
  return (
    <fieldset className={css.group}>
      <legend>{label}</legend>
      {hint && <p className={css.weak}>{hint}</p>}
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      {rows.length > 0 && (
        <ul className={css.pairs}>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <li key={index}>
              {draw(row, index, (next) => onChange(rows.with(index, next), String(index)))}
              {!isReadOnly && (
                <IconButton
                  label={removeName(index)}
                  icon="x"
                  size="small"
                  onClick={() => onChange(rows.toSpliced(index, 1), "rows")}
                />
              )}
              {errorOf(index) && (
                <p className={css.error} role="alert">
                  {errorOf(index)}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isReadOnly && (
        <div>
          <Button
            size="small"
            icon="plus"
            disabled={rows.length >= most}
            onClick={() => onChange([...rows, start], "rows")}
          >
            {add}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
