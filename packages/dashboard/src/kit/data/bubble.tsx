// The text of a message as a feed or a phone shows it.
import type { ReactNode } from "react";
import css from "./bubble.module.css";

export const Bubble = ({ title, children }: { title?: string; children: ReactNode }) => (
  <div className={css.bubble}>
    {title && <strong>{title}</strong>}
    <p>{children}</p>
  </div>
);
