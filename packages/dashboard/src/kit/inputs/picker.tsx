// Chooses one of very many records, which are found by a text: by its name, or by its id.
import { type ChangeEvent, useEffect, useId, useState } from "react";
import { Icon, type IconName } from "../../icons.tsx";
import css from "./picker.module.css";

export type Found = { id: string; name: string };

type PickerProps = {
  icon: IconName;
  label: string;
  placeholder?: string;
  /** What can be typed. */
  hint: string;
  chosen: Found | undefined;
  onChoose: (found: Found | undefined) => void;
  /** Without a text, the newest. `isCurrent`: the results are those of this text. */
  useFound: (text: string) => { found: Found[]; isCurrent: boolean };
};

/** What was last done in the field: the text was changed, Enter was pressed, or the focus went elsewhere. */
type Phase = "typed" | "entered" | "left";

/** The list belongs to the field, so the browser draws it. Nothing is chosen from the results of an earlier text. */
export function Picker({ icon, label, placeholder, hint, chosen, onChoose, useFound }: PickerProps) {
  const [text, setText] = useState<string | null>(null);
  const [phase, setPhase] = useState<Phase>("typed");
  const list = useId();
  const { found, isCurrent } = useFound(text ?? "");
  const take = (one: Found) => {
    onChoose(one);
    setText(null);
  };
  const onChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const { value } = target;
    setPhase("typed");
    setText(value);
    const match = found.find(({ id }) => id === value);
    if (match && isFromList(nativeEvent)) take(match);
    else if (value === "") onChoose(undefined);
  };
  useEffect(() => {
    if (!text || !isCurrent) return;
    const match = found.find(({ id }) => id === text);
    const isOnlyOne = found.every(({ id }) => id === text || !id.startsWith(text));
    const taken = phase === "entered" ? found[0] : phase === "left" || isOnlyOne ? match : undefined;
    if (taken) take(taken);
    else if (phase === "left") setText(null);
  });
  return (
    <span className={css.picker}>
      <Icon name={icon} size={14} />
      <input
        className={css.input}
        aria-label={label}
        placeholder={placeholder ?? label}
        title={hint}
        list={list}
        value={text ?? chosen?.name ?? ""}
        autoComplete="off"
        spellCheck={false}
        onFocus={({ target }) => target.select()}
        onBlur={() => (text ? setPhase("left") : setText(null))}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !text) return;
          event.preventDefault();
          setPhase("entered");
        }}
        onChange={onChange}
      />
      <datalist id={list}>
        {found.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </span>
  );
}

/** An entry of the field's list replaces the text; typing inserts or deletes. */
const isFromList = (event: Event): boolean =>
  !("inputType" in event) || !event.inputType || event.inputType === "insertReplacementText";
