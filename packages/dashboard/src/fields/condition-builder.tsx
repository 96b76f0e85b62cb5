// A condition: lines of comparisons, or the rule as JSON.
import type { JsonObject } from "@tidings/contract";
import { useId, useState } from "react";
import { Button } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import { LineFields } from "./condition-lines.tsx";
import css from "./conditions.module.css";
import { type Condition, newCondition, newLine, readRule, writeRule } from "./conditions.ts";
import { JsonField } from "./json-field.tsx";
import { words } from "./words.ts";

const say = words.condition;

type ConditionBuilderProps = {
  /** JSON Logic; undefined where there is no condition. */
  rule: JsonObject | undefined;
  /** Shown where there is no condition. */
  none: string;
  isReadOnly: boolean;
  variables: readonly string[];
  error?: string;
  /** `field`: what was changed, for undo. */
  onChange: (rule: JsonObject | undefined, field: string) => void;
};

export function ConditionBuilder({ rule, none, isReadOnly, variables, error, onChange }: ConditionBuilderProps) {
  const hasRule = rule !== undefined && Object.keys(rule).length > 0;
  const condition = hasRule ? readRule(rule) : null;
  const [isRaw, setRaw] = useState(false);
  const set = (next: Condition, field = "rule") =>
    next.lines.length === 0 ? onChange(undefined, "rule") : onChange(writeRule(next), field);
  return (
    <div className={css.condition}>
      {!hasRule && <p className={css.weak}>{none}</p>}
      {condition && !isRaw && (
        <Lines condition={condition} isReadOnly={isReadOnly} variables={variables} onChange={set} />
      )}
      {hasRule && (!condition || isRaw) && (
        <JsonField
          label={say.rawLabel}
          hint={condition ? undefined : say.rawNote}
          value={rule}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange(value, "rule.raw")}
        />
      )}
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      {!isReadOnly && (
        <div className={css.conditionActions}>
          {!hasRule && (
            <Button size="small" icon="plus" onClick={() => set(newCondition())}>
              {say.add}
            </Button>
          )}
          {condition && !isRaw && (
            <Button
              size="small"
              icon="plus"
              onClick={() => set({ ...condition, lines: [...condition.lines, newLine()] })}
            >
              {say.addRow}
            </Button>
          )}
          {condition && (
            <Button size="small" look="plain" icon="code" onClick={() => setRaw(!isRaw)}>
              {isRaw ? say.built : say.raw}
            </Button>
          )}
          {hasRule && (
            <Button size="small" look="plain" onClick={() => onChange(undefined, "rule")}>
              {say.remove}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

type LinesProps = {
  condition: Condition;
  isReadOnly: boolean;
  variables: readonly string[];
  onChange: (condition: Condition, field?: string) => void;
};

function Lines({ condition, isReadOnly, variables, onChange }: LinesProps) {
  const list = useId();
  return (
    <>
      <div className={css.modes}>
        <Select
          name={say.mode}
          value={condition.mode}
          choices={choicesOf(say.modes)}
          disabled={isReadOnly}
          onChange={(mode) => onChange({ ...condition, mode })}
        />
        {condition.lines.length > 1 && (
          <Select
            name={say.join}
            value={condition.join}
            choices={choicesOf(say.joins)}
            disabled={isReadOnly}
            onChange={(join) => onChange({ ...condition, join })}
          />
        )}
      </div>
      <ul className={css.lines}>
        {condition.lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <li key={index}>
            <LineFields
              line={line}
              list={list}
              isReadOnly={isReadOnly}
              onChange={(next, part) =>
                onChange({ ...condition, lines: condition.lines.with(index, next) }, `rule.${index}.${part}`)
              }
              onRemove={() => onChange({ ...condition, lines: condition.lines.toSpliced(index, 1) })}
            />
          </li>
        ))}
      </ul>
      <datalist id={list}>
        {variables.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
