// A list of records as rows: each is a link to its page, with a state, a switch and a menu next to it.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import css from "./row-list.module.css";

export const RowList = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ul className={css.rows} aria-label={label}>
    {children}
  </ul>
);

export const Row = ({ isOff, children }: { isOff?: boolean; children: ReactNode }) => (
  <li className={css.row} data-off={isOff ?? false}>
    {children}
  </li>
);

type RowLinkProps = Pick<LinkProps, "to" | "params" | "search"> & { name: string; note?: string; fault?: string };

export const RowLink = ({ name, note, fault, ...link }: RowLinkProps) => (
  <Link className={css.link} {...link}>
    <span className={css.name}>{name}</span>
    {note && <span className={css.note}>{note}</span>}
    {fault && <span className={css.bad}>{fault}</span>}
  </Link>
);
