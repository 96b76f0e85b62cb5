// A setting with a few choices.
import { Field } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";

type ChoiceFieldProps<T extends string> = {
  label: string;
  value: T;
  names: Readonly<Record<T, string>>;
  hint?: string;
  isReadOnly: boolean;
  onChange: (value: T) => void;
};

export const ChoiceField = <T extends string>({
  label,
  value,
  names,
  hint,
  isReadOnly,
  onChange,
}: ChoiceFieldProps<T>) => (
  <Field label={label} hint={hint}>
    {({ id }) => (
      <Select
        id={id}
        name={label}
        isWide
        value={value}
        choices={(Object.entries(names) as [T, string][]).map(([of, name]) => ({ value: of, label: name }))}
        disabled={isReadOnly}
        onChange={onChange}
      />
    )}
  </Field>
);
