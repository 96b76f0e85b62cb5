// A condition: the sentence it means, lines and groups of comparisons, or the rule as JSON.
import type { JsonObject } from "@tidings/contract";
import { conditionText, skipText } from "@tidings/contract/conditions";
import { useRef, useState } from "react";
import { Button } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import { GroupFields } from "./condition-group.tsx";
import { ConditionMatch } from "./condition-match.tsx";
import type { Knowledge } from "./condition-types.ts";
import css from "./conditions.module.css";
import { type Condition, newCondition, readRule, writeRule } from "./conditions.ts";
import { focusLine } from "./focus-line.ts";
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
  /**
   * What a true rule means. `skip`, the default: a step is skipped. `met`: what is asked for happens, as in a topic's
   * rule or a block that is shown. `member`: a person is in the audience.
   */
  meaning?: Meaning;
  /** Types and sample values of the variables. */
  knowledge?: Knowledge;
  /** Counts who would match, with this payload. */
  match?: { payload: JsonObject | null; workflowId?: string };
  /** What a new line begins with; `payload.` by default. */
  start?: string;
};

type Meaning = "skip" | "met" | "member";

export function ConditionBuilder(props: ConditionBuilderProps) {
  const { rule, none, isReadOnly, variables, error, onChange, meaning = "skip", knowledge = {}, match, start } = props;
  const hasRule = rule !== undefined && Object.keys(rule).length > 0;
  const condition = hasRule ? readable(rule, meaning) : null;
  const [isRaw, setRaw] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const add = () => {
    set(newCondition(meaning === "skip" ? "run" : "skip", start));
    requestAnimationFrame(() => focusLine(box.current, "li"));
  };
  const set = (next: Condition, field = "rule") =>
    next.lines.length === 0 ? onChange(undefined, "rule") : onChange(writeRule(next), field);
  return (
    <div ref={box} className={css.condition}>
      {!hasRule && <p className={css.weak}>{none}</p>}
      {hasRule && <p className={css.sentence}>{sentenceOf(rule, meaning)}</p>}
      {condition && !isRaw && (
        <>
          {meaning === "skip" && (
            <div className={css.modes}>
              <Select
                name={say.mode}
                value={condition.mode}
                choices={choicesOf(say.modes)}
                disabled={isReadOnly}
                onChange={(mode) => set({ ...condition, mode })}
              />
            </div>
          )}
          <GroupFields
            group={condition}
            variables={variables}
            knowledge={knowledge}
            start={start}
            isReadOnly={isReadOnly}
            onChange={(group, field) => set({ ...condition, ...group }, field)}
          />
        </>
      )}
      {hasRule && (!condition || isRaw) && (
        <JsonField
          label={say.rawLabel}
          hint={condition ? undefined : say.rawNotes[meaning]}
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
            <Button size="small" icon="plus" onClick={add}>
              {say.add}
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
      {hasRule && match && <ConditionMatch rule={rule} meaning={meaning === "skip" ? "skip" : "met"} {...match} />}
    </div>
  );
}

/** Lines have no word for "not" where a true rule means yes. */
function readable(rule: JsonObject, meaning: Meaning): Condition | null {
  const condition = readRule(rule);
  return meaning !== "skip" && condition?.mode === "run" ? null : condition;
}

function sentenceOf(rule: JsonObject, meaning: Meaning): string {
  if (meaning === "skip") return say.stepSentence(skipText(rule));
  return (meaning === "met" ? say.metSentence : say.memberSentence)(conditionText(rule));
}
