// A line of time from top to bottom. Time in which nothing happens takes one line, however long it is.
import type { ReactNode } from "react";
import { Icon, type IconName } from "../../icons.tsx";
import { classNames } from "../class-names.ts";
import type { Tone } from "../tone.ts";
import css from "./timeline.module.css";

export const Timeline = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ol className={css.timeline} aria-label={label}>
    {children}
  </ol>
);

type ItemProps = { icon: IconName; tone: Tone; children: ReactNode };

export const TimelineItem = ({ icon, tone, children }: ItemProps) => (
  <li className={css.item}>
    <span className={css.node} data-tone={tone}>
      <Icon name={icon} size={14} />
    </span>
    {children}
  </li>
);

/** `isPending`: it has not begun. */
export const TimelineCard = ({ isPending = false, children }: { isPending?: boolean; children: ReactNode }) => (
  <div className={css.card} data-pending={isPending}>
    {children}
  </div>
);

/** What it is, and when. `isAlone`: on the line itself, without a card. */
export const TimelineHead = ({
  time,
  isAlone,
  children,
}: {
  time?: ReactNode;
  isAlone?: boolean;
  children: ReactNode;
}) => (
  <div className={classNames(css.head, isAlone && css.line)}>
    {children}
    {time && <span className={css.time}>{time}</span>}
  </div>
);

export const TimelineIdle = ({ children }: { children: ReactNode }) => <li className={css.idle}>{children}</li>;
