// The steps as a list: all of the editor by keyboard. The steps of an arm are a list inside it.
import { type KeyboardEvent, lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../../../icons.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { maxSteps } from "../../../steps/facts.gen.ts";
import css from "../editor/editor.module.css";
import { type DraftStep, unsavedId } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { words } from "../editor/words.ts";
import { treeOf } from "../flow/tree.ts";
import { AddStep } from "./add-step.tsx";
import { RemoveBranch } from "./remove-branch.tsx";
import { type Drag, StepList } from "./step-list.tsx";
import { useStepActions } from "./use-step-actions.ts";

const say = words.outline;

const SaveTemplateDialog = lazy(() =>
  import("../templates/name-dialog.tsx").then((module) => ({ default: module.SaveTemplateDialog })),
);

type OutlineProps = { editor: Editor; selected: DraftStep | undefined; onOpen: () => void };

export function Outline({ editor, selected, onOpen }: OutlineProps) {
  const { isReadOnly, select } = editor;
  const { steps } = editor.draft;
  const list = useRef<HTMLDivElement>(null);
  const adder = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<DraftStep | null>(null);
  const [over, setOver] = useState("");
  const [saved, setSaved] = useState<DraftStep | null>(null);

  // The row, or without one the button that adds a step. After the next paint, when the step has its new place; and
  // again when the changed address has drawn the page, for what had the focus may be gone by then.
  const focusStep = (step: DraftStep | undefined) => {
    const focus = () => {
      const rows = list.current?.querySelectorAll<HTMLElement>("[data-step]") ?? [];
      const row = [...rows].find(({ dataset }) => dataset.step === step?.key);
      (row ?? adder.current?.querySelector("button"))?.focus();
    };
    requestAnimationFrame(focus);
    setTimeout(() => document.activeElement === document.body && focus(), 150);
  };
  const actions = useStepActions(editor, onOpen, focusStep);
  const tree = useMemo(() => treeOf(steps), [steps]);
  const isEmpty = steps.length === 0 && !isReadOnly;
  const isFull = steps.length >= maxSteps;
  // A workflow that was just created: the dialog it was named in is gone, and the first step is what comes next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the editor is opened
  useEffect(() => {
    if (!isEmpty) return;
    const timer = setTimeout(() => document.activeElement === document.body && focusStep(undefined), 150);
    return () => clearTimeout(timer);
  }, []);
  const choose = (step: DraftStep | undefined) => {
    if (!step) return;
    select(step.stepId);
    focusStep(step);
  };
  const onKey = (event: KeyboardEvent, step: DraftStep) => {
    const index = steps.findIndex(({ key }) => key === step.key);
    const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const isCommand = event.ctrlKey || event.metaKey;
    if (way !== 0 && event.altKey) {
      actions.shift(step, way);
      focusStep(step);
    } else if (way !== 0) choose(steps[index + way]);
    else if (event.key === "Home" || event.key === "End") choose(steps.at(event.key === "Home" ? 0 : -1));
    else if (event.key === "Delete" || event.key === "Backspace") {
      actions.remove(step);
    } else if (event.key === "c" && isCommand) actions.copy(step);
    else if (event.key === "d" && isCommand) actions.duplicate(step);
    else if (event.key === "Enter") onOpen();
    else return;
    event.preventDefault();
  };
  const drag: Drag = {
    dragged,
    over,
    // Chromium ends a drag at once if the page changes under it in the same turn.
    start: (step) => requestAnimationFrame(() => setDragged(step)),
    end: () => {
      setDragged(null);
      setOver("");
    },
    target: (id, place) => ({
      "data-over": over === id,
      onDragOver: (event) => {
        if (!dragged) return;
        event.preventDefault();
        event.stopPropagation();
        if (over !== id) setOver(id);
      },
      onDrop: (event) => {
        event.stopPropagation();
        if (dragged) actions.move(dragged, place);
        setDragged(null);
        setOver("");
      },
    }),
  };
  const end = { arm: undefined, before: undefined };
  const isBroadcast = editor.workflow._id === unsavedId;
  return (
    <section className={css.outline} aria-label={say.label}>
      <p className={css.end}>
        <Icon name="zap" size={14} />
        {isBroadcast ? say.broadcast : say.start}
        {!isBroadcast && <span className={css.weak}>{say.startHint}</span>}
      </p>
      <div ref={list} className={css.steps} title={isReadOnly ? undefined : say.help}>
        <StepList
          nodes={tree}
          arm={undefined}
          editor={editor}
          selectedKey={selected?.key}
          isFull={isFull}
          actions={actions}
          drag={drag}
          onKey={onKey}
          onSave={setSaved}
        />
      </div>
      {!isReadOnly && (
        <div ref={adder} className={css.adder} {...drag.target("end", end)}>
          <AddStep
            trigger={
              <Button icon="plus" size="small" disabled={isFull}>
                {say.add}
              </Button>
            }
            onAdd={(type) => actions.add(type, end)}
            onPaste={(copied) => actions.paste(copied, end)}
          />
          {isFull && <p className={css.full}>{say.full(maxSteps)}</p>}
        </div>
      )}
      {saved && (
        <Suspense>
          <SaveTemplateDialog step={saved} onClose={() => setSaved(null)} />
        </Suspense>
      )}
      <RemoveBranch actions={actions} />
      <p className="visually-hidden" role="status">
        {actions.told}
      </p>
    </section>
  );
}
