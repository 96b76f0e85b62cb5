// One comparison of a condition: a variable, an operator, and the value or variable it is compared with.
import { dateComparisons, operatorWords } from "@tidings/contract/conditions";
import { IconButton } from "../kit/inputs/button.tsx";
import { Select } from "../kit/inputs/select.tsx";
import {
  choicesAt,
  isDateText,
  isTextList,
  type Knowledge,
  operatorsFor,
  sampleText,
  typeAt,
  withVariable,
} from "./condition-types.ts";
import css from "./conditions.module.css";
import { type Line, type Operator, plainText, takesValue, writtenText } from "./conditions.ts";
import inputs from "./fields.module.css";
import { words } from "./words.ts";

const say = words.condition;

type LineFieldsProps = {
  line: Line;
  /** Id of the list of variables. */
  list: string;
  knowledge: Knowledge;
  start?: string;
  isReadOnly: boolean;
  onChange: (line: Line, part: string) => void;
  onRemove: () => void;
};

export function LineFields({ line, list, knowledge, start, isReadOnly, onChange, onRemove }: LineFieldsProps) {
  const type = typeAt(line.left, knowledge);
  const sample = sampleText(line.left, knowledge.sample);
  const hasValue = takesValue(line.operator);
  const setVariable = (left: string) => onChange(withVariable(line, left, typeAt(left, knowledge)), "left");
  return (
    <div className={css.lineBox}>
      <div className={css.line}>
        <span className={css.left}>
          <input
            className={inputs.input}
            aria-label={say.left}
            list={list}
            value={line.left}
            title={line.left}
            readOnly={isReadOnly}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setVariable(target.value)}
          />
        </span>
        <span className={css.operator}>
          <Select
            name={say.operator}
            isWide
            value={line.operator}
            choices={operatorsFor(type, line.operator).map((value) => ({
              value,
              label: wordOf(value, type === "date" || isDateText(line.right)),
            }))}
            disabled={isReadOnly}
            onChange={(operator) => onChange({ ...line, operator }, "operator")}
          />
        </span>
        {hasValue && (
          <span className={css.right}>
            <ValueInput
              line={line}
              list={list}
              knowledge={knowledge}
              start={start}
              isReadOnly={isReadOnly}
              onChange={onChange}
            />
          </span>
        )}
        {!isReadOnly && (
          <span className={css.lineTools}>
            {hasValue && (
              <IconButton
                label={say.toVariable}
                aria-pressed={line.isPath === true}
                icon="code"
                size="small"
                onClick={() => onChange(withSide(line), "right")}
              />
            )}
            <IconButton label={say.removeRow} icon="x" size="small" onClick={onRemove} />
          </span>
        )}
        {sample !== undefined && <p className={css.sample}>{say.sample(sample)}</p>}
      </div>
    </div>
  );
}

const wordOf = (operator: Operator, isDate: boolean): string =>
  (isDate && dateComparisons[operator]?.[0]) || operatorWords[operator];

/** The other kind of right side, empty. */
function withSide({ isPath, ...line }: Line): Line {
  return isPath ? { ...line, right: "" } : { ...line, right: "", isPath: true };
}

type ValueInputProps = Pick<LineFieldsProps, "line" | "list" | "knowledge" | "start" | "isReadOnly" | "onChange">;

/** A value that its type cannot show, such as a time in a field for days, is typed as text. */
function ValueInput({ line, list, knowledge, start, isReadOnly, onChange }: ValueInputProps) {
  const type = typeAt(line.left, knowledge);
  const choices = choicesAt(line.left, knowledge);
  const isText = !line.isPath && (type === "text" || isTextList(line.left, knowledge)) && line.operator !== "in";
  const isDay = !line.isPath && type === "date" && (line.right === "" || /^\d{4}-\d{2}-\d{2}$/.test(line.right));
  const shown = isText ? plainText(line.right) : line.right;
  const choiceList = `${list}-${line.left}`;
  const isChoice = isText && choices.length > 0;
  return (
    <>
      <input
        className={inputs.input}
        aria-label={line.isPath ? say.rightVariable : say.right}
        title={shown === "" ? say.rightHint : shown}
        placeholder={
          line.isPath ? (start ?? say.variablePlaceholder) : line.operator === "in" ? say.listPlaceholder : undefined
        }
        list={line.isPath ? list : isChoice ? choiceList : undefined}
        type={isDay ? "date" : "text"}
        inputMode={type === "number" && !line.isPath ? "decimal" : undefined}
        value={shown}
        readOnly={isReadOnly}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) =>
          onChange({ ...line, right: isText ? writtenText(target.value) : target.value }, "right")
        }
      />
      {isChoice && (
        <datalist id={choiceList}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
