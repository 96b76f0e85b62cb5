// The menu of step types, and of steps that were copied or saved.
import type { StepType } from "@tidings/contract";
import { lazy, type ReactElement, Suspense, useState } from "react";
import { Menu, type MenuEntry } from "../../../kit/overlays/menu.tsx";
import { stepIcons, stepNames, stepTypes } from "../../../steps/facts.gen.ts";
import { words } from "../editor/words.ts";
import { type CopiedStep, readCopy } from "../flow/copied-steps.ts";

const say = words.outline;

const TemplatesDialog = lazy(() =>
  import("../templates/templates-dialog.tsx").then((module) => ({ default: module.TemplatesDialog })),
);

type Group = keyof typeof say.groups;

const groupOf: Readonly<Record<StepType, Group>> = {
  in_app: "channels",
  email: "channels",
  sms: "channels",
  chat: "channels",
  push: "channels",
  delay: "timing",
  digest: "timing",
  throttle: "timing",
  wait: "timing",
  branch: "flow",
  experiment: "flow",
  http_request: "actions",
  start_workflow: "actions",
  update_subscriber: "actions",
  custom: "actions",
};

type AddStepProps = {
  trigger: ReactElement<{ onClick?: () => void }>;
  onAdd: (type: StepType) => void;
  /** A step that was copied, or a saved one. */
  onPaste: (copied: CopiedStep) => void;
};

export function AddStep({ trigger, onAdd, onPaste }: AddStepProps) {
  const copied = readCopy();
  const [isChoosing, setChoosing] = useState(false);
  const entryOf = (type: StepType): MenuEntry => ({
    label: stepNames[type],
    note: say.notes[type],
    icon: stepIcons[type],
    onChoose: () => onAdd(type),
  });
  return (
    <>
      <Menu
        trigger={trigger}
        isTall
        entries={[
          ...(Object.keys(say.groups) as Group[]).flatMap((group): MenuEntry[] => [
            { kind: "group", label: say.groups[group] },
            ...stepTypes.filter((type) => groupOf[type] === group).map(entryOf),
          ]),
          { kind: "group", label: say.savedGroup },
          { label: say.fromTemplate, icon: "layers", onChoose: () => setChoosing(true) },
          ...(copied
            ? [
                {
                  label: say.paste(copied.step.name),
                  note: say.pasteFrom(copied.workflow),
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
