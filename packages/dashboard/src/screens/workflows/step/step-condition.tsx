// When a step runs.
import { ConditionBuilder } from "../../../fields/condition-builder.tsx";
import type { Knowledge } from "../../../fields/condition-types.ts";
import { Json } from "../../../kit/data/code.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { stepKinds } from "../../../steps/facts.gen.ts";
import type { DraftStep, Values } from "../editor/model.ts";
import css from "./step.module.css";
import { words } from "./words.ts";

const say = words.condition;

type StepConditionProps = {
  step: DraftStep;
  isReadOnly: boolean;
  variables: readonly string[];
  knowledge: Knowledge;
  match: { payload: Values | null; workflowId?: string };
  error?: string;
  onChange: (changed: Partial<DraftStep>, field: string) => void;
};

export function StepCondition(props: StepConditionProps) {
  const { step, isReadOnly, variables, knowledge, match, error, onChange } = props;
  const setRule = (rule: Values | undefined, field: string) => {
    const { skip: _skip, ...others } = step.controlValues;
    onChange({ controlValues: rule === undefined ? others : { ...others, skip: rule } }, `skip.${field}`);
  };
  return (
    <>
      <ConditionBuilder
        rule={step.controlValues.skip as Values | undefined}
        none={stepKinds[step.type] === "channel" ? say.none : say.noneWait}
        isReadOnly={isReadOnly}
        variables={variables}
        knowledge={knowledge}
        match={match}
        error={error}
        onChange={setRule}
      />
      {step.filters && <Classic step={step} isReadOnly={isReadOnly} onChange={onChange} />}
    </>
  );
}

function Classic({ step, isReadOnly, onChange }: Pick<StepConditionProps, "step" | "isReadOnly" | "onChange">) {
  return (
    <details className={css.more}>
      <summary>{say.classic(step.filters?.length ?? 0)}</summary>
      <Json value={step.filters} label={say.title} />
      {!isReadOnly && (
        <Button size="small" look="danger" onClick={() => onChange({ filters: undefined }, "filters")}>
          {say.classicRemove}
        </Button>
      )}
    </details>
  );
}
