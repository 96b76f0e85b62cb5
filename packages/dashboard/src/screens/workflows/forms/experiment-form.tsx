// The form of an experiment: variants with their shares, the people held out, and the signals that count as a success.

import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { maxSteps } from "../../../steps/facts.gen.ts";
import type { Values } from "../editor/model.ts";
import { changeStep, newStep } from "../editor/model.ts";
import { findUses } from "../flow/step-uses.ts";
import { insertSteps, placeOf } from "../flow/tree.ts";
import css from "./forms.module.css";
import { errorAt, type OwnFormProps } from "./props.ts";
import { freeId } from "./rows.ts";
import { TextList } from "./text-list.tsx";
import { heldOutVariant, shareOf, type Variant, variantsOf } from "./variants.ts";
import { words } from "./words.ts";

const say = words.experiment;
const maxVariants = 10;
const maxGoals = 5;

export function ExperimentForm(props: OwnFormProps) {
  const { editor, step } = props;
  const { draft, base, isReadOnly } = editor;
  const variants = variantsOf(step.controlValues);
  const saved = variantsOf(base.draft.steps.find(({ key }) => key === step.key)?.controlValues ?? {});
  const holdOut = Number(step.controlValues.holdOutPercent ?? 0);
  const goals = Array.isArray(step.controlValues.goals) ? step.controlValues.goals.map(String) : [];
  const change = (changed: Values, field: string) =>
    editor.change(
      changeStep(draft, step.key, { controlValues: { ...step.controlValues, ...changed } }),
      `${step.key}.${field}`,
    );
  const set = (next: readonly Variant[], field: string) => change({ variants: next }, field);
  const rename = (index: number, name: string) => {
    const { id, ...variant } = variants[index]!;
    const others = variants.filter((_, at) => at !== index).map((one) => one.id);
    const to = saved.some((one) => one.id === id) ? id : freeId(name, [...others, heldOutVariant], "variant");
    set(variants.with(index, { ...variant, id: to, name }), `variants.${index}.name`);
  };
  const add = () => {
    const name = say.newName(variants.length);
    const ids = variants.map(({ id }) => id);
    set([...variants, { id: freeId(name, ids, "variant"), name, weight: 1 }], "variants");
  };
  const isUsed = findUses(draft.steps, step.stepId).some(({ path }) => path === "arms");
  const createArms = () => {
    const branch = newStep("branch", draft.steps);
    const arms = variants.map(({ id, name }) => ({
      id,
      name: name || id,
      condition: { "==": [{ var: `steps.${step.stepId}.variant` }, id] },
    }));
    const next = insertSteps(draft.steps, placeOf(draft.steps, step.key)!, [{ ...branch, controlValues: { arms } }]);
    if (!next) return;
    editor.change({ ...draft, steps: next });
    editor.select(branch.stepId);
  };
  return (
    <div className={css.form}>
      <p className={css.lead}>{say.lead}</p>
      {errorAt(props, "variants") && (
        <p className={css.error} role="alert">
          {errorAt(props, "variants")}
        </p>
      )}
      <ol className={css.cards} aria-label={say.variants}>
        {variants.map((variant, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the id of a new variant follows its name
          <li key={index} className={css.rowCard}>
            <span className={css.grow}>
              <TextField
                label={say.name}
                value={variant.name ?? variant.id}
                maxLength={128}
                readOnly={isReadOnly}
                hint={say.nameHint(variant.id)}
                error={errorAt(props, `variants.${index}.id`)}
                onChange={({ target }) => rename(index, target.value)}
              />
            </span>
            <span className={css.number}>
              <TextField
                label={say.weight}
                type="number"
                min={0}
                max={1000}
                step={1}
                value={variant.weight ?? 1}
                readOnly={isReadOnly}
                hint={say.share(shareOf(variant, variants, holdOut))}
                error={errorAt(props, `variants.${index}.weight`)}
                onChange={({ target }) =>
                  Number.isInteger(target.valueAsNumber) &&
                  set(variants.with(index, { ...variant, weight: target.valueAsNumber }), `variants.${index}.weight`)
                }
              />
            </span>
            {!isReadOnly && (
              <IconButton
                label={say.remove(variant.name || variant.id)}
                icon="trash"
                size="small"
                disabled={variants.length <= 2}
                onClick={() => set(variants.toSpliced(index, 1), "variants")}
              />
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div className={css.buttons}>
          <Button size="small" icon="plus" disabled={variants.length >= maxVariants} onClick={add}>
            {say.add}
          </Button>
          {!isUsed && (
            <Button size="small" icon="branch" disabled={draft.steps.length >= maxSteps} onClick={createArms}>
              {say.createArms}
            </Button>
          )}
        </div>
      )}
      {!isUsed && <p className={css.weak}>{say.createHint}</p>}
      <TextField
        label={say.holdOut}
        type="number"
        min={0}
        max={99}
        step={1}
        value={step.controlValues.holdOutPercent === undefined ? "" : holdOut}
        readOnly={isReadOnly}
        hint={say.holdOutHint(holdOut)}
        error={errorAt(props, "holdOutPercent")}
        onChange={({ target }) => {
          const percent = Number.isInteger(target.valueAsNumber) ? target.valueAsNumber : undefined;
          change({ holdOutPercent: percent }, "holdOutPercent");
        }}
      />
      <TextList
        label={say.goals}
        hint={say.goalsHint}
        placeholder={say.goalPlaceholder}
        add={say.addGoal}
        removeName={say.removeGoal}
        values={goals}
        most={maxGoals}
        isReadOnly={isReadOnly}
        error={errorAt(props, "goals")}
        onChange={(next) => change({ goals: next.length === 0 ? undefined : next }, "goals")}
      />
      <TextField
        label={say.seed}
        value={String(step.controlValues.seed ?? "")}
        maxLength={128}
        readOnly={isReadOnly}
        hint={say.seedHint}
        error={errorAt(props, "seed")}
        onChange={({ target }) => change({ seed: target.value || undefined }, "seed")}
      />
    </div>
  );
}
