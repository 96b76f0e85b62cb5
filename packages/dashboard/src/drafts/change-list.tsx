// What differs between two states of a workflow: settings, then steps, each with both values.
import type { ChangedField } from "@tidings/contract";
import { Icon } from "../icons.tsx";
import { Badge } from "../kit/feedback/verdict.tsx";
import type { Tone } from "../kit/tone.ts";
import { stepIcons } from "../outcomes/tones.ts";
import css from "./change-list.module.css";
import { countDifferences, type Differences } from "./differences.ts";
import { lineDiff } from "./line-diff.ts";
import { words as allWords } from "./words.ts";

const words = allWords.changes;

const tones: Record<Differences["steps"][number]["kind"], Tone> = {
  added: "good",
  removed: "bad",
  moved: "info",
  changed: "accent",
};

export function ChangeList({ differences }: { differences: Differences }) {
  const { settings, steps } = differences;
  if (countDifferences(differences) === 0) return <p className={css.weak}>{words.same}</p>;
  return (
    <ul className={css.list}>
      {settings.map((field) => (
        <li key={field.field} className={css.item}>
          <FieldChange field={field} />
        </li>
      ))}
      {steps.map(({ kind, stepId, name, type, fromIndex, toIndex, hasMoved, fields }) => (
        <li key={`${kind} ${stepId}`} className={css.item}>
          <p className={css.head}>
            <Icon name={stepIcons[type]} size={14} />
            <strong>{name}</strong>
            <Badge tone={tones[kind]}>{words.kinds[kind]}</Badge>
            {hasMoved && fromIndex !== undefined && toIndex !== undefined && (
              <span className={css.weak}>{words.moved(fromIndex + 1, toIndex + 1)}</span>
            )}
          </p>
          {kind !== "removed" && fields.map((field) => <FieldChange key={field.field} field={field} />)}
        </li>
      ))}
    </ul>
  );
}

const textOf = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value, null, 2);

export function FieldChange({ field: { field, before, after } }: { field: ChangedField }) {
  const lines = lineDiff(textOf(before), textOf(after));
  return (
    <div className={css.field}>
      <span className={css.name}>{field.replace(/^controlValues\./, "")}</span>
      <pre className={css.lines}>
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a finished comparison keep their places
          <span key={index} className={css[kind]}>
            <span aria-hidden="true">{words.signs[kind]}</span>
            {kind !== "same" && <span className="visually-hidden">{words.lineKinds[kind]} </span>}
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}
