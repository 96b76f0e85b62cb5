// How the parts of a screen stand: below each other, beside each other; quiet text, and text for screen readers only.
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import css from "./stack.module.css";

/** Below each other. */
export const Stack = ({ isSmall, children }: { isSmall?: boolean; children: ReactNode }) => (
  <div className={classNames(css.stack, isSmall && css.small)}>{children}</div>
);

/** Beside each other; `isApart`: the first takes the room, the others stand at the end. */
export const Row = ({ isApart, children }: { isApart?: boolean; children: ReactNode }) => (
  <div className={classNames(css.row, isApart && css.apart)}>{children}</div>
);

export const Muted = ({ children }: { children: ReactNode }) => <p className={css.muted}>{children}</p>;

/** Read aloud, not shown. */
export const Hidden = ({ children }: { children: ReactNode }) => <div className={css.hidden}>{children}</div>;
