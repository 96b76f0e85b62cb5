// Several of a few choices. An absent value means all of them, and at least one stays chosen.
import { useId } from "react";
import { Checkbox } from "../kit/inputs/field.tsx";
import css from "./fields.module.css";

type SeveralFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  choices: Readonly<Record<string, string>>;
  value: unknown;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
};

export function SeveralField({ label, hint, error, choices, value, isReadOnly, onChange }: SeveralFieldProps) {
  const id = useId();
  const all = Object.keys(choices);
  const chosen = all.filter((one) => !Array.isArray(value) || value.includes(one));
  const toggle = (one: string, isOn: boolean) => {
    const next = all.filter((other) => (other === one ? isOn : chosen.includes(other)));
    onChange(next.length === all.length ? undefined : next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row
    <div role="group" aria-labelledby={id} className={css.several}>
      <span id={id}>{label}</span>
      <div>
        {all.map((one) => (
          <Checkbox
            key={one}
            label={choices[one]}
            checked={chosen.includes(one)}
            disabled={isReadOnly || (chosen.length === 1 && chosen[0] === one)}
            onChange={({ target }) => toggle(one, target.checked)}
          />
        ))}
      </div>
      {hint && <p className={css.weak}>{hint}</p>}
      {error && <p role="alert">{error}</p>}
    </div>
  );
}
