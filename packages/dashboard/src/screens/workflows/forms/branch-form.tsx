// The form of a branch: its arms in order, each with a name and a condition.
import { type Arm, armsOf, elseArm } from "@tidings/contract/arms";
import { useState } from "react";
import { ConditionBuilder } from "../../../fields/condition-builder.tsx";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../../words.ts";
import type { Values } from "../editor/model.ts";
import { type ArmChange, changeArms, type Fate, findNode, stepsIn, treeOf } from "../flow/tree.ts";
import css from "./forms.module.css";
import { errorAt, type OwnFormProps } from "./props.ts";
import { freeId, shifted } from "./rows.ts";
import { words } from "./words.ts";

const say = words.branch;
const maxArms = 10;

export function BranchForm(props: OwnFormProps) {
  const { editor, step, names, knowledge, payload } = props;
  const { draft, base, isReadOnly } = editor;
  const arms = armsOf(step);
  const saved = armsOf(base.draft.steps.find(({ key }) => key === step.key) ?? {});
  const node = findNode(treeOf(draft.steps), step.key);
  const countIn = (id: string) => stepsIn(node?.arms.find((arm) => arm.id === id)?.nodes ?? []).length;
  const [asked, setAsked] = useState<Arm | null>(null);

  const set = (next: readonly Arm[], field: string, change: Omit<ArmChange, "values"> = {}) => {
    const values = { ...step.controlValues, arms: next };
    editor.change(
      { ...draft, steps: changeArms(draft.steps, step.key, { values, ...change }) },
      `${step.key}.${field}`,
    );
  };
  /** The id follows the name until the branch is saved with it: then steps, conditions and statistics name it. */
  const rename = (index: number, name: string) => {
    const { id, ...arm } = arms[index]!;
    const others = arms.filter((_, at) => at !== index).map((one) => one.id);
    const isFixed = saved.some((one) => one.id === id);
    const to = isFixed ? id : freeId(name, [...others, elseArm], "arm");
    set(arms.with(index, { ...arm, id: to, name }), `arms.${index}.name`, { renamed: { from: id, to } });
  };
  const remove = (arm: Arm, fate: Fate) => {
    setAsked(null);
    set(
      arms.filter(({ id }) => id !== arm.id),
      "arms",
      { fate },
    );
  };
  const add = () => {
    const name = say.newName(arms.length + 1);
    const id = freeId(name, [...arms.map((arm) => arm.id), elseArm], "arm");
    set([...arms, { id, name, condition: {} }], "arms");
  };
  return (
    <div className={css.form}>
      <p className={css.lead}>{say.lead}</p>
      {errorAt(props, "arms") && (
        <p className={css.error} role="alert">
          {errorAt(props, "arms")}
        </p>
      )}
      <ol className={css.cards}>
        {arms.map((arm, index) => (
          <li key={saved.some(({ id }) => id === arm.id) ? arm.id : index} className={css.card}>
            <div className={css.cardHead}>
              <span className={css.place}>{say.place(index)}</span>
              {!isReadOnly && (
                <span className={css.tools}>
                  <IconButton
                    label={say.up(nameOf(arm))}
                    icon="arrowUp"
                    size="small"
                    disabled={index === 0}
                    onClick={() => set(shifted(arms, index, -1), "arms")}
                  />
                  <IconButton
                    label={say.down(nameOf(arm))}
                    icon="arrowDown"
                    size="small"
                    disabled={index === arms.length - 1}
                    onClick={() => set(shifted(arms, index, 1), "arms")}
                  />
                  <IconButton
                    label={say.remove(nameOf(arm))}
                    icon="trash"
                    size="small"
                    disabled={arms.length === 1}
                    onClick={() => (countIn(arm.id) > 0 ? setAsked(arm) : remove(arm, "removed"))}
                  />
                </span>
              )}
            </div>
            <TextField
              label={say.name}
              value={arm.name ?? arm.id}
              maxLength={128}
              readOnly={isReadOnly}
              hint={say.nameHint(step.stepId, arm.id)}
              error={errorAt(props, `arms.${index}.id`) ?? errorAt(props, `arms.${index}.name`)}
              onChange={({ target }) => rename(index, target.value)}
            />
            <ConditionBuilder
              rule={arm.condition as Values | undefined}
              none={say.none}
              meaning="met"
              isReadOnly={isReadOnly}
              variables={names.variables}
              knowledge={knowledge}
              match={{ payload, workflowId: editor.workflow._id || undefined }}
              error={errorAt(props, `arms.${index}.condition`)}
              onChange={(condition, field) =>
                set(arms.with(index, { ...arm, condition: condition ?? {} }), `arms.${index}.${field}`)
              }
            />
          </li>
        ))}
        <li className={css.card}>
          <div className={css.cardHead}>
            <strong>{say.else}</strong>
          </div>
          <p className={css.weak}>{say.elseText}</p>
        </li>
      </ol>
      {!isReadOnly && (
        <div>
          <Button size="small" icon="plus" disabled={arms.length >= maxArms} onClick={add}>
            {say.add}
          </Button>
        </div>
      )}
      <Dialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={say.removeTitle(asked ? nameOf(asked) : "")}
        description={say.removeText(asked ? countIn(asked.id) : 0)}
        actions={
          <>
            <Button onClick={() => setAsked(null)}>{kitWords.cancel}</Button>
            <Button onClick={() => asked && remove(asked, "kept")}>{say.toElse}</Button>
            <Button look="dangerPrimary" onClick={() => asked && remove(asked, "removed")}>
              {say.withSteps}
            </Button>
          </>
        }
      />
    </div>
  );
}

const nameOf = ({ id, name }: Arm): string => name || id;
