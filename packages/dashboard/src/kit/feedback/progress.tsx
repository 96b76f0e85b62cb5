// How far something is: a bar of parts, each with its meaning.
import { classNames } from "../class-names.ts";
import type { Tone } from "../tone.ts";
import css from "./progress.module.css";

type ProgressProps = {
  label: string;
  total: number;
  /** How many of the total are through. */
  done: number;
  parts: readonly { tone: Tone; count: number }[];
};

export const Progress = ({ label, total, done, parts }: ProgressProps) => (
  <div
    className={css.track}
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={total}
    aria-valuenow={done}
  >
    {parts.map(({ tone, count }) => (
      <span
        key={tone}
        className={classNames(css.part, css[tone])}
        style={{ width: total === 0 ? "0" : `${(100 * count) / total}%` }}
      />
    ))}
  </div>
);
