// Who is notified by a rule, in addition to the dashboard.
import type { AlertTargetIn, AlertTargetType } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import css from "./alerts.module.css";
import { words } from "./words.ts";

const text = words.rules;

type TargetsFieldProps = {
  targets: AlertTargetIn[];
  errors: Record<string, string | undefined>;
  onChange: (targets: AlertTargetIn[]) => void;
};

export const TargetsField = ({ targets, errors, onChange }: TargetsFieldProps) => (
  <fieldset className={css.group}>
    <legend>{text.whom}</legend>
    <Stack isSmall>
      <p className={css.muted}>{text.whomText}</p>
      {targets.map((target, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a target is known by its place
        <div key={index} className={css.target}>
          <TargetFields
            target={target}
            error={(name) => errors[`targets.${index}.${name}`] ?? errors[`targets.${index}`]}
            onChange={(next) => onChange(targets.with(index, next))}
          />
          <IconButton
            icon="trash"
            label={text.removeTarget(words.targets[target.type])}
            onClick={() => onChange(targets.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon="plus" onClick={() => onChange([...targets, { type: "email", to: [] }])}>
          {text.addTarget}
        </Button>
      </div>
    </Stack>
  </fieldset>
);

type TargetFieldsProps = {
  target: AlertTargetIn;
  error: (name: string) => string | undefined;
  onChange: (target: AlertTargetIn) => void;
};

function TargetFields({ target, error, onChange }: TargetFieldsProps) {
  const { type, to = [], integrationIdentifier, url = "" } = target;
  return (
    <div className={css.targetFields}>
      <Field label={text.targetType}>
        {({ id }) => (
          <Select
            id={id}
            isWide
            name={text.targetType}
            value={type}
            choices={choicesOf(words.targets)}
            onChange={(next: AlertTargetType) => onChange({ ...target, type: next })}
          />
        )}
      </Field>
      {type === "email" && (
        <>
          <TextField
            label={text.addresses}
            hint={text.toHint}
            defaultValue={to.join(", ")}
            error={error("to") ?? error("to.0")}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target: input }) =>
              onChange({ ...target, to: input.value.split(/[,;\s]+/).filter((one) => one !== "") })
            }
          />
          <IntegrationField
            value={integrationIdentifier ?? ""}
            onChange={(next) => onChange({ ...target, integrationIdentifier: next || undefined })}
          />
        </>
      )}
      {(type === "webhook" || type === "slack") && (
        <TextField
          label={type === "slack" ? text.slackUrl : text.webhookUrl}
          hint={type === "slack" ? text.slackHint : text.webhookHint}
          value={url}
          error={error("url")}
          type="url"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target: input }) => onChange({ ...target, url: input.value })}
        />
      )}
    </div>
  );
}

/** Empty: any email integration that works. */
function IntegrationField({ value, onChange }: { value: string; onChange: (identifier: string) => void }) {
  const { data = [] } = useOperation("integrations.list", {}, { staleTime: 60_000 });
  const choices = data
    .filter(({ channel, active }) => channel === "email" && active)
    .map(({ identifier, name }) => ({ value: identifier, label: name }));
  return (
    <Field label={text.through} hint={text.throughHint}>
      {({ id }) => (
        <Select
          id={id}
          isWide
          name={text.through}
          value={value}
          choices={[{ value: "", label: text.anyIntegration }, ...choices]}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
