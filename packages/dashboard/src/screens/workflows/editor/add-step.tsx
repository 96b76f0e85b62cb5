// The menu of step types.
import type { StepType } from "@tidings/contract";
import type { ReactElement } from "react";
import { Menu, type MenuEntry } from "../../../kit/overlays/menu.tsx";
import { stepIcons, stepKinds, stepNames, stepTypes } from "../../../steps/facts.gen.ts";
import { type CopiedStep, readCopiedStep } from "./copied-step.ts";
import { words } from "./words.ts";

const isChannel = (type: StepType): boolean => stepKinds[type] === "channel";

type AddStepProps = {
  trigger: ReactElement<{ onClick?: () => void }>;
  onAdd: (type: StepType) => void;
  onPaste?: (copied: CopiedStep) => void;
};

export function AddStep({ trigger, onAdd, onPaste }: AddStepProps) {
  const copied = onPaste && readCopiedStep();
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
        ...stepTypes.filter(isChannel).map(entryOf),
        { kind: "group", label: words.outline.waits },
        ...stepTypes.filter((type) => !isChannel(type)).map(entryOf),
        ...(copied
          ? [
              { kind: "group" as const, label: words.outline.pasteGroup },
              {
                label: words.outline.paste(copied.step.name),
                note: words.outline.pasteFrom(copied.workflow),
                icon: "copy" as const,
                onChoose: () => onPaste(copied),
              },
            ]
          : []),
      ]}
    />
  );
}
