// On or off, at once. Inside a form that is saved later, a checkbox is the right control.
import type { ComponentProps } from "react";
import css from "./switch.module.css";

type SwitchProps = { label: string } & Omit<ComponentProps<"input">, "type" | "className" | "role">;

/** The label is for screen readers; a visible text next to the switch says the same. */
export const Switch = ({ label, ...input }: SwitchProps) => (
  // biome-ignore lint/a11y/useAriaPropsForRole: the state of a checkbox is known to screen readers
  <input type="checkbox" role="switch" className={css.switch} aria-label={label} {...input} />
);
