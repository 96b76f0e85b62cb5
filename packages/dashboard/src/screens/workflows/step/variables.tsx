// The variables that a template may use; a press inserts one at the caret.
import type { RefObject } from "react";
import type { Insert } from "../../../fields/completion/insertion.ts";
import { copyText } from "../../../kit/copy.ts";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../../words.ts";
import css from "./step.module.css";
import { words } from "./words.ts";

type VariablesProps = { names: readonly string[]; target: RefObject<Insert | null> };

/** Without a field that had the focus, the name is copied. */
export function Variables({ names, target }: VariablesProps) {
  const copy = async (text: string) => {
    const isDone = await copyText(text);
    showToast(isDone ? { title: words.copied(text) } : { title: kitWords.copy.failed, look: "bad" });
  };
  return (
    <details className={css.more}>
      <summary>{words.variables(names.length)}</summary>
      <p className={css.weak}>{words.variablesHint}</p>
      <ul className={css.variables}>
        {names.map((name) => (
          <li key={name}>
            <button
              type="button"
              className={css.variable}
              onClick={() => (target.current ? target.current(name) : void copy(`{{${name}}}`))}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
