// A group of a condition: all or any of its lines, and groups inside it.
import { useId, useRef } from "react";
import { Button, IconButton } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import { LineFields } from "./condition-lines.tsx";
import { type Knowledge, sampleText } from "./condition-types.ts";
import css from "./conditions.module.css";
import { type Group, isGroup, maxLevels, newGroup, newLine, type Part } from "./conditions.ts";
import { focusLine } from "./focus-line.ts";
import { words } from "./words.ts";

const say = words.condition;

export type GroupFieldsProps = {
  group: Group;
  /** From 1. */
  level?: number;
  /** Where the group is, for undo: `rule`, `rule.2`. */
  place?: string;
  variables: readonly string[];
  knowledge: Knowledge;
  /** What a new line begins with. */
  start?: string;
  isReadOnly: boolean;
  /** An empty group is one that was removed. */
  onChange: (group: Group, field: string) => void;
};

export function GroupFields(props: GroupFieldsProps) {
  const { group, level = 1, place = "rule", variables, knowledge, start, isReadOnly, onChange } = props;
  const list = useId();
  const box = useRef<HTMLUListElement>(null);
  /** The last line is drawn with the next paint. */
  const add = (part: Part) => {
    setLines([...group.lines, part]);
    requestAnimationFrame(() => focusLine(box.current, ":scope > li:last-child"));
  };
  const setLines = (lines: Part[], field = place) => onChange({ ...group, lines }, field);
  const replace = (index: number, part: Part, field: string) =>
    setLines(
      isGroup(part) && part.lines.length === 0 ? group.lines.toSpliced(index, 1) : group.lines.with(index, part),
      field,
    );
  return (
    <>
      {(group.lines.length > 1 || level > 1) && (
        <div className={css.modes}>
          <Select
            name={say.join}
            value={group.join}
            choices={choicesOf(say.joins)}
            disabled={isReadOnly}
            onChange={(join) => onChange({ ...group, join }, place)}
          />
          {level > 1 && !isReadOnly && (
            <IconButton label={say.removeGroup} icon="x" size="small" onClick={() => setLines([])} />
          )}
        </div>
      )}
      <ul ref={box} className={css.lines} aria-label={level === 1 ? say.name : undefined}>
        {group.lines.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <li key={index}>
            {isGroup(part) ? (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
              <div className={css.group} role="group" aria-label={say.group(index + 1)}>
                <GroupFields
                  {...props}
                  group={part}
                  level={level + 1}
                  place={`${place}.${index}`}
                  onChange={(next, field) => replace(index, next, field)}
                />
              </div>
            ) : (
              <LineFields
                line={part}
                list={list}
                knowledge={knowledge}
                start={start}
                isReadOnly={isReadOnly}
                onChange={(next, field) => replace(index, next, `${place}.${index}.${field}`)}
                onRemove={() => setLines(group.lines.toSpliced(index, 1))}
              />
            )}
          </li>
        ))}
      </ul>
      <datalist id={list}>
        {variables.map((name) => (
          <option key={name} value={name} label={sampleText(name, knowledge.sample)} />
        ))}
      </datalist>
      {!isReadOnly && (
        <div className={css.conditionActions}>
          <Button size="small" icon="plus" onClick={() => add(newLine(start))}>
            {level === 1 ? say.addRow : say.addRowToGroup}
          </Button>
          {level < maxLevels && (
            <Button size="small" look="plain" icon="layers" onClick={() => add(newGroup(start))}>
              {say.addGroup}
            </Button>
          )}
        </div>
      )}
    </>
  );
}
