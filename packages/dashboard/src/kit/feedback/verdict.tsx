// How things went, in one colour each. The colour is never the only sign: a word or an icon says the same.
import type { ReactNode } from "react";
import { Icon, type IconName } from "../../icons.tsx";
import { classNames } from "../class-names.ts";
import type { Tone } from "../tone.ts";
import css from "./verdict.module.css";

export const Badge = ({
  tone = "quiet",
  isSquare,
  children,
}: {
  tone?: Tone;
  isSquare?: boolean;
  children: ReactNode;
}) => <span className={classNames(css.badge, css[tone], isSquare && css.square)}>{children}</span>;

/** A dot next to a text; `isMoving` for what has not ended. */
export const Dot = ({ tone, isMoving }: { tone: Tone; isMoving?: boolean }) => (
  <span className={classNames(css.dot, css[tone], isMoving && css.moving)} aria-hidden="true" />
);

const icons: Record<Tone, IconName> = {
  good: "circleCheck",
  bad: "circleX",
  warn: "alert",
  info: "clock",
  quiet: "circleSlash",
  accent: "circleCheck",
};

/** The sign of an outcome. */
export const Verdict = ({ tone, size = 16 }: { tone: Tone; size?: number }) => (
  <span className={classNames(css.icon, css[tone])}>
    <Icon name={icons[tone]} size={size} />
  </span>
);
