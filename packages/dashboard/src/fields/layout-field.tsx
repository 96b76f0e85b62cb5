// The layout of an email: that of the environment, none, or a chosen one.
import { useOperation } from "../api/hooks.ts";
import { Field } from "../kit/inputs/field.tsx";
import { Select } from "../kit/inputs/select.tsx";
import { words } from "./words.ts";

type LayoutFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  value: unknown;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
};

const defaultLayout = "\u0000default";
const noLayout = "\u0000none";

export function LayoutField({ value, onChange, isReadOnly, ...field }: LayoutFieldProps) {
  const { data } = useOperation("layouts.list", { query: { limit: 100 } });
  const known = (data?.layouts ?? []).map(({ layoutId, name }) => ({ value: layoutId, label: name }));
  const shown = value === undefined ? defaultLayout : value === null ? noLayout : String(value);
  return (
    <Field {...field}>
      {({ id }) => (
        <Select
          id={id}
          name={field.label}
          isWide
          value={shown}
          choices={[
            { value: defaultLayout, label: words.layoutDefault },
            { value: noLayout, label: words.layoutNone },
            ...known,
          ]}
          disabled={isReadOnly}
          onChange={(next) => onChange(next === defaultLayout ? undefined : next === noLayout ? null : next)}
        />
      )}
    </Field>
  );
}
