// Whether a block is shown: a condition on the data of the email.
import type { JsonObject } from "@tidings/contract";
import { ConditionBuilder } from "../../../fields/condition-builder.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { isMembers, type JsonMembers } from "../../document/json.ts";
import css from "../../email.module.css";
import { words } from "../../words.ts";
import { hideRule, showRule } from "./show-rule.ts";

const say = words.fields;

type ShowIfProps = {
  values: JsonMembers;
  isReadOnly: boolean;
  variables: readonly string[];
  onChange: (changed: JsonMembers) => void;
};

export function ShowIf({ values, isReadOnly, variables, onChange }: ShowIfProps) {
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
        rule={isMembers(showIf) ? hideRule(showIf as JsonObject) : undefined}
        none={typeof showIfKey === "string" ? say.showIfMore : say.showIfNone}
        isReadOnly={isReadOnly}
        variables={variables}
        onChange={(rule) => onChange({ showIf: rule === undefined ? undefined : showRule(rule) })}
      />
    </section>
  );
}
