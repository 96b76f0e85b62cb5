// A list of what happened, each entry a sentence that opens.
import type { ReactNode } from "react";
import { Icon } from "../icons.tsx";
import css from "./entries.module.css";
import { Time } from "./time.tsx";

export const Entries = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={css.list} aria-label={label}>
    {children}
  </ul>
);

type EntryProps = {
  sentence: ReactNode;
  /** Below the sentence. */
  note?: ReactNode;
  sign?: ReactNode;
  at: string;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** Drawn when it is open. */
  children: () => ReactNode;
};

export const Entry = ({ sentence, note, sign, at, isOpen, onOpen, children }: EntryProps) => (
  <li className={css.entry}>
    <button type="button" className={css.head} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
      <Icon name="chevronRight" size={14} />
      <span className={css.text}>
        <span>{sentence}</span>
        {note && <span className={css.note}>{note}</span>}
      </span>
      {sign}
      <span className={css.time}>
        <Time at={at} isRelative />
      </span>
    </button>
    {isOpen && <div className={css.body}>{children()}</div>}
  </li>
);
