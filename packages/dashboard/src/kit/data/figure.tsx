// The number that a card is about, with what it counts: "31,204 people".
import type { ReactNode } from "react";
import css from "./figure.module.css";

export const Figure = ({ children }: { children: ReactNode }) => <strong className={css.figure}>{children}</strong>;
