// A new rule, or an existing one. The kind of a rule cannot change.
import type { AlertKindName, AlertRule, Input } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Checkbox, Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { QuietFields } from "./quiet-fields.tsx";
import { fieldsOf, kindsInOrder, parameterSpecs, type RuleFields, startParameters, toBody } from "./rule-fields.ts";
import { staleAfterRule } from "./stale.ts";
import { TargetsField } from "./targets-field.tsx";
import { words } from "./words.ts";

const text = words.rules;

type RuleDialogProps = { rule: AlertRule | null; onClose: () => void };

export function RuleDialog({ rule, onClose }: RuleDialogProps) {
  const may = useMay();
  const [fields, setFields] = useState(() => fieldsOf(rule, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const create = useChange("alertRules.create", staleAfterRule);
  const update = useChange("alertRules.update", staleAfterRule);
  const error = create.error ?? update.error;
  const errors: Record<string, string | undefined> = error?.fields ?? {};
  const mayChange = may("alertRules.update");
  const change = (changed: Partial<RuleFields>) => {
    setFields({ ...fields, ...changed });
    create.reset();
    update.reset();
  };
  const done = () => {
    showToast({ title: kitWords.saved });
    onClose();
  };
  const submit = () => {
    const body = toBody(fields);
    if (rule) update.mutate({ params: { ruleId: rule._id }, body }, { onSuccess: done });
    else
      create.mutate(
        { body: { ...body, kind: fields.kind } as Input<"alertRules.create">["body"] },
        { onSuccess: done },
      );
  };
  const isShown = (field: string) => /^(name|parameters\.|targets\.|quiet\.|repeatAfterMinutes)/.test(field);
  return (
    <FormDialog
      onClose={onClose}
      title={rule ? rule.name : text.add}
      description={text.kindNotes[fields.kind]}
      submit={mayChange && (rule ? kitWords.save : text.create)}
      isDisabled={create.isPending || update.isPending || fields.name.trim() === ""}
      error={!Object.keys(errors).some(isShown) && error}
      onSubmit={submit}
    >
      {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("alertRules.update"))}</Notice>}
      <TextField
        label={text.name}
        value={fields.name}
        error={errors.name}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => change({ name: target.value })}
      />
      {!rule && (
        <Field label={text.kind}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.kind}
              value={fields.kind}
              choices={kindsInOrder.map((value) => ({ value, label: text.kinds[value] }))}
              onChange={(kind: AlertKindName) => change({ kind, parameters: startParameters(kind) })}
            />
          )}
        </Field>
      )}
      <ParameterFields fields={fields} errors={errors} onChange={(parameters) => change({ parameters })} />
      <TargetsField targets={fields.targets} errors={errors} onChange={(targets) => change({ targets })} />
      <TextField
        label={text.repeat}
        hint={text.repeatHint}
        value={fields.repeat}
        error={errors.repeatAfterMinutes}
        inputMode="numeric"
        autoComplete="off"
        onChange={({ target }) => change({ repeat: target.value })}
      />
      <QuietFields quiet={fields.quiet} errors={errors} onChange={(quiet) => change({ quiet })} />
    </FormDialog>
  );
}

type ParameterFieldsProps = {
  fields: RuleFields;
  errors: Record<string, string | undefined>;
  onChange: (parameters: RuleFields["parameters"]) => void;
};

const ParameterFields = ({ fields: { kind, parameters }, errors, onChange }: ParameterFieldsProps) =>
  parameterSpecs[kind].map(({ name, isSwitch, isList }) => {
    const set = (value: string) => onChange({ ...parameters, [name]: value });
    return isSwitch ? (
      <Checkbox
        key={name}
        label={text.parameters[name] ?? name}
        checked={parameters[name] === "true"}
        onChange={({ target }) => set(String(target.checked))}
      />
    ) : (
      <TextField
        key={name}
        label={text.parameters[name] ?? name}
        hint={text.parameterHintsOf[kind]?.[name] ?? text.parameterHints[name]}
        value={parameters[name] ?? ""}
        error={errors[`parameters.${name}`]}
        inputMode={isList ? undefined : "decimal"}
        autoComplete="off"
        onChange={({ target }) => set(target.value)}
      />
    );
  });
