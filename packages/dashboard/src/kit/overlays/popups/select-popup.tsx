// The list of a select; see ../select.tsx.
import { Select as Base } from "@base-ui/react/select";
import type { ReactElement } from "react";
import { Icon } from "../../../icons.tsx";
import css from "../float.module.css";
import type { Choice } from "./props.ts";

type PopupProps = {
  /** The button that opens the list. */
  trigger: ReactElement;
  value: string;
  choices: readonly Choice<string>[];
  onChange: (value: string) => void;
  disabled?: boolean;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
};

export const SelectPopup = ({ trigger, value, choices, onChange, disabled, isOpen, onOpenChange }: PopupProps) => (
  <Base.Root
    value={value}
    onValueChange={(next) => onChange(next as string)}
    disabled={disabled}
    modal={false}
    open={isOpen}
    onOpenChange={onOpenChange}
  >
    <Base.Trigger render={trigger} />
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
