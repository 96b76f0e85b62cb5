// A choice of one in a list. With `name` it reads "name: value", for filters; inside a form it is wrapped in a Field.
// The list is loaded when the browser has nothing else to do; until then there is its button only.
import { cloneElement, lazy, Suspense } from "react";
import { Icon } from "../../icons.tsx";
import { classNames } from "../class-names.ts";
import css from "../overlays/float.module.css";
import type { Choice } from "../overlays/popups/props.ts";
import { useLaterPopup } from "../overlays/use-later-popup.ts";
import { whenIdle } from "../when-idle.ts";

export type { Choice } from "../overlays/popups/props.ts";

type SelectProps<T extends string> = {
  /** Read aloud, and shown before the value unless `isWide`. */
  name: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  /** As wide as its place, without the name: in forms, where a label is above it. */
  isWide?: boolean;
  /** Draws the eye to a filter that is not at its default. */
  isSet?: boolean;
  id?: string;
  disabled?: boolean;
};

const Popup = lazy(async () => {
  await whenIdle();
  return { default: (await import("../overlays/popups/popups.ts")).SelectPopup };
});

export function Select<T extends string>({
  name,
  value,
  choices,
  onChange,
  isWide,
  isSet,
  id,
  disabled,
}: SelectProps<T>) {
  const { isOpen, onOpenChange, before, after } = useLaterPopup();
  const shown = choices.find((choice) => choice.value === value)?.label ?? value;
  const trigger = (
    <button
      type="button"
      {...(id && { id })}
      className={classNames(css.select, isWide && css.wide, isSet && css.isSet)}
      aria-label={`${name}: ${shown}`}
      disabled={disabled}
    >
      {!isWide && <span className={css.name}>{name}</span>}
      <span className={css.value}>{shown}</span>
      <Icon name="chevronDown" size={14} />
    </button>
  );
  const closed = { role: "combobox", "aria-haspopup": "listbox", "aria-expanded": false, ...before };
  return (
    <Suspense fallback={cloneElement(trigger, closed)}>
      <Popup
        trigger={cloneElement(trigger, after)}
        value={value}
        choices={choices}
        onChange={(next) => onChange(next as T)}
        disabled={disabled}
        isOpen={isOpen}
        onOpenChange={onOpenChange}
      />
    </Suspense>
  );
}
