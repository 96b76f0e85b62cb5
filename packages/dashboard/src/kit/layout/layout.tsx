// How parts of a screen are arranged: below one another, in a row of tools, at the end of a form in a dialog.
import type { ReactNode } from "react";
import { classNames } from "../class-names.ts";
import css from "./layout.module.css";

type Parts = { children: ReactNode };

export const Stack = ({ isSmall, children }: Parts & { isSmall?: boolean }) => (
  <div className={classNames(css.stack, isSmall && css.small)}>{children}</div>
);

export const Muted = ({ isSmall, children }: Parts & { isSmall?: boolean }) => (
  <p className={classNames(css.muted, isSmall && css.fine)}>{children}</p>
);

/** Next to or below what matters more, in the same line of text. */
export const Note = ({ title, children }: Parts & { title?: string }) => (
  <span className={css.note} title={title}>
    {children}
  </span>
);

/** Filters and buttons above a list; they wrap where there is no room. */
export const Tools = ({ children }: Parts) => <div className={css.tools}>{children}</div>;

/** The buttons of a form inside a dialog, the main one last. */
export const DialogEnd = ({ children }: Parts) => <div className={css.dialogEnd}>{children}</div>;

/** Side by side; `isApart`: the first fills the available space, the others are at the end. */
export const Row = ({ isApart, children }: Parts & { isApart?: boolean }) => (
  <div className={classNames(css.row, isApart && css.apart)}>{children}</div>
);

/** A form and what it makes, below one another where there is no room. */
export const Halves = ({ children }: Parts) => <div className={css.halves}>{children}</div>;

/** The second half, which stays in sight. */
export const Aside = ({ label, children }: Parts & { label: string }) => (
  <section className={css.aside} aria-label={label}>
    {children}
  </section>
);

/** Read aloud, not shown. */
export const Hidden = ({ children }: Parts) => <div className="visually-hidden">{children}</div>;
