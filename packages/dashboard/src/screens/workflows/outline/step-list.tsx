// The rows of the outline: steps, and below a branch its arms with their steps.
import type { DragEvent, KeyboardEvent } from "react";
import { Icon } from "../../../icons.tsx";
import { classNames } from "../../../kit/class-names.ts";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import css from "../editor/editor.module.css";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { words } from "../editor/words.ts";
import { type ArmNode, hasRoom, type Place, type StepNode } from "../flow/tree.ts";
import { isConditional, summarizeStep } from "../step/summary.ts";
import { AddStep } from "./add-step.tsx";
import { ArmSentence } from "./arm-sentence.tsx";
import own from "./outline.module.css";
import type { StepActions } from "./use-step-actions.ts";

const say = words.outline;

export type Drag = {
  dragged: DraftStep | null;
  /** The id of the target that the pointer is over. */
  over: string;
  start: (step: DraftStep) => void;
  end: () => void;
  target: (
    id: string,
    place: Place,
  ) => { "data-over": boolean; onDragOver: (event: DragEvent) => void; onDrop: (event: DragEvent) => void };
};

type Shared = {
  editor: Editor;
  selectedKey: string | undefined;
  isFull: boolean;
  actions: StepActions;
  drag: Drag;
  onKey: (event: KeyboardEvent, step: DraftStep) => void;
  onSave: (step: DraftStep) => void;
};

type StepListProps = Shared & { nodes: readonly StepNode[]; arm: string | undefined };

export function StepList({ nodes, arm, ...shared }: StepListProps) {
  const { editor, selectedKey, isFull, actions, drag, onKey, onSave } = shared;
  const { isReadOnly, select } = editor;
  const { steps } = editor.draft;
  return (
    <ol>
      {nodes.map(({ step, arms }, index) => {
        const number = steps.findIndex(({ key }) => key === step.key) + 1;
        const here: Place = { arm, before: step.key };
        // Below a branch is its first arm; below another step, the place behind it.
        const below: Place = arms[0]
          ? { arm: arms[0].path, before: arms[0].nodes[0]?.step.key }
          : { arm, before: nodes[index + 1]?.step.key };
        const isSelected = step.key === selectedKey;
        return (
          <li key={step.key} className={classNames(css.place, drag.dragged?.key === step.key && css.dragged)}>
            {!isReadOnly && !isFull && (
              <span className={css.gap}>
                <AddStep
                  trigger={<IconButton label={say.addAt(number)} icon="plus" size="small" />}
                  onAdd={(type) => actions.add(type, here)}
                  onPaste={(copied) => actions.paste(copied, here)}
                />
              </span>
            )}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, Alt with an arrow key moves the step */}
            <div
              className={own.row}
              draggable={!isReadOnly}
              onDragStart={(event) => {
                event.stopPropagation();
                event.dataTransfer.effectAllowed = "move";
                drag.start(step);
              }}
              onDragEnd={drag.end}
            >
              <StepRow
                step={step}
                number={number}
                isSelected={isSelected}
                issues={editor.issues.countOf(step.key)}
                onSelect={() => select(step.stepId)}
                onKey={(event) => onKey(event, step)}
              />
              {drag.dragged && drag.dragged.key !== step.key && (
                <>
                  <span className={own.upper} {...drag.target(`${step.key} before`, here)} />
                  <span className={own.lower} {...drag.target(`${step.key} after`, below)} />
                </>
              )}
            </div>
            {!isReadOnly && isSelected && (
              <span className={css.rowActions}>
                <IconButton
                  label={say.up}
                  icon="arrowUp"
                  size="small"
                  disabled={!actions.canShift(step, -1)}
                  onClick={() => actions.shift(step, -1)}
                />
                <IconButton
                  label={say.down}
                  icon="arrowDown"
                  size="small"
                  disabled={!actions.canShift(step, 1)}
                  onClick={() => actions.shift(step, 1)}
                />
                <IconButton
                  label={say.duplicate}
                  icon="copyPlus"
                  size="small"
                  disabled={isFull}
                  onClick={() => actions.duplicate(step)}
                />
                <IconButton label={say.copy} icon="copy" size="small" onClick={() => actions.copy(step)} />
                <IconButton label={say.saveTemplate} icon="layers" size="small" onClick={() => onSave(step)} />
                <IconButton label={say.remove} icon="trash" size="small" onClick={() => actions.remove(step)} />
              </span>
            )}
            {arms.length > 0 && (
              <ul className={own.arms} aria-label={say.armsOf(step.name)}>
                {arms.map((one) => (
                  <ArmItem key={one.id} arm={one} branch={step} {...shared} />
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function ArmItem({ arm, branch, ...shared }: Shared & { arm: ArmNode; branch: DraftStep }) {
  const { editor, isFull, actions, drag } = shared;
  const { steps } = editor.draft;
  const start: Place = { arm: arm.path, before: arm.nodes[0]?.step.key };
  const end: Place = { arm: arm.path, before: undefined };
  const canAdd = !editor.isReadOnly && hasRoom(steps, end);
  return (
    <li className={own.arm}>
      <div className={own.armHead} {...drag.target(`${arm.path} start`, start)}>
        <ArmSentence arm={arm} branch={branch} />
      </div>
      <StepList nodes={arm.nodes} arm={arm.path} {...shared} />
      {canAdd && (
        <div className={own.armAdder} {...drag.target(`${arm.path} end`, end)}>
          <AddStep
            trigger={
              <Button
                icon="plus"
                size="small"
                look="plain"
                disabled={isFull}
                aria-label={say.addTo(arm.name, branch.name)}
              >
                {say.add}
              </Button>
            }
            onAdd={(type) => actions.add(type, end)}
            onPaste={(copied) => actions.paste(copied, end)}
          />
        </div>
      )}
    </li>
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
