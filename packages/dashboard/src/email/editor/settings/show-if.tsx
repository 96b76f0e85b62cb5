// Whether a block is shown: a condition on the data of the email.
import type { JsonObject } from "@tidings/contract";
import { ConditionBuilder } from "../../../fields/condition-builder.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { isMembers, type JsonMembers } from "../../document/json.ts";
import css from "../../email.module.css";
import { words } from "../../words.ts";

const say = words.fields;

type ShowIfProps = {
  values: JsonMembers;
  isReadOnly: boolean;
  variables: readonly string[];
  /** Sample values by root, for the types of variables and for completion. */
  sample: Readonly<Record<string, unknown>>;
  onChange: (changed: JsonMembers) => void;
};

export function ShowIf({ values, isReadOnly, variables, sample, onChange }: ShowIfProps) {
  const { showIf, showIfKey } = values;
  return (
    <section className={css.condition} aria-label={say.showIf}>
      <h4>{say.showIf}</h4>
      {typeof showIfKey === "string" && (
        <TextField
          label={say.showIfKey}
          value={showIfKey}
          readOnly={isReadOnly}
          spellCheck={false}
          onChange={({ target }) => onChange({ showIfKey: target.value === "" ? undefined : target.value })}
        />
      )}
      <ConditionBuilder
        rule={isMembers(showIf) ? (showIf as JsonObject) : undefined}
        meaning="met"
        none={typeof showIfKey === "string" ? say.showIfMore : say.showIfNone}
        isReadOnly={isReadOnly}
        variables={variables}
        knowledge={{ schema: undefined, sample }}
        onChange={(showIf) => onChange({ showIf })}
      />
    </section>
  );
}
