// The menu of step types, and of steps that were copied or saved.
import type { StepType } from "@tidings/contract";
import { lazy, type ReactElement, Suspense, useState } from "react";
import { Menu, type MenuEntry } from "../../../kit/overlays/menu.tsx";
import { stepIcons, stepKinds, stepNames, stepTypes } from "../../../steps/facts.gen.ts";
import { type CopiedStep, readCopiedStep } from "./copied-step.ts";
import { words } from "./words.ts";

const TemplatesDialog = lazy(() =>
  import("../templates/templates-dialog.tsx").then((module) => ({ default: module.TemplatesDialog })),
);

const isChannel = (type: StepType): boolean => stepKinds[type] === "channel";

type AddStepProps = {
  trigger: ReactElement<{ onClick?: () => void }>;
  onAdd: (type: StepType) => void;
  /** A step that was copied, or a saved one. */
  onPaste: (copied: CopiedStep) => void;
};

export function AddStep({ trigger, onAdd, onPaste }: AddStepProps) {
  const copied = readCopiedStep();
  const [isChoosing, setChoosing] = useState(false);
  const entryOf = (type: StepType): MenuEntry => ({
    label: stepNames[type],
    icon: stepIcons[type],
    onChoose: () => onAdd(type),
  });
  return (
    <>
      <Menu
        trigger={trigger}
        entries={[
          { kind: "group", label: words.outline.channels },
          ...stepTypes.filter(isChannel).map(entryOf),
          { kind: "group", label: words.outline.waits },
          ...stepTypes.filter((type) => !isChannel(type)).map(entryOf),
          { kind: "group", label: words.outline.savedGroup },
          { label: words.outline.fromTemplate, icon: "layers", onChoose: () => setChoosing(true) },
          ...(copied
            ? [
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
      {isChoosing && (
        <Suspense>
          <TemplatesDialog onInsert={onPaste} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  );
}
