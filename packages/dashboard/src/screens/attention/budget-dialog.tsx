// A budget is added or changed. It is checked by the service before it becomes part of the list, which is saved later.
import type { AttentionBudget } from "@tidings/contract";
import { useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { channelNames, channels } from "../../outcomes/channel-names.ts";
import css from "./attention.module.css";
import { type BudgetFields, budgetOf, type ClassChoice, faultsAt, fieldsOf } from "./budget-fields.ts";
import { budgetSentence, words } from "./words.ts";

const text = words.dialog;

type BudgetDialogProps = {
  budgets: readonly AttentionBudget[];
  /** The place of the budget that is changed; the length of the list for a new one. */
  index: number;
  onApply: (budgets: AttentionBudget[]) => void;
  onClose: () => void;
};

export function BudgetDialog({ budgets, index, onApply, onClose }: BudgetDialogProps) {
  const [fields, setFields] = useState(() => fieldsOf(budgets[index]));
  const check = useChange("attention.forecast");
  const faults = faultsAt(check.error?.fields ?? {}, index);
  const budget = budgetOf(fields);
  const set = (changed: Partial<BudgetFields>) => {
    setFields({ ...fields, ...changed });
    check.reset();
  };
  const submit = () => {
    const next = budgets.toSpliced(index, 1, budget);
    const apply = () => {
      onApply(next);
      onClose();
    };
    // A day is enough to check what was typed. If it cannot be checked now, it is when the list is saved.
    const onError = ({ fields: wrong }: ApiError) => Object.keys(wrong).length === 0 && apply();
    check.mutate({ body: { budgets: next, days: 1 } }, { onSuccess: apply, onError });
  };
  const errorOf = (...members: string[]) => {
    const found = members.map((member) => faults[member]).find(Boolean);
    return found && words.fault(found);
  };
  const isAtField = Object.keys(faults).some((member) => member !== "");
  const [elsewhere] = isAtField ? [] : Object.values(check.error?.fields ?? {});
  return (
    <FormDialog
      title={budgets[index] ? text.editTitle : text.addTitle}
      description={isReadable(budget) ? `${budgetSentence(budget)}.` : undefined}
      submit={text.submit}
      isDisabled={check.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      {elsewhere && (
        <div role="alert">
          <Notice tone="bad">{words.fault(elsewhere)}</Notice>
        </div>
      )}
      <div className={css.pair}>
        <Field label={text.channel}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.channel}
              value={fields.channel}
              choices={channels.map((value) => ({ value, label: channelNames[value] }))}
              onChange={(channel) => set({ channel })}
            />
          )}
        </Field>
        <Field label={text.classes}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.classes}
              value={fields.classes}
              choices={choicesOf<ClassChoice>(text.classChoices)}
              onChange={(classes) => set({ classes })}
            />
          )}
        </Field>
      </div>
      <p className={css.hint}>{text.classesHint}</p>
      <div className={css.window}>
        <TextField
          label={text.limit}
          value={fields.limit}
          inputMode="numeric"
          autoComplete="off"
          error={errorOf("limit")}
          onChange={({ target }) => set({ limit: target.value })}
        />
        <TextField
          label={text.amount}
          value={fields.amount}
          inputMode="numeric"
          autoComplete="off"
          error={errorOf("window.amount", "window")}
          onChange={({ target }) => set({ amount: target.value })}
        />
        <Field label={text.unit}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={text.unit}
              value={fields.unit}
              choices={choicesOf(text.units)}
              onChange={(unit) => set({ unit })}
            />
          )}
        </Field>
      </div>
      <p className={css.hint}>{text.windowHint}</p>
      <OverflowField value={fields.overflow} onChange={(overflow) => set({ overflow })} />
      {fields.overflow === "roll_up" && (
        <div className={css.time}>
          <TextField
            label={text.rollUpAt}
            type="time"
            value={fields.rollUpAt}
            hint={text.rollUpAtHint}
            error={errorOf("rollUpAt")}
            onChange={({ target }) => set({ rollUpAt: target.value })}
          />
        </div>
      )}
    </FormDialog>
  );
}

const choicesOf = <T extends string>(names: Readonly<Record<T, string>>) =>
  (Object.entries(names) as [T, string][]).map(([value, label]) => ({ value, label }));

/** A half-typed number has no sentence. */
const isReadable = ({ limit, window }: AttentionBudget): boolean =>
  typeof limit === "number" && typeof window.amount === "number";

type OverflowFieldProps = { value: BudgetFields["overflow"]; onChange: (value: BudgetFields["overflow"]) => void };

const OverflowField = ({ value, onChange }: OverflowFieldProps) => (
  <fieldset className={css.overflows}>
    <legend>{text.overflow}</legend>
    {(Object.keys(text.overflows) as BudgetFields["overflow"][]).map((overflow) => {
      const [name, note] = text.overflows[overflow];
      return (
        <label key={overflow} className={css.overflow}>
          <input type="radio" name="overflow" checked={value === overflow} onChange={() => onChange(overflow)} />
          <span>
            <strong>{name}</strong>
            <span className={css.hint}>{note}</span>
          </span>
        </label>
      );
    })}
  </fieldset>
);
