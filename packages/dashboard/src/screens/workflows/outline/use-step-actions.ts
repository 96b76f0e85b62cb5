// What can be done with steps, for the outline and the canvas.
import type { StepType } from "@tidings/contract";
import { useState } from "react";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { maxSteps } from "../../../steps/facts.gen.ts";
import { type DraftStep, newStep } from "../editor/model.ts";
import { type Starter, withStarter } from "../editor/starters.ts";
import type { Editor } from "../editor/use-editor.ts";
import { words } from "../editor/words.ts";
import { type CopiedStep, copyOf, keepCopy, pastedSteps } from "../flow/copied-steps.ts";
import {
  type Fate,
  findNode,
  insertSteps,
  insideOf,
  moveStep,
  nextPlace,
  type Place,
  placeOf,
  removeStep,
  treeOf,
} from "../flow/tree.ts";

const say = words.outline;

/** A branch that is to be removed, and how many steps are inside it. */
export type Asked = { step: DraftStep; count: number };

export type StepActions = {
  add: (type: StepType, place: Place) => void;
  /** To the place above or below. */
  shift: (step: DraftStep, way: 1 | -1) => void;
  canShift: (step: DraftStep, way: 1 | -1) => boolean;
  move: (step: DraftStep, place: Place) => void;
  /** A branch with steps inside it asks first. */
  remove: (step: DraftStep) => void;
  asked: Asked | null;
  /** null: the branch stays. */
  decide: (fate: Fate | null) => void;
  copy: (step: DraftStep) => void;
  duplicate: (step: DraftStep) => void;
  /** The step that was copied, in this workflow or another one. */
  paste: (copied: CopiedStep, place: Place) => void;
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
  const [asked, setAsked] = useState<Asked | null>(null);
  const { draft, isReadOnly, select } = editor;
  const { steps } = draft;
  const put = (added: readonly DraftStep[], place: Place): boolean => {
    if (isReadOnly) return false;
    const isFull = steps.length + added.length > maxSteps;
    const next = isFull ? null : insertSteps(steps, place, added);
    if (!next) {
      showToast({ title: isFull ? say.full(maxSteps) : say.tooDeep, look: "bad" });
      return false;
    }
    editor.change({ ...draft, steps: next });
    select(added[0]!.stepId);
    return true;
  };
  const place = (step: DraftStep, to: Place | undefined) => {
    const next = isReadOnly || !to ? null : moveStep(steps, step.key, to);
    if (!next) return;
    editor.change({ ...draft, steps: next });
    const index = next.findIndex(({ key }) => key === step.key);
    setTold(say.moved(step.name, index + 1, next.length) + armText(next, to!));
    select(step.stepId);
  };
  const take = (step: DraftStep, fate: Fate) => {
    const left = removeStep(steps, step.key, fate);
    const index = steps.findIndex(({ key }) => key === step.key);
    editor.change({ ...draft, steps: left });
    const isLeft = ({ key }: DraftStep) => left.some((one) => one.key === key);
    const next = steps.slice(index).find(isLeft) ?? steps.slice(0, index).findLast(isLeft);
    select(next?.stepId);
    onRemoved?.(next);
    showToast({ title: say.removed(step.name) });
  };
  return {
    told,
    asked,
    add: (type, to) => {
      if (put([newStep(type, steps)], to)) onAdded();
    },
    paste: (copied, to) => {
      if (put(pastedSteps(copied, steps), to)) onAdded();
    },
    duplicate: (step) => {
      const copied = copyOf(steps, step, draft.name);
      const here = placeOf(steps, step.key);
      if (copied && here && put(pastedSteps(copied, steps), here)) setTold(say.duplicated(step.name));
    },
    copy: (step) => {
      const copied = copyOf(steps, step, draft.name);
      const isCopied = copied !== null && keepCopy(copied);
      // Also draws the menus again, which offer the copy.
      setTold(isCopied ? say.copied(step.name) : say.notCopied);
      showToast(isCopied ? { title: say.copied(step.name) } : { title: say.notCopied, look: "bad" });
    },
    start: (starter) => {
      if (isReadOnly) return;
      const started = withStarter(draft, starter);
      editor.change(started.draft);
      select(started.first.stepId);
      onAdded();
    },
    shift: (step, way) => place(step, nextPlace(steps, step.key, way)),
    canShift: (step, way) => nextPlace(steps, step.key, way) !== undefined,
    move: place,
    remove: (step) => {
      if (isReadOnly) return;
      const node = findNode(treeOf(steps), step.key);
      const count = node ? insideOf(node).length : 0;
      if (count > 0) setAsked({ step, count });
      else take(step, "removed");
    },
    decide: (fate) => {
      if (fate && asked) take(asked.step, fate);
      setAsked(null);
    },
  };
}

function armText(steps: readonly DraftStep[], { arm }: Place): string {
  const find = (nodes: ReturnType<typeof treeOf>): string | undefined => {
    for (const { step, arms } of nodes)
      for (const one of arms) {
        const found = one.path === arm ? say.inArm(one.name, step.name) : find(one.nodes);
        if (found !== undefined) return found;
      }
    return undefined;
  };
  return arm === undefined ? "" : (find(treeOf(steps)) ?? "");
}
