// One setting of a block.
import { type ReactNode, useId } from "react";
import type { Names } from "../../../fields/completion/names.ts";
import { TemplateInput } from "../../../fields/completion/template-input.tsx";
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
  names: Names;
  onChange: (text: string) => void;
};

export function SettingField({ spec, text, isReadOnly, names, onChange }: SettingFieldProps) {
  const { label, hint, kind, choices = {}, fallback = "" } = spec;
  const list = useId();
  const field = { label, hint, value: text, readOnly: isReadOnly, autoComplete: "off" };
  const template = { label, hint, text, isReadOnly, names, onChange };
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
            {names.variables.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      );
    case "alt":
      return <Template {...template} error={text.trim() === "" && !isReadOnly ? say.noAlt : undefined} />;
    case "image":
      return (
        <Stacked>
          <Template {...template} hint={say.uploadHint} isAddress />
          {!isReadOnly && <ImageUpload onUploaded={onChange} />}
        </Stacked>
      );
    case "number":
      return <TextField {...field} inputMode="numeric" onChange={set} />;
    case "size":
      return <TextField {...field} onChange={set} />;
    default:
      return <Template {...template} isAddress={["url", "link", "externalLink"].includes(spec.name)} />;
  }
}

type TemplateProps = Pick<SettingFieldProps, "text" | "isReadOnly" | "names" | "onChange"> & {
  label: string;
  hint?: string;
  error?: string;
  isAddress?: boolean;
};

/** A line with variables, which are completed. */
const Template = ({ label, hint, error, isAddress = false, ...input }: TemplateProps) => (
  <Field label={label} hint={hint} error={error}>
    {(described) => <TemplateInput described={described} className={inputs.input} spellCheck={!isAddress} {...input} />}
  </Field>
);

const Stacked = ({ children }: { children: ReactNode }) => <div className={css.stacked}>{children}</div>;
