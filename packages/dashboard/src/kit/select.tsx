// A choice of one in a list. With `name` it reads "name: value", for filters; inside a form it is wrapped in a Field.
import { Select as Base } from "@base-ui/react/select";
import { Icon } from "../icons.tsx";
import { classNames } from "./class-names.ts";
import css from "./float.module.css";

export type Choice<T extends string> = { value: T; label: string; note?: string };

type SelectProps<T extends string> = {
  /** Read aloud, and shown before the value unless `isWide`. */
  name: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  /** As wide as its place, without the name: in forms, where a label stands above. */
  isWide?: boolean;
  /** Draws the eye to a filter that is not at its default. */
  isSet?: boolean;
  id?: string;
  disabled?: boolean;
};

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
  const shown = choices.find((choice) => choice.value === value)?.label ?? value;
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)} disabled={disabled} modal={false}>
      <Base.Trigger
        id={id}
        className={classNames(css.select, isWide && css.wide, isSet && css.isSet)}
        aria-label={`${name}: ${shown}`}
      >
        {!isWide && <span className={css.name}>{name}</span>}
        <span className={css.value}>{shown}</span>
        <Icon name="chevronDown" size={14} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={css.positioner} sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className={css.popup}>
            {choices.map((choice) => (
              <Base.Item key={choice.value} value={choice.value} className={css.item}>
                <Base.ItemText className={css.text}>
                  {choice.label}
                  {choice.note && <span className={css.note}>{choice.note}</span>}
                </Base.ItemText>
                <Base.ItemIndicator>
                  <Icon name="check" size={14} />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
