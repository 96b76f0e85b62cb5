// The steps as a list: all of the editor by keyboard.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../../icons.tsx";
import { Button, IconButton } from "../../../kit/button.tsx";
import { classNames } from "../../../kit/class-names.ts";
import { stepIcons } from "../../activity/outcomes.ts";
import { isConditional, summarizeStep } from "../step/summary.ts";
import { stepNames } from "../words.ts";
import { AddStep } from "./add-step.tsx";
import css from "./editor.module.css";
import type { DraftStep } from "./model.ts";
import type { Editor } from "./use-editor.ts";
import { useStepActions } from "./use-step-actions.ts";
import { words } from "./words.ts";

const say = words.outline;

type OutlineProps = { editor: Editor; selected: DraftStep | undefined; onOpen: () => void };

export function Outline({ editor, selected, onOpen }: OutlineProps) {
  const { isReadOnly, select } = editor;
  const { steps } = editor.draft;
  const list = useRef<HTMLOListElement>(null);
  const [wantsFocus, setWantsFocus] = useState(false);
  const { add, move, remove, told } = useStepActions(editor, onOpen);
  const [dragged, setDragged] = useState<number | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: when another step was chosen by key, the focus follows
  useEffect(() => {
    if (!wantsFocus) return;
    list.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
    setWantsFocus(false);
  }, [wantsFocus, selected?.key, steps]);

  const onKey = (event: KeyboardEvent, index: number) => {
    const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (way !== 0 && event.altKey) move(index, index + way);
    else if (way !== 0) {
      const next = steps[index + way];
      if (next) select(next.stepId);
    } else if (event.key === "Home" || event.key === "End") select(steps.at(event.key === "Home" ? 0 : -1)?.stepId);
    else if (event.key === "Delete" || event.key === "Backspace") remove(index);
    else if (event.key === "Enter") onOpen();
    else return;
    event.preventDefault();
    if (event.key !== "Enter") setWantsFocus(true);
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
            {!isReadOnly && (
              <span className={css.gap}>
                <AddStep
                  trigger={<IconButton label={say.addAt(index + 1)} icon="plus" size="small" />}
                  onAdd={(type) => add(type, index)}
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
                <IconButton label={say.remove} icon="trash" size="small" onClick={() => remove(index)} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <AddStep
          trigger={
            <Button icon="plus" size="small">
              {say.add}
            </Button>
          }
          onAdd={(type) => add(type, steps.length)}
        />
      )}
      <p className={css.hidden} role="status">
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
    aria-label={`${number}. ${step.name}, ${stepNames[step.type]}${issues > 0 ? `, ${words.issueCount(issues)}` : ""}`}
    tabIndex={isSelected || number === 1 ? 0 : -1}
    onClick={onSelect}
    onKeyDown={onKey}
  >
    <span className={css.stepIcon}>
      <Icon name={stepIcons[step.type]} size={15} />
    </span>
    <span className={css.stepText}>
      <strong>{step.name}</strong>
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
      </span>
    )}
  </button>
);
