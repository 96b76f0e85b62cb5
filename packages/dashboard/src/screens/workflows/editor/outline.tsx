// The steps as a list: all of the editor by keyboard.
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { Icon } from "../../../icons.tsx";
import { classNames } from "../../../kit/class-names.ts";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import { maxSteps } from "../../../steps/facts.gen.ts";
import { isConditional, summarizeStep } from "../step/summary.ts";
import { AddStep } from "./add-step.tsx";
import css from "./editor.module.css";
import type { DraftStep } from "./model.ts";
import type { Editor } from "./use-editor.ts";
import { useStepActions } from "./use-step-actions.ts";
import { words } from "./words.ts";

const say = words.outline;

const SaveTemplateDialog = lazy(() =>
  import("../templates/name-dialog.tsx").then((module) => ({ default: module.SaveTemplateDialog })),
);

type OutlineProps = { editor: Editor; selected: DraftStep | undefined; onOpen: () => void };

export function Outline({ editor, selected, onOpen }: OutlineProps) {
  const { isReadOnly, select } = editor;
  const { steps } = editor.draft;
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
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
  const { add, move, remove, copy, paste, told } = useStepActions(editor, onOpen, focusStep);
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
  const onKey = (event: KeyboardEvent, index: number) => {
    const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (way !== 0 && event.altKey) {
      move(index, index + way);
      focusStep(steps[index]);
    } else if (way !== 0) choose(steps[index + way]);
    else if (event.key === "Home" || event.key === "End") choose(steps.at(event.key === "Home" ? 0 : -1));
    else if (event.key === "Delete" || event.key === "Backspace") {
      remove(index);
    } else if (event.key === "c" && (event.ctrlKey || event.metaKey)) copy(index);
    else if (event.key === "Enter") onOpen();
    else return;
    event.preventDefault();
  };
  return (
    <section className={css.outline} aria-label={say.label}>
      <p className={css.end}>
        <Icon name="zap" size={14} />
        {say.start}
        <span className={css.weak}>{say.startHint}</span>
      </p>
      <ol ref={list} className={css.steps} title={isReadOnly ? undefined : say.help}>
        {steps.map((step, index) => (
          <li
            key={step.key}
            className={classNames(css.place, dragged === index && css.dragged)}
            draggable={!isReadOnly}
            onDragStart={() => setDragged(index)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={() => {
              if (dragged !== null && dragged !== index) move(dragged, index);
              setDragged(null);
            }}
          >
            {!isReadOnly && !isFull && (
              <span className={css.gap}>
                <AddStep
                  trigger={<IconButton label={say.addAt(index + 1)} icon="plus" size="small" />}
                  onAdd={(type) => add(type, index)}
                  onPaste={(copied) => paste(copied, index)}
                />
              </span>
            )}
            <StepRow
              step={step}
              number={index + 1}
              isSelected={step.key === selected?.key}
              issues={editor.issues.countOf(step.key)}
              onSelect={() => select(step.stepId)}
              onKey={(event) => onKey(event, index)}
            />
            {!isReadOnly && step.key === selected?.key && (
              <span className={css.rowActions}>
                <IconButton
                  label={say.up}
                  icon="arrowUp"
                  size="small"
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                />
                <IconButton
                  label={say.down}
                  icon="arrowDown"
                  size="small"
                  disabled={index === steps.length - 1}
                  onClick={() => move(index, index + 1)}
                />
                <IconButton label={say.copy} icon="copy" size="small" onClick={() => copy(index)} />
                <IconButton label={say.saveTemplate} icon="layers" size="small" onClick={() => setSaved(step)} />
                <IconButton label={say.remove} icon="trash" size="small" onClick={() => remove(index)} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div ref={adder} className={css.adder}>
          <AddStep
            trigger={
              <Button icon="plus" size="small" disabled={isFull}>
                {say.add}
              </Button>
            }
            onAdd={(type) => add(type, steps.length)}
            onPaste={(copied) => paste(copied, steps.length)}
          />
          {isFull && <p className={css.full}>{say.full(maxSteps)}</p>}
        </div>
      )}
      {saved && (
        <Suspense>
          <SaveTemplateDialog step={saved} onClose={() => setSaved(null)} />
        </Suspense>
      )}
      <p className="visually-hidden" role="status">
        {told}
      </p>
    </section>
  );
}

type StepRowProps = {
  step: DraftStep;
  number: number;
  isSelected: boolean;
  issues: number;
  onSelect: () => void;
  onKey: (event: KeyboardEvent) => void;
};

const StepRow = ({ step, number, isSelected, issues, onSelect, onKey }: StepRowProps) => (
  <button
    type="button"
    className={css.step}
    aria-current={isSelected ? "step" : undefined}
    data-step={step.key}
    title={step.name}
    tabIndex={isSelected || number === 1 ? 0 : -1}
    onClick={onSelect}
    onKeyDown={onKey}
  >
    <span className={css.stepIcon}>
      <Icon name={stepIcons[step.type]} size={15} />
    </span>
    <span className={css.stepText}>
      <strong>
        <span className="visually-hidden">{number}. </span>
        {step.name}
      </strong>
      <span className={css.stepLine}>{summarizeStep(step)}</span>
      {(isConditional(step) || !step.active) && (
        <span className={css.stepTags}>
          {[isConditional(step) && say.conditional, !step.active && say.inactive].filter(Boolean).join(" · ")}
        </span>
      )}
    </span>
    {issues > 0 && (
      <span className={css.stepIssues} title={words.issueCount(issues)}>
        <Icon name="alert" size={14} />
        <span className="visually-hidden">{words.issueCount(issues)}</span>
      </span>
    )}
  </button>
);
