// The address of a database: hidden, since it has a password, with its other parts shown below.
import { useState } from "react";
import { Checkbox, TextField } from "../../kit/inputs/field.tsx";
import { readAddress } from "./address.ts";
import css from "./sources.module.css";
import { words } from "./words.ts";

const text = words.form;

type AddressFieldProps = {
  value: string;
  error?: string;
  /** The place that is stored: an empty field keeps it, with its password. */
  stored?: string;
  onChange: (value: string) => void;
};

export function AddressField({ value, error, stored, onChange }: AddressFieldProps) {
  const [isShown, setShown] = useState(false);
  const address = readAddress(value);
  const parts: [string, string | number][] = address
    ? [
        [text.host, `${address.host}:${address.port}`],
        [text.database, address.database],
        [text.user, address.user],
      ]
    : [];
  return (
    <div className={css.address}>
      <TextField
        label={text.url}
        hint={stored === undefined ? text.urlHint : text.urlStored(stored)}
        error={error}
        type={isShown ? "text" : "password"}
        value={value}
        required={stored === undefined}
        maxLength={2_048}
        autoComplete="new-password"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={stored === undefined ? "postgresql://" : "••••••••••••"}
        onChange={({ target }) => onChange(target.value)}
      />
      {value !== "" && (
        <div className={css.below}>
          {address ? (
            <dl className={css.parts} aria-label={text.parts}>
              {parts.map(([name, part]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{part}</dd>
                </div>
              ))}
            </dl>
          ) : (
            <span className={css.muted}>{text.incomplete}</span>
          )}
          <Checkbox label={text.show} checked={isShown} onChange={({ target }) => setShown(target.checked)} />
        </div>
      )}
    </div>
  );
}
