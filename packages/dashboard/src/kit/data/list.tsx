// What is shown above a list, and in the first column of its rows.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { SearchField } from "../inputs/field.tsx";
import css from "./list.module.css";

type ListBarProps = {
  search?: { label: string; value: string; onChange: (text: string) => void };
  /** Filters, next to the search field. */
  children?: ReactNode;
  /** Buttons, at the end of the line. */
  actions?: ReactNode;
};

export const ListBar = ({ search, children, actions }: ListBarProps) => (
  <div className={css.bar}>
    {search && (
      <span className={css.search}>
        <SearchField
          label={search.label}
          value={search.value}
          onChange={({ target }) => search.onChange(target.value)}
        />
      </span>
    )}
    {children}
    {actions && <span className={css.end}>{actions}</span>}
  </div>
);

/** A record by its name, with its identifier below. */
export const NameLink = ({
  name,
  id,
  ...link
}: { name: string; id: ReactNode } & Pick<LinkProps, "to" | "params" | "search">) => (
  <Link className={css.name} {...link}>
    <strong>{name}</strong>
    <span className={css.note}>{id}</span>
  </Link>
);

/** Fields of a form, or parts of a page, below each other. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={css.stack}>{children}</div>;

/** How many rows are selected, and what can be done with them. */
export const Selected = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={css.selected}>
    <span role="status">{label}</span>
    {children}
  </div>
);
