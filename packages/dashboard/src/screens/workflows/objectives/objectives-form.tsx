// Which objectives a workflow has. They are part of the draft, and saved with it.
import type { Objectives } from "@tidings/contract";
import { useState } from "react";
import { Checkbox, Field, TextField } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import type { Editor } from "../editor/use-editor.ts";
import css from "./objectives.module.css";
import { isPercent, readPercent } from "./percent.ts";
import { words } from "./words.ts";

type Seconds = NonNullable<Objectives["handedOver"]>["withinSeconds"];
const seconds = Object.entries(words.seconds).map(([value, label]) => ({ value, label }));

export function ObjectivesForm({ editor }: { editor: Editor }) {
  const { draft, change, isReadOnly, issues } = editor;
  // A draft that an older dashboard left in the browser has none.
  const { handedOver, delivered } = draft.objectives ?? {};
  const set = (changed: { [K in keyof Objectives]: Objectives[K] | undefined }) => {
    const next = { handedOver, delivered, ...changed };
    const objectives = {
      ...(next.handedOver && { handedOver: next.handedOver }),
      ...(next.delivered && { delivered: next.delivered }),
    };
    change({ ...draft, objectives }, "objectives");
  };
  return (
    <Card title={words.form}>
      <div className={css.fields}>
        <p className={css.weak}>{words.formText}</p>
        <Checkbox
          label={words.names.handedOver}
          checked={handedOver !== undefined}
          disabled={isReadOnly}
          onChange={({ target }) =>
            set({ handedOver: target.checked ? { percent: 99, withinSeconds: 10 } : undefined })
          }
        />
        {handedOver && (
          <div className={css.pair}>
            <PercentField
              label={words.percent.handedOver}
              hint={words.handedOverHint}
              value={handedOver.percent}
              isReadOnly={isReadOnly}
              error={issues.of("", "objectives.handedOver.percent")}
              onChange={(percent) => set({ handedOver: { ...handedOver, percent } })}
            />
            <Field label={words.within}>
              {({ id }) => (
                <Select
                  id={id}
                  name={words.within}
                  isWide
                  value={String(handedOver.withinSeconds)}
                  choices={seconds}
                  disabled={isReadOnly}
                  onChange={(value) => set({ handedOver: { ...handedOver, withinSeconds: Number(value) as Seconds } })}
                />
              )}
            </Field>
          </div>
        )}
        <Checkbox
          label={words.names.delivered}
          checked={delivered !== undefined}
          disabled={isReadOnly}
          onChange={({ target }) => set({ delivered: target.checked ? { percent: 98 } : undefined })}
        />
        {delivered && (
          <div className={css.pair}>
            <PercentField
              label={words.percent.delivered}
              hint={words.deliveredHint}
              value={delivered.percent}
              isReadOnly={isReadOnly}
              error={issues.of("", "objectives.delivered.percent")}
              onChange={(percent) => set({ delivered: { percent } })}
            />
          </div>
        )}
      </div>
    </Card>
  );
}

type PercentFieldProps = {
  label: string;
  hint: string;
  value: number;
  isReadOnly: boolean;
  error?: string;
  onChange: (percent: number) => void;
};

/** The text is kept as typed. */
function PercentField({ label, hint, value, isReadOnly, error, onChange }: PercentFieldProps) {
  const [text, setText] = useState(String(value));
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      value={readPercent(text) === value ? text : String(value)}
      readOnly={isReadOnly}
      error={isPercent(value) ? error : words.percentFault}
      onChange={({ target }) => {
        setText(target.value);
        onChange(readPercent(target.value));
      }}
    />
  );
}
