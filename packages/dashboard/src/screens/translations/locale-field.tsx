// A language, chosen from a list or typed; a name such as German is understood.
import { useId } from "react";
import { Field } from "../../kit/inputs/field.tsx";
import { localeChoices, localeName, readLocale } from "./locales.ts";
import css from "./translations.module.css";
import { words } from "./words.ts";

const say = words.files;

type LocaleFieldProps = {
  value: string;
  /** An error in addition to that of an unknown language. */
  error?: string;
  /** Offered first: languages that have texts. */
  known?: readonly string[];
  onChange: (text: string) => void;
};

export function LocaleField({ value, error, known = [], onChange }: LocaleFieldProps) {
  const list = useId();
  const locale = readLocale(value);
  const isBad = value.trim() !== "" && locale === null;
  return (
    <Field
      label={say.locale}
      hint={(locale && localeName(locale)) ?? say.localeHint}
      error={error ?? (isBad ? say.badLocale : undefined)}
    >
      {(described) => (
        <>
          <input
            className={css.input}
            list={list}
            value={value}
            maxLength={60}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
            {...described}
          />
          <datalist id={list}>
            {[...new Set([...known, ...localeChoices])].map((one) => (
              <option key={one} value={one} label={localeName(one)} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
