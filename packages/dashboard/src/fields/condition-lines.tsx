// One comparison of a condition: a value, an operator and what it is compared with.
import { IconButton } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import css from "./conditions.module.css";
import { type Line, type Operator, takesValue } from "./conditions.ts";
import inputs from "./fields.module.css";
import { words } from "./words.ts";

const say = words.condition;

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
            className={inputs.input}
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
              className={inputs.input}
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
