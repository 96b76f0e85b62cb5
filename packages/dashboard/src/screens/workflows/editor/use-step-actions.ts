// What can be done with steps, for the outline and the canvas.
import type { StepType } from "@tidings/contract";
import { useState } from "react";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { maxSteps } from "../../../steps/facts.gen.ts";
import { type CopiedStep, copyStep, pastedStep } from "./copied-step.ts";
import { type DraftStep, insertStep, moveStep, newStep, removeStep } from "./model.ts";
import { type Starter, withStarter } from "./starters.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

const say = words.outline;

export type StepActions = {
  add: (type: StepType, index: number) => void;
  move: (from: number, to: number) => void;
  remove: (index: number) => void;
  copy: (index: number) => void;
  /** The step that was copied, in this workflow or another one. */
  paste: (copied: CopiedStep, index: number) => void;
  start: (starter: Starter) => void;
  /** What was done last, for screen readers. */
  told: string;
};

/** `onRemoved`: with the step that is chosen now, if one is left. */
export function useStepActions(
  editor: Editor,
  onAdded: () => void,
  onRemoved?: (next: DraftStep | undefined) => void,
): StepActions {
  const [told, setTold] = useState("");
  const { draft, isReadOnly, select } = editor;
  const { steps } = draft;
  return {
    told,
    add: (type, index) => {
      if (isReadOnly || steps.length >= maxSteps) return;
      const step = newStep(type, steps);
      editor.change(insertStep(draft, step, index));
      select(step.stepId);
      onAdded();
    },
    copy: (index) => {
      const step = steps[index];
      if (!step) return;
      const isCopied = copyStep(step, draft.name);
      // Also draws the menus again, which offer the copy.
      setTold(isCopied ? say.copied(step.name) : say.notCopied);
      showToast(isCopied ? { title: say.copied(step.name) } : { title: say.notCopied, look: "bad" });
    },
    paste: (copied, index) => {
      if (isReadOnly) return;
      const step = pastedStep(copied, steps);
      editor.change(insertStep(draft, step, index));
      select(step.stepId);
      onAdded();
    },
    start: (starter) => {
      if (isReadOnly) return;
      const started = withStarter(draft, starter);
      editor.change(started.draft);
      select(started.first.stepId);
      onAdded();
    },
    move: (from, to) => {
      const step = steps[from];
      if (isReadOnly || !step || to < 0 || to >= steps.length) return;
      editor.change(moveStep(draft, from, to));
      setTold(say.moved(step.name, to + 1, steps.length));
      select(step.stepId);
    },
    remove: (index) => {
      const step = steps[index];
      if (isReadOnly || !step) return;
      editor.change(removeStep(draft, step.key));
      const next = steps[index + 1] ?? steps[index - 1];
      select(next?.stepId);
      onRemoved?.(next);
      showToast({ title: say.removed(step.name) });
    },
  };
}
