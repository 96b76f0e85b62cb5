// The form of a provider, made from the fields that it declares. A stored secret is never shown: its field is empty,
// and stays unchanged when it is left so.
import type { ProviderCredential } from "@tidings/contract";
import type { ReactNode } from "react";
import { Checkbox, Field, TextArea, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import css from "./integrations.module.css";
import { words } from "./words.ts";

/** What the service returns instead of a secret, and accepts as "keep it". */
const mask = "********";

export type Values = Readonly<Record<string, string | boolean>>;
type Stored = Readonly<Record<string, unknown>>;

/** What the form begins with. */
export function readValues(fields: readonly ProviderCredential[], stored: Stored): Values {
  return Object.fromEntries(
    fields.map(({ key, type, secret }): [string, string | boolean] => {
      const value = stored[key];
      if (type === "boolean") return [key, value === true || value === "true"];
      if (value === undefined || value === null || (secret && value === mask)) return [key, ""];
      return [key, typeof value === "object" ? JSON.stringify(value, null, 2) : String(value)];
    }),
  );
}

const isStored = ({ key, secret }: ProviderCredential, stored: Stored): boolean => secret && stored[key] === mask;

/** The `credentials` of a request, and the fields that cannot be read. Members that the form does not show are kept. */
export function readCredentials(fields: readonly ProviderCredential[], values: Values, stored: Stored) {
  const credentials: Record<string, unknown> = { ...stored };
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const { key, type } = field;
    const value = values[key];
    if (type === "boolean") credentials[key] = value === true;
    else if (value === undefined || value === "" || value === false) {
      if (!isStored(field, stored)) delete credentials[key];
    } else if (type !== "object") credentials[key] = value;
    else {
      try {
        credentials[key] = JSON.parse(String(value));
      } catch {
        faults[`credentials.${key}`] = words.badJson;
      }
    }
  }
  return { credentials, faults };
}

type FieldsProps = {
  fields: readonly ProviderCredential[];
  values: Values;
  stored: Stored;
  /** By path, such as `credentials.apiKey`. */
  errors: Readonly<Record<string, string>>;
  onChange: (key: string, value: string | boolean) => void;
  disabled?: boolean;
};

const isFlag = ({ type }: ProviderCredential): boolean => type === "boolean";
const isLong = ({ type }: ProviderCredential): boolean => type === "multiline" || type === "object";

/** Texts side by side, then the long ones, then what is on or off. */
export function CredentialFields({ fields, ...rest }: FieldsProps) {
  const texts = fields.filter((field) => !isFlag(field)).toSorted((a, b) => Number(isLong(a)) - Number(isLong(b)));
  const flags = fields.filter(isFlag);
  return (
    <div className={css.credentials}>
      {texts.map((field) => (
        <div key={field.key} className={isLong(field) ? css.whole : undefined}>
          <CredentialField field={field} {...rest} />
        </div>
      ))}
      {flags.length > 0 && (
        <div className={css.flags}>
          {flags.map((field) => (
            <CredentialField key={field.key} field={field} {...rest} />
          ))}
        </div>
      )}
    </div>
  );
}

type OneProps = Omit<FieldsProps, "fields"> & { field: ProviderCredential };

function CredentialField({ field, values, stored, errors, onChange, disabled }: OneProps): ReactNode {
  const { key, label, type, required, secret, options = [], default: fallback } = field;
  const isKept = isStored(field, stored);
  const common = {
    label: required ? label : `${label} (${words.optional})`,
    error: errors[`credentials.${key}`],
    // The first choice of a select says the same.
    hint: isKept ? words.stored : fallback && type !== "select" ? words.defaultsTo(fallback) : undefined,
  };
  const text = String(values[key] ?? "");
  const input = {
    value: text,
    disabled,
    spellCheck: false,
    autoComplete: secret ? "new-password" : "off",
    placeholder: isKept ? "••••••••••••" : undefined,
    "aria-required": required && !isKept,
    // No required attribute: an integration that is off may be incomplete, and the service says what is missing.
    onChange: ({ target }: { target: { value: string } }) => onChange(key, target.value),
  };
  if (type === "boolean")
    return (
      <Checkbox
        label={label}
        checked={values[key] === true}
        disabled={disabled}
        onChange={({ target }) => onChange(key, target.checked)}
      />
    );
  if (type === "select")
    return (
      <Field {...common}>
        {({ id }) => (
          <Select
            id={id}
            name={label}
            isWide
            value={text}
            disabled={disabled}
            onChange={(value) => onChange(key, value)}
            choices={[
              { value: "", label: fallback ?? words.choose },
              ...options.map((value) => ({ value, label: value })),
            ]}
          />
        )}
      </Field>
    );
  if (type === "multiline" || type === "object") return <TextArea {...common} {...input} rows={secret ? 4 : 5} />;
  return (
    <TextField
      {...common}
      {...input}
      type={secret ? "password" : "text"}
      inputMode={type === "number" ? "numeric" : undefined}
    />
  );
}
