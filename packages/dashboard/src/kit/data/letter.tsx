// A letter as its reader sees it, with a choice of views below it.
import { type ReactNode, useState } from "react";
import css from "./letter.module.css";

type LetterProps<V extends string> = {
  /** Names of the views; the first is shown at first, and `phone` is as wide as one. */
  views: Readonly<Record<V, string>>;
  /** Names the choice of views. */
  label: string;
  head?: ReactNode;
  /** What is shown is from before an error. */
  isOld?: boolean;
  children: (view: V) => ReactNode;
};

export function Letter<V extends string>({ views, label, head, isOld, children }: LetterProps<V>) {
  const names = Object.keys(views) as V[];
  const [view, setView] = useState(names[0]!);
  return (
    <figure className={css.letter} data-old={isOld}>
      {head && <figcaption className={css.head}>{head}</figcaption>}
      <div className={view === "phone" ? css.phone : undefined}>{children(view)}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen */}
      <div className={css.views} role="group" aria-label={label}>
        {names.map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {views[name]}
          </button>
        ))}
      </div>
    </figure>
  );
}
