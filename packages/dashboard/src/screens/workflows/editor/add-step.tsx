// The menu of step types.
import type { StepType } from "@tidings/contract";
import type { ReactElement } from "react";
import { Menu, type MenuEntry } from "../../../kit/menu.tsx";
import { stepIcons } from "../../activity/outcomes.ts";
import { stepNames } from "../words.ts";
import { words } from "./words.ts";

const sending: readonly StepType[] = ["in_app", "email", "sms", "push", "chat"];
const steering: readonly StepType[] = ["delay", "digest", "throttle", "custom"];

type AddStepProps = { trigger: ReactElement<{ onClick?: () => void }>; onAdd: (type: StepType) => void };

export function AddStep({ trigger, onAdd }: AddStepProps) {
  const entryOf = (type: StepType): MenuEntry => ({
    label: stepNames[type],
    icon: stepIcons[type],
    onChoose: () => onAdd(type),
  });
  return (
    <Menu
      trigger={trigger}
      entries={[
        { kind: "group", label: words.outline.channels },
        ...sending.map(entryOf),
        { kind: "group", label: words.outline.waits },
        ...steering.map(entryOf),
      ]}
    />
  );
}
