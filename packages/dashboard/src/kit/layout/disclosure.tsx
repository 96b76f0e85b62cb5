// A list whose rows open in place: a line that says what it is, and what is behind it.
import { type ReactNode, useState } from "react";
import { Icon } from "../../icons.tsx";
import css from "./disclosure.module.css";

export const DisclosureList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={css.box} aria-label={label}>
    {children}
  </ul>
);

type DisclosureProps = {
  title: ReactNode;
  note?: ReactNode;
  /** At the right: a state, a time. */
  end?: ReactNode;
  /** Drawn only when the row is open. */
  children: () => ReactNode;
  /** How the row begins where it keeps itself whether it is open. */
  isInitiallyOpen?: boolean;
  /** Where the screen keeps which row is open, such as in the URL; without, the row keeps it. */
  isOpen?: boolean;
  onOpen?: (isOpen: boolean) => void;
};

export function Disclosure({
  title,
  note,
  end,
  children,
  isInitiallyOpen = false,
  isOpen: isGivenOpen,
  onOpen,
}: DisclosureProps) {
  const [isOwnOpen, setOwnOpen] = useState(isInitiallyOpen);
  const isOpen = isGivenOpen ?? isOwnOpen;
  const setOpen = onOpen ?? setOwnOpen;
  return (
    <li className={css.item}>
      <button type="button" className={css.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevronRight" size={14} />
        <span className={css.text}>
          <span>{title}</span>
          {note && <span className={css.note}>{note}</span>}
        </span>
        {end && <span className={css.end}>{end}</span>}
      </button>
      {isOpen && <div className={css.body}>{children()}</div>}
    </li>
  );
}
