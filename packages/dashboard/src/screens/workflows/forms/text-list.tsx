// A short list of names: one is typed and added, and each can be removed.
import { useState } from "react";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import css from "./forms.module.css";

type TextListProps = {
  label: string;
  hint: string;
  placeholder: string;
  add: string;
  removeName: (value: string) => string;
  values: readonly string[];
  most: number;
  isReadOnly: boolean;
  error?: string;
  onChange: (values: string[]) => void;
};

export function TextList(props: TextListProps) {
  const { label, hint, placeholder, add, removeName, values, most, isReadOnly, error, onChange } = props;
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const canAdd = name !== "" && !values.includes(name) && values.length < most;
  const put = () => {
    if (!canAdd) return;
    onChange([...values, name]);
    setTyped("");
  };
  return (
    <div className={css.textList}>
      <div className={css.inline}>
        <span className={css.grow}>
          <TextField
            label={label}
            hint={hint}
            error={error}
            placeholder={placeholder}
            value={typed}
            maxLength={128}
            readOnly={isReadOnly}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              put();
            }}
          />
        </span>
        {!isReadOnly && (
          <span className={css.besideInput}>
            <Button disabled={!canAdd} onClick={put}>
              {add}
            </Button>
          </span>
        )}
      </div>
      {values.length > 0 && (
        <ul className={css.chips} aria-label={label}>
          {values.map((value) => (
            <li key={value}>
              {value}
              {!isReadOnly && (
                <IconButton
                  label={removeName(value)}
                  icon="x"
                  size="small"
                  onClick={() => onChange(values.filter((one) => one !== value))}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
