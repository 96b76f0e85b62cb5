// Inputs of forms: a label, the control, a hint, and the error of the field.
import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon } from "../../icons.tsx";
import css from "./field.module.css";

type FieldProps = {
  label: string;
  hint?: ReactNode;
  error?: string;
  /** Something is probably wrong, and can be saved all the same. */
  warning?: string;
  /** Shown next to the label, such as how much of a limit is used. */
  count?: string;
};

type Described = { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean };

/** Any control with a label: `<Field label="Name">{(described) => <input {...described} />}</Field>` */
export function Field({
  label,
  hint,
  error,
  warning,
  count,
  children,
}: FieldProps & { children: (described: Described) => ReactNode }) {
  const id = useId();
  const note = error ?? warning ?? hint;
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {count && <span className={css.count}>{count}</span>}
      {children({ id, ...(note && { "aria-describedby": `${id}-note` }), ...(error && { "aria-invalid": true }) })}
      {note && (
        <p
          id={`${id}-note`}
          className={error ? css.error : warning ? css.warning : css.hint}
          role={error ? "alert" : undefined}
        >
          {note}
        </p>
      )}
    </div>
  );
}

/** What is wrong with several controls together, below them. */
export const Fault = ({ children }: { children: ReactNode }) => (
  <p className={css.error} role="alert">
    {children}
  </p>
);

/** From four fifths of the limit on: then typing will soon stop, and the person should know why. */
const countOf = (value: unknown, most: number | undefined): string | undefined =>
  typeof value === "string" && most !== undefined && value.length >= most * 0.8
    ? `${value.length} / ${most}`
    : undefined;

export const TextField = ({
  label,
  hint,
  error,
  ...input
}: FieldProps & Omit<ComponentProps<"input">, "className">) => (
  <Field label={label} hint={hint} error={error} count={countOf(input.value, input.maxLength)}>
    {(described) => <input className={css.input} {...described} {...input} />}
  </Field>
);

export const TextArea = ({
  label,
  hint,
  error,
  ...area
}: FieldProps & Omit<ComponentProps<"textarea">, "className">) => (
  <Field label={label} hint={hint} error={error} count={countOf(area.value, area.maxLength)}>
    {(described) => <textarea className={css.input} {...described} {...area} />}
  </Field>
);

/** For searches above a list; the label is read aloud only. */
export const SearchField = ({ label, ...input }: { label: string } & Omit<ComponentProps<"input">, "className">) => (
  <span className={css.search}>
    <Icon name="search" size={14} />
    <input
      className={css.input}
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      {...input}
    />
  </span>
);

export const Checkbox = ({
  label,
  ...input
}: { label: ReactNode } & Omit<ComponentProps<"input">, "type" | "className">) => (
  <label className={css.check}>
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);
