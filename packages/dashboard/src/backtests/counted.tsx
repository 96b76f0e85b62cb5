// The first cell of a table of counts: on a narrow screen, the counts are part of it.
import type { ReactNode } from "react";
import { NarrowOnly } from "../kit/data/table.tsx";
import css from "./backtests.module.css";
import { words } from "./words.ts";

type CountedProps = { name: string; before: number; after: number; children?: ReactNode };

export const Counted = ({ name, before, after, children }: CountedProps) => (
  <span className={css.cell}>
    {name}
    <NarrowOnly>
      {words.report.counts(before, after)}
      {children}
    </NarrowOnly>
  </span>
);
