// A table of records: numbers aligned, columns that a narrow screen can do without left out.
import type { ReactNode } from "react";
import { words } from "../../words.ts";
import { classNames } from "../class-names.ts";
import { Button } from "../inputs/button.tsx";
import css from "./table.module.css";

export type Column<Row> = {
  title: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Left out below 640 px. */
  isWideOnly?: boolean;
};

type TableProps<Row> = {
  /** Read aloud as the name of the table. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** A box before every row, and one for all of the page. */
  selection?: {
    selected: ReadonlySet<string>;
    onChange: (selected: Set<string>) => void;
    nameOf: (row: Row) => string;
  };
};

export function Table<Row>({ label, columns, rows, keyOf, selection }: TableProps<Row>) {
  const classOf = ({ isNumber, isWideOnly }: Column<Row>) =>
    classNames(isNumber && css.number, isWideOnly && css.wideOnly) || undefined;
  return (
    <section className={css.frame} aria-label={label}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={css.box}>
                <SelectAll keys={rows.map(keyOf)} {...selection} />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title || <span className="visually-hidden">{words.actions}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {selection && (
                <td className={css.box}>
                  <input
                    type="checkbox"
                    aria-label={words.select(selection.nameOf(row))}
                    checked={selection.selected.has(keyOf(row))}
                    onChange={() => selection.onChange(toggled(selection.selected, keyOf(row)))}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.title} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function toggled(selected: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

type SelectAllProps = { keys: string[]; selected: ReadonlySet<string>; onChange: (selected: Set<string>) => void };

function SelectAll({ keys, selected, onChange }: SelectAllProps) {
  const isWhole = keys.length > 0 && keys.every((key) => selected.has(key));
  return (
    <input
      type="checkbox"
      aria-label={words.selectAll}
      checked={isWhole}
      onChange={() =>
        onChange(new Set(isWhole ? [...selected].filter((key) => !keys.includes(key)) : [...selected, ...keys]))
      }
    />
  );
}

/** In the first cell: what the columns say that are for wide screens only. */
export const NarrowOnly = ({ children }: { children: ReactNode }) => <span className={css.narrowOnly}>{children}</span>;

type PagerProps = { note?: ReactNode; onPrevious?: () => void; onNext?: () => void };

/** Below a table that is read page by page; a button without a function is disabled. */
export const Pager = ({ note, onPrevious, onNext }: PagerProps) => (
  <div className={css.pager}>
    {note && <span>{note}</span>}
    <span className={css.pagerButtons}>
      <Button size="small" onClick={onPrevious} disabled={!onPrevious}>
        {words.pages.previous}
      </Button>
      <Button size="small" onClick={onNext} disabled={!onNext}>
        {words.pages.next}
      </Button>
    </span>
  </div>
);
