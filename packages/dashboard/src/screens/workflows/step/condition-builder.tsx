// When a step runs: lines of comparisons, or the rule as JSON.
import { useId, useState } from "react";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Json } from "../../../kit/code.tsx";
import { Select } from "../../../kit/select.tsx";
import type { DraftStep, Values } from "../editor/model.ts";
import {
  type Condition,
  type Line,
  newCondition,
  newLine,
  type Operator,
  readRule,
  takesValue,
  writeRule,
} from "./conditions.ts";
import css from "./step.module.css";
import { JsonField } from "./value-field.tsx";
import { words } from "./words.ts";

const say = words.condition;
export const choicesOf = <T extends string>(names: Readonly<Record<T, string>>) =>
  (Object.entries(names) as [T, string][]).map(([value, label]) => ({ value, label }));

type ConditionBuilderProps = {
  step: DraftStep;
  isReadOnly: boolean;
  variables: readonly string[];
  error?: string;
  onChange: (changed: Partial<DraftStep>, field: string) => void;
};

export function ConditionBuilder({ step, isReadOnly, variables, error, onChange }: ConditionBuilderProps) {
  const rule = step.controlValues.skip as Values | undefined;
  const hasRule = rule !== undefined && Object.keys(rule).length > 0;
  const condition = hasRule ? readRule(rule) : null;
  const [isRaw, setRaw] = useState(false);
  const list = useId();
  const setRule = (next: Values | undefined, field = "skip") => {
    const { skip: _skip, ...others } = step.controlValues;
    onChange({ controlValues: next === undefined ? others : { ...others, skip: next } }, field);
  };
  const set = (next: Condition, field?: string) =>
    next.lines.length === 0 ? setRule(undefined) : setRule(writeRule(next), field);
  return (
    <div className={css.condition}>
      {!hasRule && <p className={css.weak}>{step.type in waits ? say.noneWait : say.none}</p>}
      {hasRule && condition && !isRaw && (
        <>
          <div className={css.modes}>
            <Select
              name={say.mode}
              value={condition.mode}
              choices={choicesOf(say.modes)}
              disabled={isReadOnly}
              onChange={(mode) => set({ ...condition, mode })}
            />
            {condition.lines.length > 1 && (
              <Select
                name={say.join}
                value={condition.join}
                choices={choicesOf(say.joins)}
                disabled={isReadOnly}
                onChange={(join) => set({ ...condition, join })}
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
                    set({ ...condition, lines: condition.lines.with(index, next) }, `skip.${index}.${part}`)
                  }
                  onRemove={() => set({ ...condition, lines: condition.lines.toSpliced(index, 1) })}
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
      )}
      {hasRule && (!condition || isRaw) && (
        <JsonField
          label={say.rawLabel}
          hint={condition ? undefined : say.rawNote}
          value={rule}
          isReadOnly={isReadOnly}
          onChange={(value) => setRule(value, "skip.raw")}
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
            <Button size="small" look="plain" onClick={() => setRule(undefined)}>
              {say.remove}
            </Button>
          )}
        </div>
      )}
      {step.filters && <Classic step={step} isReadOnly={isReadOnly} onChange={onChange} />}
    </div>
  );
}

const waits = { delay: true, digest: true, throttle: true, custom: true };

type LineFieldsProps = {
  line: Line;
  list: string;
  isReadOnly: boolean;
  onChange: (line: Line, part: string) => void;
  onRemove: () => void;
};

export function LineFields({ line, list, isReadOnly, onChange, onRemove }: LineFieldsProps) {
  return (
    <div className={css.lineBox}>
      <div className={css.line}>
        <span className={css.left}>
          <input
            className={css.input}
            aria-label={say.left}
            list={list}
            value={line.left}
            title={line.left}
            readOnly={isReadOnly}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => onChange({ ...line, left: target.value }, "left")}
          />
        </span>
        <span className={css.operator}>
          <Select
            name={say.operator}
            isWide
            value={line.operator}
            choices={choicesOf<Operator>(say.operators)}
            disabled={isReadOnly}
            onChange={(operator) => onChange({ ...line, operator }, "operator")}
          />
        </span>
        {takesValue(line.operator) && (
          <span className={css.right}>
            <input
              className={css.input}
              aria-label={say.right}
              title={line.right === "" ? say.rightHint : line.right}
              value={line.right}
              readOnly={isReadOnly}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => onChange({ ...line, right: target.value }, "right")}
            />
          </span>
        )}
        {!isReadOnly && (
          <span className={css.removeLine}>
            <IconButton label={say.removeRow} icon="x" size="small" onClick={onRemove} />
          </span>
        )}
      </div>
    </div>
  );
}

function Classic({ step, isReadOnly, onChange }: Pick<ConditionBuilderProps, "step" | "isReadOnly" | "onChange">) {
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
