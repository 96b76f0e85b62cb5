// The variables that a template may use; a press copies one.
import { copyText } from "../../../kit/copy.ts";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../../words.ts";
import css from "./step.module.css";
import { words } from "./words.ts";

export function Variables({ names }: { names: readonly string[] }) {
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
            <button type="button" className={css.variable} onClick={() => void copy(`{{${name}}}`)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
