// One setting of a block.
import { type ReactNode, useId } from "react";
import inputs from "../../../fields/fields.module.css";
import { choicesOf } from "../../../kit/inputs/choices.ts";
import { Field, TextField } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import css from "../../email.module.css";
import { words } from "../../words.ts";
import { ImageUpload } from "./image-upload.tsx";
import type { SettingSpec } from "./specs.ts";

const say = words.fields;

type SettingFieldProps = {
  spec: SettingSpec;
  text: string;
  isReadOnly: boolean;
  variables: readonly string[];
  onChange: (text: string) => void;
};

export function SettingField({ spec, text, isReadOnly, variables, onChange }: SettingFieldProps) {
  const { label, hint, kind, choices = {}, fallback = "" } = spec;
  const list = useId();
  const field = { label, hint, value: text, readOnly: isReadOnly, autoComplete: "off" };
  const set = ({ target }: { target: HTMLInputElement }) => onChange(target.value);
  switch (kind) {
    case "choice":
      return (
        <Field label={label} hint={hint}>
          {({ id }) => (
            <Select
              id={id}
              name={label}
              isWide
              value={text || fallback}
              choices={choicesOf(choices)}
              disabled={isReadOnly}
              onChange={onChange}
            />
          )}
        </Field>
      );
    case "color":
      return (
        <Field label={label} hint={hint}>
          {(described) => (
            <span className={css.color}>
              <input
                type="color"
                aria-label={say.colorOf(label)}
                value={/^#[0-9a-f]{6}$/i.test(text) ? text : "#ffffff"}
                disabled={isReadOnly}
                onChange={set}
              />
              <input
                className={inputs.input}
                value={text}
                placeholder={say.colorDefault}
                readOnly={isReadOnly}
                spellCheck={false}
                onChange={set}
                {...described}
              />
            </span>
          )}
        </Field>
      );
    case "variable":
      return (
        <>
          <TextField {...field} list={list} spellCheck={false} onChange={set} />
          <datalist id={list}>
            {variables.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      );
    case "alt":
      return <TextField {...field} error={text.trim() === "" && !isReadOnly ? say.noAlt : undefined} onChange={set} />;
    case "image":
      return (
        <Stacked>
          <TextField {...field} hint={say.uploadHint} spellCheck={false} onChange={set} />
          {!isReadOnly && <ImageUpload onUploaded={onChange} />}
        </Stacked>
      );
    case "number":
      return <TextField {...field} inputMode="numeric" onChange={set} />;
    default:
      return <TextField {...field} spellCheck={spec.name !== "url"} onChange={set} />;
  }
}

const Stacked = ({ children }: { children: ReactNode }) => <div className={css.stacked}>{children}</div>;
